// SPDX-License-Identifier: Apache-2.0
// take_along_axis, whose positions broadcast with the array on every axis but one.
//
// A call's second source holds the positions.
#include <algorithm>

#include "families.hpp"
#include "print.hpp"
#include "resolution.hpp"

namespace koine::fuzz {
namespace {

class Along : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    const std::size_t from = x(step_.a);
    const Shape shape = face(from).shape;
    if (shape.empty()) return {};
    choose_axis(step_.p[0], shape, step_.p[1] & 1);
    const std::size_t axis = step_.p[0] % shape.size();
    if (shape[axis] == 0) return {};
    const bool from_the_end = step_.p[1] & 2;
    Call::Source positions;
    if (face(x(step_.b)).shape == shape && step_.p[1] & 4) {
      positions = this->positions(1, x(step_.b), shape[axis], from_the_end);
    } else {
      constexpr DType types[] = {int64, int32, uint16, int8};
      const DType type = types[step_.p[2] % 4];
      if (shape[axis] > (type == int8 ? 100 : 60'000)) return {};
      Shape sizes = shape;
      sizes[axis] = 1 + step_.p[3] % 9;
      const std::size_t other = step_.p[4] % shape.size();
      if (other != axis && shape[other] == 1) sizes[other] = 3;
      if (other != axis && step_.p[4] & 64) sizes[other] = 1;
      if (sizes.elements() > most_elements) return {};
      const std::int64_t low = from_the_end && is_signed_integer(type) ? -shape[axis] : 0;
      positions = drawn(1, step_.p[5], low, shape[axis], {type, sizes});
    }
    Shape others = shape, theirs = face(positions).shape, both;
    others[axis] = theirs[axis] = 1;
    broadcasts(others, theirs, &both);
    if (both.elements() * face(positions).shape[axis] > most_elements) return {};
    put({from, positions});
    return std::move(calls_);
  }
};

Array result(const Call& call, const std::vector<Operand>& sources) {
  return take_along_axis(sources[0].array(), sources[1].array(), {.axis = call.axes[0]});
}

Verdict check(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  const Plain &x = sources[0], &positions = sources[1];
  const auto axes = static_cast<std::int64_t>(x.shape.size());
  const auto axis = static_cast<std::size_t>((call.axes[0] + axes) % axes);
  Shape across = x.shape, theirs = positions.shape, shape;
  across[axis] = theirs[axis] = 1;
  broadcasts(across, theirs, &shape);
  shape[axis] = positions.shape[axis];
  const Plain places = broadcast(converted(positions, int64), shape);
  std::size_t next = 0;
  return exactly(got, gathered(x, shape, [&](const Shape& at) {
                   std::int64_t place = places.at<std::int64_t>(next++), number = 0;
                   if (place < 0) place += x.shape[axis];
                   for (std::size_t i = 0; i < x.shape.size(); ++i)
                     number = number * x.shape[i] + (i == axis ? place : x.shape[i] == 1 ? 0 : at[i]);
                   return number;
                 }));
}

std::string text(const Call& call, const std::vector<std::string>& sources) {
  return "kn::take_along_axis(" + sources[0] + ", " + sources[1] + ", {.axis = " + axis_text(call) + "})";
}

}  // namespace

const Family along = {resolved<Along>, result, check, text};

}  // namespace koine::fuzz
