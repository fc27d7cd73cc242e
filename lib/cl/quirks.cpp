// SPDX-License-Identifier: Apache-2.0
// One row for each thing that a driver gets wrong: whom it concerns, what follows, and the reason.
#include "cl/quirks.hpp"

#include <charconv>
#include <utility>

namespace koine::cl {

namespace {

using Version = std::pair<int, int>;  // major, minor

constexpr Version every_later{1 << 20, 0};

struct Row {
  std::string_view who;  // a vendor, or a vendor's devices of one type: "intel:cpu"
  Version from, before;  // of the driver
  bool Quirks::*effect;
  std::string_view reason;
};

// clang-format off
constexpr Row rows[] = {
    {"pocl", {0, 0}, every_later, &Quirks::own_functions,
     "sin, cos and tan of float4, float8 and float16 are wrong: one lane at 1e8 or more, or infinite, makes lanes with "
     "|x| < 0.008 return f(2x); pow of double8 gives values unrelated to the arguments, such as 0.0000338 for "
     "pow(7.04, 80.7). The scalar forms are right, and 10 to 80 times slower than vectors could be. "
     "exp(709.782712893384), the largest argument with a finite result, gives infinity, and tanh in float never reaches "
     "1. lgamma is infinite from 4e36 in float; tgamma loses its digits below -33. Integers of vectors are divided one by "
     "one. Seen in 3.1 and 5.0."},
    {"mesa:cpu", {0, 0}, every_later, &Quirks::own_functions,
     "Functions take subnormal numbers for 0, and several are inexact. Seen in 22.3."},
    {"pocl", {0, 0}, every_later, &Quirks::crashes_at_exit,
     "A kernel is compiled at its first launch, on a thread of the driver's. If the process ends meanwhile, that thread "
     "finds the compiler's globals gone. Seen in 3.1."},
    {"pocl", {0, 0}, every_later, &Quirks::binary_needs_launch,
     "A program's binary holds the machine code of those kernels that were launched before it is fetched first, and "
     "fetching compiles each kernel once more: 85 ms, during which other compilations wait, and launches too now and "
     "then. Seen in 3.1."},
    {"pocl", {0, 0}, every_later, &Quirks::read_to_start_skipped,
     "clEnqueueReadBuffer copies nothing, and says that all is well, where the target is the host memory that the buffer "
     "was made over, even if what is read begins further on in the buffer. Seen in 3.1."},
    {"pocl", {0, 0}, every_later, &Quirks::reads_all_builtins,
     "Each build reads clang's opencl-c.h twice: 18,000 lines, two thirds of the time to compile a small kernel. Seen in "
     "3.1."},
    {"pocl", {0, 0}, every_later, &Quirks::builds_fail_now_and_then,
     "Processes that build the same program at once for the first time meet in the driver's folder of programs, and now "
     "and then one of the builds fails, with no word of the compiler's. A signal that the program handles makes LLVM "
     "remove the files of builds under way: \"unable to rename temporary\". Seen in 3.1 and 5.0."},
    {"pocl", {0, 0}, every_later, &Quirks::finish_waits_for_later,
     "clFinish waits until the queue is empty, which it never is while other threads go on enqueueing. Seen in 3.1."},
    {"pocl", {0, 0}, every_later, &Quirks::programs_stay_mapped,
     "A released program leaves four mappings and 50 KiB of the 1 MiB that it takes. Past vm.max_map_count of them, 65,530 as "
     "a rule and so after some 16,000 programs, the driver ends the process. Seen in 3.1."},
    {"intel:cpu", {0, 0}, every_later, &Quirks::crashes_at_exit,
     "Its objects die with the process while its threads still run kernels, which then call functions that are gone. "
     "Seen in 2026.22."},
    {"intel:cpu", {0, 0}, every_later, &Quirks::calls_crash_at_exit,
     "Its objects die with the process while other threads go on to call it. Seen in 2026.22."},
    {"intel:cpu", {0, 0}, every_later, &Quirks::children_cannot_exit,
     "At the end of a process it waits for the work under way. In a forked child there is no thread to do that, nor one "
     "to give back the locks that were held. Seen in 2026.22."},
    {"mesa:cpu", {0, 0}, every_later, &Quirks::crashes_at_exit,
     "rusticl's threads still run kernels while the process ends and LLVM's globals die. Seen in 22.3."},
    {"mesa:cpu", {0, 0}, every_later, &Quirks::calls_crash_at_exit,
     "rusticl's and LLVM's objects die with the process while other threads go on to call them. Seen in 22.3."},
    {"mesa", {0, 0}, {23, 0}, &Quirks::waits_skip_flushed,
     "rusticl's clFinish and blocking calls wait for the last command that was not flushed before, and where all were, "
     "by another thread too, for nothing. Seen in 22.3."},
    {"mesa", {0, 0}, every_later, &Quirks::lgamma_of_infinity_wrong,
     "rusticl's lgamma of -inf is -inf, and of numbers just below 0, such as -5e-21, inf. Seen in 22.3."},
    {"mesa:cpu", {0, 0}, every_later, &Quirks::loops_end_early,
     "llvmpipe counts the rounds of all loops of a work-item together, ends every loop after 65,535 of them, and says "
     "that all is well. Seen in 22.3."},
    {"nvidia", {0, 0}, every_later, &Quirks::long_doubles,
     "Of float64, erf, sinh, asin and logaddexp take 1.4 to 1.6 times as long as Koine's own functions, acos, atan, exp, "
     "exp2, hypot, lgamma and others 1.05 to 1.2 times, at 2^26 elements. Measured on an H200 with 580."},
    {"nvidia", {0, 0}, every_later, &Quirks::lazy_allocation,
     "clCreateBuffer takes no memory until the buffer is used, so running out of it shows as a failed launch. Touching "
     "a new buffer once makes the allocation itself fail."},
    {"nvidia", {0, 0}, every_later, &Quirks::release_races,
     "It crashes, or finds its heap damaged, where a thread releases a program whose kernel was enqueued and has not "
     "ended while other threads enqueue and build. Seen in 580."},
};
// clang-format on

/// The leading "major.minor" of a version such as "3.1+debian" or "580.95.05".
Version version_of(std::string_view text) {
  Version version{0, 0};
  const char* const end = text.data() + text.size();
  const auto [dot, error] = std::from_chars(text.data(), end, version.first);
  if (error == std::errc() && dot != end && *dot == '.') std::from_chars(dot + 1, end, version.second);
  return version;
}

bool applies(const Row& row, const DeviceTraits& traits) {
  const Version version = version_of(traits.driver);
  const bool concerned = row.who == traits.vendor || row.who == traits.vendor + ":" + to_string(traits.device_class);
  return concerned && version >= row.from && version < row.before;
}

}  // namespace

void apply_quirks(DeviceTraits& traits) {
  for (const Row& row : rows) {
    if (applies(row, traits)) traits.quirks.*row.effect = true;
  }
}

std::vector<std::string_view> quirk_reasons(const DeviceTraits& traits) {
  std::vector<std::string_view> reasons;
  for (const Row& row : rows) {
    if (applies(row, traits)) reasons.push_back(row.reason);
  }
  return reasons;
}

}  // namespace koine::cl
