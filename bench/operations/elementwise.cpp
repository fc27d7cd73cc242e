// SPDX-License-Identifier: Apache-2.0
// Arithmetic on arrays in the layouts that they have in programs. elementwise.py says what each is.
#include "operation.hpp"

namespace twins {
namespace {

using A = kn::Array;
using kn::all, kn::newaxis, kn::none;
const auto lo = kn::slice(0, -2), mid = kn::slice(1, -1), hi = kn::slice(2, none);

A mandelbrot(const A& a, const A& b) {
  A real = a, imaginary = b, count = kn::zeros_like(a);
  for (int i = 0; i < 20; ++i) {
    const A inside = real * real + imaginary * imaginary < 4.0;
    const A next_real = real * real - imaginary * imaginary + a;
    imaginary = kn::where(inside, 2.0 * real * imaginary + b, imaginary);
    real = kn::where(inside, next_real, real);
    count = count + inside.astype(kn::float32);
  }
  return count;
}

A small_steps(const A& row) {
  A x = row;
  for (int i = 0; i < 20; ++i) {
    x = x * 1.5;
    x.eval();
  }
  return x;
}

const Add operations[] = {
    {"add", [](const A& a, const A& b) { return a + b; }, "a", "b"},
    {"add_row", [](const A& a, const A& row) { return a + row; }, "a", "row"},
    {"add_col", [](const A& a, const A& row) { return a + row(all, newaxis); }, "a", "row"},
    {"outer_add", [](const A& row) { return row(all, newaxis) + row; }, "row"},
    {"add_T", [](const A& a, const A& b) { return a + b.T(); }, "a", "b"},
    {"inner", [](const A& a) { return a(mid, mid) * 2.0; }, "a"},
    {"stencil5", [](const A& a) { return a(lo, mid) + a(hi, mid) + a(mid, lo) + a(mid, hi) - 4.0 * a(mid, mid); }, "a"},
    {"every2", [](const A& a) { return a(all, kn::slice(none, none, 2)) * 2.0; }, "a"},
    {"flip", [](const A& a) { return kn::flip(a) * 2.0; }, "a"},
    {"where", [](const A& mask, const A& a, const A& b) { return kn::where(mask, a, b); }, "mask", "a", "b"},
    {"u8tof32", [](const A& bytes) { return bytes.astype(kn::float32) * 0.5; }, "bytes"},
    {"half", [](const A& half) { return half * half + half; }, "half"},
    {"mandel20", mandelbrot, "a", "b"},
    {"addsmall", small_steps, "row"},
};

}  // namespace
}  // namespace twins
