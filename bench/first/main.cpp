// SPDX-License-Identifier: Apache-2.0
// koine_first: what the first answer of each function costs in a fresh process that finds nothing compiled: the time
// from main to the result, the processor's time of the process and of those that it starts, and programs compiled.
// usage: koine_first [--list | --in-turn | --whole name | [--most ms] name...]
//   --in-turn    all of them in one process, one after another: what each adds to a process that has compiled before
//   --whole      one of them in this process, with the caches that the environment names, to be timed to its end
//   --most       those that take longer are named at the end, and the exit code is 1
//   KOINE_DEVICE the device; the caches of Koine, PoCL and NVIDIA's driver are empty folders of its own
#include "calls.hpp"

#include <koine/koine.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace fs = std::filesystem;
namespace kn = koine;

namespace {

using kn::tool::Call;
using kn::tool::calls;

int files_in(const fs::path& folder) {
  std::error_code none;
  int count = 0;
  for (auto each = fs::directory_iterator(folder, none); each != fs::directory_iterator(); ++each) ++count;
  return count;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double processor_time(int who) {
  rusage used{};
  getrusage(who, &used);
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

using Clock = std::chrono::steady_clock;
double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void heading() { std::printf("%-22s %9s %9s %9s\n", "first", "ms", "CPU ms", "programs"); }
void line(std::string_view name, double wall, double cpu, int programs) {
  std::printf("%-22.*s %9.0f %9.0f %9d\n", static_cast<int>(name.size()), name.data(), wall, 1000 * cpu, programs);
  std::fflush(stdout);
}

constexpr int too_slow = 3;

/// Of a process that the parent starts with empty caches. `most`: the time it may take.
int run_alone(const Call& each, double most) {
  const Clock::time_point start = Clock::now();
  each.run();
  kn::synchronize();
  const double wall = milliseconds_since(start);
  line(each.name, wall, processor_time(RUSAGE_SELF) + processor_time(RUSAGE_CHILDREN),
       files_in(std::getenv("KOINE_DUMP_DIR")));
  std::_Exit(wall > most ? too_slow : 0);  // what is written to the caches at the end is not part of the answer
}

int run_in_turn(const fs::path& dumps) {
  (kn::arange(100'000, kn::float32) * 3.0 - 1.0).eval();  // what the process itself takes
  kn::synchronize();
  for (const Call& each : calls()) {
    const double cpu = processor_time(RUSAGE_SELF) + processor_time(RUSAGE_CHILDREN);
    const int programs = files_in(dumps);
    const Clock::time_point start = Clock::now();
    each.run();
    kn::synchronize();
    line(each.name, milliseconds_since(start), processor_time(RUSAGE_SELF) + processor_time(RUSAGE_CHILDREN) - cpu,
         files_in(dumps) - programs);
  }
  std::fflush(stdout);
  std::_Exit(0);
}

/// Runs this program again with empty caches. Whether it took no longer than `most` milliseconds.
bool start(const fs::path& folder, const char* program, const char* what, const char* most = "inf") {
  fs::remove_all(folder);
  for (const char* const name : {"koine", "pocl", "cuda", "dump"}) fs::create_directories(folder / name);
  const pid_t child = fork();
  if (child == 0) {
    setenv("KOINE_CACHE_DIR", (folder / "koine").c_str(), 1);
    setenv("POCL_CACHE_DIR", (folder / "pocl").c_str(), 1);
    setenv("CUDA_CACHE_PATH", (folder / "cuda").c_str(), 1);
    setenv("KOINE_DUMP_DIR", (folder / "dump").c_str(), 1);
    execl("/proc/self/exe", program, "--alone", what, most, nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  const bool slow = WIFEXITED(status) && WEXITSTATUS(status) == too_slow;
  if (status != 0 && !slow) std::printf("%-22s failed\n", what);
  return status == 0;
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string_view> words(arguments + 1, arguments + count);
  if (words.size() == 2 && words[0] == "--whole") {
    for (const Call& each : calls()) {
      if (each.name == words[1]) each.run();
    }
    return 0;
  }
  if (words.size() == 3 && words[0] == "--alone") {
    if (words[1] == "--in-turn") return run_in_turn(std::getenv("KOINE_DUMP_DIR"));
    for (const Call& each : calls()) {
      if (each.name == words[1]) return run_alone(each, std::atof(arguments[3]));
    }
    return 2;
  }
  if (words.size() == 1 && words[0] == "--list") {
    for (const Call& each : calls()) std::puts(each.name.c_str());
    return 0;
  }
  const char* most = "inf";
  if (words.size() >= 2 && words[0] == "--most") {
    most = arguments[2];
    words.erase(words.begin(), words.begin() + 2);
  }
  std::string slow;
  std::string folder = (fs::temp_directory_path() / "koine_first_XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 1;
  heading();
  std::fflush(stdout);
  if (words.size() == 1 && words[0] == "--in-turn") {
    start(folder, arguments[0], "--in-turn");
  } else {
    for (const Call& each : calls()) {
      const bool wanted = words.empty() || std::find(words.begin(), words.end(), each.name) != words.end();
      if (wanted && !start(folder, arguments[0], each.name.c_str(), most)) {
        slow += std::string(slow.empty() ? "" : ", ") + each.name;
      }
    }
  }
  fs::remove_all(folder);
  if (slow.empty()) return 0;
  std::printf("longer than %s ms, or failed: %s\n", most, slow.c_str());
  return 1;
}
