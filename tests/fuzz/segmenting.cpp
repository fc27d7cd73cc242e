// SPDX-License-Identifier: Apache-2.0
// Reductions of the rows of an array that share an id. Their order is the device's own affair, and their bits are not:
// sums of reals are exact and rounded once, products go by the ids.
//
// A call's `which` is the reduction, `low` the number of groups, which the call leaves to the largest id if `typed`.
// Its last source holds the ids.
#include <algorithm>
#include <limits>

#include "families.hpp"
#include "print.hpp"
#include "resolution.hpp"
#include "so_far.hpp"

namespace koine::fuzz {
namespace {

constexpr std::size_t counts = smallest + 1;
constexpr std::string_view names[] = {"segment_sum", "segment_prod", "segment_max", "segment_min", "segment_count"};

class Segmenting : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    Call::Source source = lengthened(0, x(step_.a), step_.p[5]);
    call_.which = step_.p[0] % std::size(names);
    if (call_.which == largest || call_.which == smallest) source = ordered(0, source);
    const Shape shape = face(source).shape;
    if (shape.empty()) return {};
    constexpr std::int64_t groups[] = {1, 3, 17, 300};
    constexpr DType types[] = {int64, int32, uint16, int8};
    call_.low = groups[step_.p[1] % 4];
    call_.typed = step_.p[2] & 1;
    const DType type = call_.low > 100 ? int64 : types[step_.p[4] % 4];
    if (shape[0] > 0 && shape.elements() / shape[0] * call_.low > most_elements) return {};
    const Call::Source ids = drawn(1, step_.p[3], 0, call_.low, {type, {shape[0]}});
    if (call_.which == counts) {
      put({ids});
    } else {
      put({source, ids});
    }
    return std::move(calls_);
  }
};

SegmentOptions options(const Call& call) { return {.count = call.typed ? std::nullopt : std::optional(call.low)}; }

Array result(const Call& call, const std::vector<Operand>& sources) {
  const Array &x = sources.front().array(), &ids = sources.back().array();
  switch (call.which) {
    case sums: return segment_sum(x, ids, options(call));
    case products: return segment_prod(x, ids, options(call));
    case largest: return segment_max(x, ids, options(call));
    case smallest: return segment_min(x, ids, options(call));
    default: return segment_count(ids, options(call));
  }
}

/// What a group without rows gives.
template <class T>
T nothing(std::size_t which) {
  if constexpr (test::is_complex_float<T>) {
    return T(which == products);
  } else {
    using Limits = std::numeric_limits<T>;
    if (which < largest) return T(which == products);
    if constexpr (test::is_real_float<T>) return T(which == largest ? -INFINITY : INFINITY);
    return which == largest ? Limits::lowest() : Limits::max();
  }
}

/// One column of the array, whose result has one element for each group.
template <class T>
std::string check_column(const Call& call, const Plain& x, const std::vector<std::int64_t>& ids, const Plain& got,
                         std::size_t column, std::size_t columns) {
  const std::size_t groups = columns > 0 ? got.count() / columns : 0;
  std::vector<SoFar<T>> found(groups, SoFar<T>(static_cast<Combining>(call.which)));
  std::vector<bool> any(groups);
  for (std::size_t row = 0; row < ids.size(); ++row) {
    const auto group = static_cast<std::size_t>(ids[row]);
    found[group].add(x.at<T>(row * columns + column));
    any[group] = true;
  }
  for (std::size_t group = 0; group < groups; ++group) {
    const std::size_t at = group * columns + column;
    std::string wanted = any[group] ? "" : test::shown(nothing<T>(call.which));
    const T value = got.at<T>(at);
    if (any[group] ? found[group].met_by(value, &wanted) : value == nothing<T>(call.which)) continue;
    return std::string(names[call.which]) + ": element " + std::to_string(at) + " is " + element_text(got, at) +
           ", expected " + wanted;
  }
  return "";
}

Verdict check(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  const Plain places = converted(sources.back(), int64);
  std::vector<std::int64_t> ids(places.count());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = places.at<std::int64_t>(i);
  const std::int64_t groups = !call.typed ? call.low : ids.empty() ? 0 : *std::max_element(ids.begin(), ids.end()) + 1;
  if (call.which == counts) {
    Plain want(int64, {groups});
    for (const std::int64_t id : ids) {
      const auto group = static_cast<std::size_t>(id);
      want.put(group, want.at<std::int64_t>(group) + 1);
    }
    return exactly(got, want);
  }
  const DType own = sources[0].type, type = call.which < largest ? counting_type(own) : own;
  const Plain x = converted(sources[0], type);
  Shape shape = x.shape;
  shape[0] = groups;
  if (const std::string wrong = unlike(got, type, shape); !wrong.empty()) return {wrong};
  std::size_t columns = 1;
  for (std::size_t axis = 1; axis < shape.size(); ++axis) columns *= static_cast<std::size_t>(shape[axis]);
  Verdict verdict;
  with_type(type, [&]<class T>(Tag<T>) {
    for (std::size_t column = 0; column < columns && verdict.wrong.empty(); ++column) {
      verdict.wrong = check_column<T>(call, x, ids, got, column, columns);
    }
  });
  return verdict;
}

std::string text(const Call& call, const std::vector<std::string>& sources) {
  std::string written = "kn::" + std::string(names[call.which]) + "(";
  for (const std::string& source : sources) written += source + ", ";
  return written + "{.count = " + (call.typed ? "std::nullopt" : std::to_string(call.low)) + "})";
}

}  // namespace

const Family segmenting = {resolved<Segmenting>, result, check, text};

}  // namespace koine::fuzz
