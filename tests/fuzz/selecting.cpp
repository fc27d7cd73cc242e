// SPDX-License-Identifier: Apache-2.0
// Elements of arrays put together, picked, or left out: concat and stack, take, tril and triu.
#include <algorithm>

#include "families.hpp"
#include "print.hpp"
#include "resolution.hpp"

namespace koine::fuzz {
namespace {

// join: `which` is concat, stack, or concat of the flattened.

class Joining : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    const std::size_t first = x(step_.a);
    const Shape shape = face(first).shape;
    const auto axes = shape.size();
    call_.which = step_.p[0] % 3;
    if (axes == 0 && call_.which == 0) call_.which = 1;
    if (axes >= 5 && call_.which == 1) call_.which = 0;
    const std::size_t axis = call_.which == 2 ? 0 : step_.p[1] % (axes + (call_.which == 1));
    const auto fits = [&](std::size_t other) {
      Shape theirs = face(other).shape;
      if (call_.which == 2) return true;
      if (theirs.size() != axes) return false;
      if (call_.which == 0) theirs[axis] = shape[axis];
      return theirs == shape;
    };
    std::vector<Call::Source> sources = {first};
    std::int64_t count = shape.elements();
    for (const std::uint8_t byte : {step_.b, step_.c}) {
      const std::size_t other = fits(x(byte)) ? x(byte) : first;
      count += face(other).shape.elements();
      if (count <= most_elements) sources.push_back(other);
      if (step_.p[2] % 2 == 0) break;
    }
    call_.every_axis = call_.which == 2;
    call_.axes = {static_cast<std::int64_t>(axis)};
    put(matched(std::move(sources), [](DType) { return true; }));
    return std::move(calls_);
  }
};

Array join(const Call& call, const std::vector<Operand>& sources) {
  return call.which == 1 ? stack(arrays(sources), call.axes[0]) : concat(arrays(sources), call.axis());
}

Verdict check_joined(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  const DType type = *common_type(call, sources);
  std::vector<Plain> parts = sources;
  std::size_t axis = call.every_axis ? 0 : static_cast<std::size_t>(call.axes[0]);
  std::int64_t along = 0;
  for (Plain& each : parts) {
    each = converted(each, type);
    if (call.which == 2) each.shape = {each.shape.elements()};
    if (call.which == 1) each.shape.insert(axis, 1);
    along += each.shape[axis];
  }
  Shape shape = parts[0].shape;
  shape[axis] = along;
  Plain want(type, shape);
  std::int64_t inner = 1, outer = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) (i < axis ? outer : inner) *= i == axis ? 1 : shape[i];
  std::size_t next = 0;
  for (std::int64_t o = 0; o < outer; ++o) {
    for (const Plain& each : parts) {
      const std::int64_t run = each.shape[axis] * inner;
      for (std::int64_t i = 0; i < run; ++i) want.copy_element(next++, each, static_cast<std::size_t>(o * run + i));
    }
  }
  return exactly(got, want);
}

std::string text_of_joined(const Call& call, const std::vector<std::string>& sources) {
  return (call.which == 1 ? "kn::stack({" : "kn::concat({") + together(sources) + "}, {.axis = " + axis_text(call) +
         "})";
}

class Taking : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    const std::size_t from = x(step_.a);
    const Shape shape = face(from).shape, positions = face(x(step_.b)).shape;
    const std::int64_t axis = step_.p[0] % static_cast<std::int64_t>(shape.size() + 1);
    call_.every_axis = axis == 0;
    if (axis > 0) call_.axes = {axis - 1};
    const std::int64_t size = axis > 0 ? shape[static_cast<std::size_t>(axis - 1)] : shape.elements();
    const std::int64_t count = size ? shape.elements() / size * positions.elements() : 0;
    if (size == 0 || count > most_elements || shape.size() + positions.size() > 6) return {};
    put({from, this->positions(1, x(step_.b), size, step_.p[1] % 2 == 1)});
    return std::move(calls_);
  }
};

Array take_array(const Call& call, const std::vector<Operand>& sources) {
  return take(sources[0].array(), sources[1].array(), call.axis());
}

Verdict check_taken(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  const Plain &x = sources[0], positions = converted(sources[1], int64);
  const std::size_t axis = call.every_axis ? 0 : static_cast<std::size_t>(call.axes[0]);
  const Shape source = call.every_axis ? Shape{x.shape.elements()} : x.shape;
  Shape shape;
  for (std::size_t i = 0; i < axis; ++i) shape.push_back(source[i]);
  for (const std::int64_t size : positions.shape) shape.push_back(size);
  for (std::size_t i = axis + 1; i < source.size(); ++i) shape.push_back(source[i]);
  const std::size_t picked = positions.shape.size();
  return exactly(got, gathered(x, shape, [&](const Shape& position) {
                   std::int64_t which = 0, number = 0;
                   for (std::size_t i = 0; i < picked; ++i) which = which * positions.shape[i] + position[axis + i];
                   std::int64_t at = positions.at<std::int64_t>(static_cast<std::size_t>(which));
                   if (at < 0) at += source[axis];
                   for (std::size_t i = 0; i < source.size(); ++i) {
                     const std::int64_t p = i < axis ? position[i] : i == axis ? at : position[i - 1 + picked];
                     number = number * source[i] + p;
                   }
                   return number;
                 }));
}

std::string text_of_taken(const Call& call, const std::vector<std::string>& sources) {
  return "kn::take(" + together(sources) + ", {.axis = " + axis_text(call) + "})";
}

// triangle: `which` is tril or triu, `low` the diagonal.

class Cutting : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    const std::size_t from = x(step_.a);
    if (face(from).shape.size() < 2) return {};
    call_.which = step_.p[0] % 2;
    call_.low = step_.p[1] % 5 - 2;
    put({from});
    return std::move(calls_);
  }
};

Array cut(const Call& call, const std::vector<Operand>& sources) {
  const Array& x = sources[0].array();
  return call.which == 0 ? tril(x, call.low) : triu(x, call.low);
}

Verdict check_cut(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  const Plain &x = sources[0], zero(x.type, {});
  Plain want = x;
  const std::int64_t rows = x.shape[x.shape.size() - 2], columns = x.shape.back();
  for (std::size_t i = 0; i < want.count(); ++i) {
    const auto number = static_cast<std::int64_t>(i);
    const std::int64_t diagonal = number % columns - number / columns % rows;
    if (call.which == 0 ? diagonal > call.low : diagonal < call.low) want.copy_element(i, zero, 0);
  }
  return exactly(got, want);
}

std::string text_of_cut(const Call& call, const std::vector<std::string>& sources) {
  return (call.which == 0 ? "kn::tril(" : "kn::triu(") + sources[0] + ", {.k = " + std::to_string(call.low) + "})";
}

}  // namespace

const Family joining = {resolved<Joining>, join, check_joined, text_of_joined};
const Family taking = {resolved<Taking>, take_array, check_taken, text_of_taken};
const Family cutting = {resolved<Cutting>, cut, check_cut, text_of_cut};

}  // namespace koine::fuzz
