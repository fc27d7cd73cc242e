// SPDX-License-Identifier: Apache-2.0
// Which expressions kernels take from the op table: a driver's function, or Koine's own.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "codegen/print.hpp"

namespace kn = koine;
using kn::DeviceTraits;
using kn::DType;
using kn::graph::Op;

namespace {

/// What is printed for op(v0, v1).
std::string line_of(Op op, DType type, const DeviceTraits& traits, bool portable = false) {
  kn::codegen::Body body;
  const std::int32_t second = kn::graph::info(op).arity == 2 ? 1 : -1;
  body.lines = {{Op::leaf, type, type, {0, -1, -1}},
                {Op::leaf, type, type, {0, -1, -1}},
                {op, type, type, {0, second, -1}, -1, portable}};
  return kn::codegen::Printer(body, traits, 4).line(2, {});
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a driver's functions give way where they are slow, inexact, or differ from device to device") {
  DeviceTraits usual, slow, longer;
  slow.quirks.own_functions = true;
  longer.quirks.long_doubles = true;
  for (const DType type : {kn::float32, kn::float64}) {
    CAPTURE(kn::name(type));
    CHECK(has(line_of(Op::erf, type, usual), " erf(v0)"));
    CHECK(has(line_of(Op::erf, type, usual, true), "kn_erf_"));
    CHECK(has(line_of(Op::erf, type, slow), "kn_erf_"));
    CHECK(has(line_of(Op::tan, type, longer), " tan(v0)"));
  }
  CHECK(has(line_of(Op::erf, kn::float32, longer), " erf(v0)"));
  CHECK(has(line_of(Op::erf, kn::float64, longer), "kn_erf_double(v0)"));
  // What computes in one way has the same bits everywhere.
  CHECK(has(line_of(Op::add, kn::float64, longer, true), "v0 + v1"));
}

TEST_CASE("integers are divided in vectors where a driver does so one by one, and as they are elsewhere") {
  DeviceTraits usual, slow;
  slow.quirks.own_functions = true;
  for (const Op op : {Op::floor_divide, Op::remainder, Op::pow}) {
    CHECK(has(line_of(op, kn::int32, usual), "for (int l = 0; l < KN_W; ++l)"));
    CHECK(line_of(op, kn::int32, usual, true) == line_of(op, kn::int32, usual));
    CHECK_FALSE(has(line_of(op, kn::int32, slow), "for (int l"));
  }
}
