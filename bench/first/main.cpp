// SPDX-License-Identifier: Apache-2.0
// koine_first: what the first answer of each function costs in a fresh process that finds nothing compiled: the time
// from main to the result, the processor's time of the process and of those that it starts, and programs compiled.
// usage: koine_first [--list | --in-turn | --whole name | name...]
//   --in-turn    all of them in one process, one after another: what each adds to a process that has compiled before
//   --whole      one of them in this process, with the caches that the environment names, to be timed to its end
//   KOINE_DEVICE the device; the caches of Koine, PoCL and NVIDIA's driver are empty folders of its own
#include <koine/koine.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fs = std::filesystem;
namespace kn = koine;

namespace {

constexpr std::int64_t side = 320, size = side * side;

kn::Array numbers() {
  std::vector<float> values(size);
  for (std::int64_t i = 0; i < size; ++i) values[i] = static_cast<float>((i * 7919) % 10007) / 10007;
  return kn::asarray(values);
}
kn::Array doubles() {
  std::vector<double> values(size);
  for (std::int64_t i = 0; i < size; ++i) values[i] = static_cast<double>((i * 7919) % 10007) / 10007;
  return kn::asarray(values);
}
kn::Array whole() {
  std::vector<std::int32_t> values(size);
  for (std::int64_t i = 0; i < size; ++i) values[i] = static_cast<std::int32_t>((i * 7919) % 10007);
  return kn::asarray(values);
}
kn::Array square() { return numbers().reshape({side, side}); }

/// One program after another, as short ones are written: a result is read at the end of each line.
void readme() {
  const kn::Array x = kn::random::Generator(42).normal({1'000'000});
  (kn::mean(kn::exp(-x * x) * 2.0 + 1.0)).item<float>();
}
void fifteen_lines() {
  kn::random::Generator generator(7);
  const kn::Array x = generator.normal({20'000, 16}), w = generator.uniform({16});
  const kn::Array y = kn::matmul(x, w) + generator.normal({20'000}) * 0.1;
  const kn::Array centred = (x - kn::mean(x, 0)) / kn::std(x, 0);
  const kn::Array gram = kn::matmul(kn::matrix_transpose(centred), centred) / 20'000.0;
  kn::sum(gram).item<float>();
  const kn::Array error = kn::matmul(centred, w) - y;
  kn::mean(error * error).item<float>();
  kn::max(kn::abs(error)).item<float>();
  kn::median(y).item<float>();
  const kn::Array order = kn::argsort(y);
  kn::take(y, order).eval();
  kn::cumulative_sum(y).eval();
  kn::histogram(y, 20).counts.eval();
  kn::sum(kn::where(y > 0.0, y, 0.0)).item<float>();
}

struct Case {
  std::string_view name;
  std::function<void()> run;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"add", [] { (numbers() + 1.0).eval(); }},
      {"chain", [] { (kn::exp(-numbers() * numbers()) * 2.0 + 1.0).eval(); }},
      {"sin", [] { kn::sin(numbers()).eval(); }},
      {"pow", [] { kn::pow(numbers(), numbers()).eval(); }},
      {"remainder", [] { kn::remainder(numbers(), numbers()).eval(); }},
      {"floor_divide int32", [] { kn::floor_divide(whole(), whole() + 1).eval(); }},
      {"tan float64", [] { kn::tan(doubles()).eval(); }},
      {"lgamma", [] { kn::lgamma(numbers()).eval(); }},
      {"atan2", [] { kn::atan2(numbers(), numbers()).eval(); }},
      {"float16", [] { (kn::astype(numbers(), kn::float16) * 2.0).eval(); }},
      {"abs of complex", [] { kn::abs(kn::astype(numbers(), kn::complex64)).eval(); }},
      {"where", [] { kn::where(numbers() > 0.5, numbers(), 0.0).eval(); }},
      {"add of rows", [] { (square() + square()(0)).eval(); }},
      {"transpose", [] { kn::matrix_transpose(square()).copy().eval(); }},
      {"sum", [] { kn::sum(numbers()).eval(); }},
      {"mean of rows", [] { kn::mean(square(), 1).eval(); }},
      {"sum of columns", [] { kn::sum(square(), 0).eval(); }},
      {"max", [] { kn::max(numbers()).eval(); }},
      {"argmax", [] { kn::argmax(numbers()).eval(); }},
      {"std", [] { kn::std(numbers()).eval(); }},
      {"softmax", [] { kn::softmax(square(), -1).eval(); }},
      {"cumulative_sum", [] { kn::cumulative_sum(numbers()).eval(); }},
      {"matmul", [] { kn::matmul(square(), square()).eval(); }},
      {"matmul float64",
       [] {
         kn::matmul(doubles().reshape({side, side}), doubles().reshape({side, side})).eval();
       }},
      {"matrix by vector", [] { kn::matmul(square(), square()(0)).eval(); }},
      {"einsum ij,kj->ik",
       [] {
         kn::einsum("ij,kj->ik", {square(), square()}).eval();
       }},
      {"einsum ij,ij->",
       [] {
         kn::einsum("ij,ij->", {square(), square()}).eval();
       }},
      {"sort", [] { kn::sort(numbers()).eval(); }},
      {"sort int32", [] { kn::sort(whole()).eval(); }},
      {"sort of rows", [] { kn::sort(square()).eval(); }},
      {"argsort", [] { kn::argsort(numbers()).eval(); }},
      {"topk", [] { kn::topk(numbers(), 10).values.eval(); }},
      {"median", [] { kn::median(numbers()).eval(); }},
      {"median of rows", [] { kn::median(square(), 1).eval(); }},
      {"quantile", [] { kn::quantile(numbers(), 0.9).eval(); }},
      {"unique_values", [] { kn::unique_values(whole()).eval(); }},
      {"unique_counts", [] { kn::unique_counts(whole()).counts.eval(); }},
      {"nonzero", [] { kn::nonzero(numbers() > 0.5)[0].eval(); }},
      {"searchsorted", [] { kn::searchsorted(numbers(), numbers()).eval(); }},
      {"histogram", [] { kn::histogram(numbers(), 20).counts.eval(); }},
      {"bincount", [] { kn::bincount(whole()).eval(); }},
      {"take", [] { kn::take(numbers(), whole()).eval(); }},
      {"concat",
       [] {
         kn::concat({numbers(), numbers()}).eval();
       }},
      {"stack",
       [] {
         kn::stack({numbers(), numbers()}, 1).eval();
       }},
      {"roll", [] { kn::roll(numbers(), 3).eval(); }},
      {"repeat", [] { kn::repeat(numbers(), 3).eval(); }},
      {"pad", [] { kn::pad(square(), 1).eval(); }},
      {"diff", [] { kn::diff(numbers()).eval(); }},
      {"convolve", [] { kn::convolve(numbers(), numbers()(kn::Slice(0, 9))).eval(); }},
      {"uniform", [] { kn::random::Generator(1).uniform({size}).eval(); }},
      {"normal", [] { kn::random::Generator(1).normal({size}).eval(); }},
      {"integers", [] { kn::random::Generator(1).integers(0, 10, {size}).eval(); }},
      {"gamma", [] { kn::random::Generator(1).gamma(2.0, {size}).eval(); }},
      {"permutation", [] { kn::random::Generator(1).permutation(size).eval(); }},
      {"the README's program", readme},
      {"15 lines", fifteen_lines},
  };
  return all;
}

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

/// Of a process that the parent starts with empty caches.
int run_alone(const Case& each) {
  const Clock::time_point start = Clock::now();
  each.run();
  kn::synchronize();
  line(each.name, milliseconds_since(start), processor_time(RUSAGE_SELF) + processor_time(RUSAGE_CHILDREN),
       files_in(std::getenv("KOINE_DUMP_DIR")));
  std::fflush(stdout);
  std::_Exit(0);  // what is written to the caches at the end is not part of the answer
}

int run_in_turn(const fs::path& dumps) {
  (numbers() * 3.0 - 1.0).eval();  // what the process itself takes
  kn::synchronize();
  for (const Case& each : cases()) {
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

/// Runs this program again with empty caches.
void start(const fs::path& folder, const char* program, const char* what) {
  fs::remove_all(folder);
  for (const char* const name : {"koine", "pocl", "cuda", "dump"}) fs::create_directories(folder / name);
  const pid_t child = fork();
  if (child == 0) {
    setenv("KOINE_CACHE_DIR", (folder / "koine").c_str(), 1);
    setenv("POCL_CACHE_DIR", (folder / "pocl").c_str(), 1);
    setenv("CUDA_CACHE_PATH", (folder / "cuda").c_str(), 1);
    setenv("KOINE_DUMP_DIR", (folder / "dump").c_str(), 1);
    execl("/proc/self/exe", program, "--alone", what, nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) std::printf("%-22s failed\n", what);
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string_view> words(arguments + 1, arguments + count);
  if (words.size() == 2 && words[0] == "--whole") {
    for (const Case& each : cases()) {
      if (each.name == words[1]) each.run();
    }
    return 0;
  }
  if (words.size() == 2 && words[0] == "--alone") {
    if (words[1] == "--in-turn") return run_in_turn(std::getenv("KOINE_DUMP_DIR"));
    for (const Case& each : cases()) {
      if (each.name == words[1]) return run_alone(each);
    }
    return 2;
  }
  if (words.size() == 1 && words[0] == "--list") {
    for (const Case& each : cases()) std::puts(std::string(each.name).c_str());
    return 0;
  }
  std::string folder = (fs::temp_directory_path() / "koine_first_XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 1;
  heading();
  std::fflush(stdout);
  if (words.size() == 1 && words[0] == "--in-turn") {
    start(folder, arguments[0], "--in-turn");
  } else {
    for (const Case& each : cases()) {
      const bool wanted = words.empty() || std::find(words.begin(), words.end(), each.name) != words.end();
      if (wanted) start(folder, arguments[0], std::string(each.name).c_str());
    }
  }
  fs::remove_all(folder);
}
