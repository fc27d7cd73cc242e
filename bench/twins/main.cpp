// SPDX-License-Identifier: Apache-2.0
// koine_programs and koine_operations: time what their folders have. usage: koine_programs [scale] [name...]
// Prints a line about the device, then "name cold_ms steady_ms checksum". Cold is the time to the first result, of the
// first program from the start of the process, of operations from when their inputs are there; steady is the median
// time of a step. SECONDS_EACH is how long each is repeated (programs 0.3, operations 0.15, functions 0.08).
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>

#include "program.hpp"

namespace twins {

std::vector<Entry>& registry() {
  static std::vector<Entry> entries;
  return entries;
}

namespace {

/// Seconds on the clock that /proc tells the start of processes by.
double now() {
  timespec time{};
  clock_gettime(CLOCK_BOOTTIME, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// When this process started, to a hundredth of a second.
double process_start() {
  std::ifstream file("/proc/self/stat");
  std::string text(std::istreambuf_iterator<char>(file), {});
  std::size_t at = text.rfind(')');  // the name before it may hold anything
  for (int field = 2; field < 22; ++field) at = text.find(' ', at + 1);
  return std::strtod(text.c_str() + at, nullptr) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

void run(Program& program, int steps) {
  for (int i = 0; i < steps; ++i) program.step();
  kn::eval(program.results());
  kn::synchronize();
}

void measure(const Entry& entry, std::int64_t scale, double start) {
  static const char* const given = std::getenv("SECONDS_EACH");
  const double seconds = given ? std::strtod(given, nullptr) : entry.seconds;
  const std::unique_ptr<Program> program = entry.make(scale);
  if (entry.inputs_first) start = now();
  run(*program, entry.steps);
  const double checksum = program->checksum();
  const double cold = now() - start;
  run(*program, entry.steps);
  std::vector<double> times;
  const double begin = now();
  while (times.size() < 3 || (now() - begin < seconds && times.size() < 1000)) {
    const double before = now();
    run(*program, entry.steps);
    times.push_back((now() - before) / entry.steps);
  }
  std::sort(times.begin(), times.end());
  std::printf("%s %.1f %.4f %.9g\n", entry.name.c_str(), 1e3 * cold, 1e3 * times[times.size() / 2], checksum);
}

int main_of(int argc, char** argv) {
  const std::int64_t scale = argc > 1 ? std::strtoll(argv[1], nullptr, 10) : 1;
  std::vector<std::string> names(argv + std::min(argc, 2), argv + argc);
  const std::vector<Entry>& entries = registry();
  if (names.empty()) {
    for (const Entry& entry : entries) names.push_back(entry.name);
    std::sort(names.begin(), names.end());
  }
  int failed = 0;
  double start = process_start();
  const kn::Device device = kn::default_device();
  std::printf("# Koine %s on %s (%s), driver %s\n", kn::version(), device.selector().c_str(), device.name().c_str(),
              device.driver().c_str());
  for (const std::string& name : names) {
    const auto entry = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.name == name; });
    try {
      if (entry == entries.end()) throw std::invalid_argument("there is nothing of this name");
      measure(*entry, scale, start);
    } catch (const std::exception& error) {
      std::printf("%s failed: %s\n", name.c_str(), error.what());
      ++failed;
    }
    std::fflush(stdout);
    start = now();
  }
  return failed ? 1 : 0;
}

}  // namespace
}  // namespace twins

int main(int argc, char** argv) { return twins::main_of(argc, argv); }
