// SPDX-License-Identifier: Apache-2.0
// A kernel that takes as long as it is told to.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/context.hpp"
#include "runtime/launch.hpp"

namespace koine::test {

/// Enqueues so many rounds of a loop, on x of four bytes: some 1e9 a second. Where loops end early, several work-items
/// share them, and run side by side.
inline cl::Event run_slowly(runtime::Context& context, const runtime::Buffer& x, std::uint32_t rounds) {
  constexpr const char* source = R"(
kernel void koine(global uint* x, uint rounds) {
  uint y = x[0];
  for (uint i = 0; i < rounds; ++i) y = y * 1664525 + (y >> 3);
  x[0] = y;
}
)";
  const auto kernel = context.kernel("test:slow", [] { return runtime::ProgramText{source, ""}; });
  const std::size_t items = context.traits().quirks.loops_end_early ? 1 + rounds / 4096 : 1;
  cl::Event event;
  runtime::Launch(context.queue(), kernel).out(x).value(rounds).run(std::span(&items, 1), {}, &event);
  return event;
}

}  // namespace koine::test
