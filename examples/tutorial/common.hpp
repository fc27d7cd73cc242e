// SPDX-License-Identifier: Apache-2.0
// What the lessons and examples/pictures share: a clock, and a check that ends the program with 1.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>

/// Milliseconds that f() takes. What it enqueues on a device counts only as far as f waits for it.
template <class F>
double milliseconds(F f) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  f();
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

inline void check(bool right, const char* what) {
  if (right) return;
  std::printf("WRONG: %s\n", what);
  std::exit(1);
}
