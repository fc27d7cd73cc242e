// SPDX-License-Identifier: Apache-2.0
// Reductions of the rows of an array that share an id. Their order is the device's own affair, and their bits are not:
// sums of reals are exact and rounded once, products go by the ids.
//
// A call's `which` is the function, `low` the number of groups, which the call leaves to the largest id if `typed`.
// Its last source holds the ids.
#include <algorithm>
#include <iterator>
#include <limits>

#include "families.hpp"
#include "print.hpp"
#include "resolution.hpp"
#include "so_far.hpp"

namespace koine::fuzz {
namespace {

constexpr std::size_t counts = smallest + 1, means = counts + 1, weights = means + 1;
constexpr std::string_view names[] = {"segment_sum",   "segment_prod", "segment_max", "segment_min",
                                      "segment_count", "segment_mean", "bincount"};

class ByIds : protected Resolution {
 public:
  using Resolution::Resolution;

 protected:
  /// The call of `call_.which`, of `call_.low` groups of the source's rows, if that is not too much.
  std::vector<Call> by_ids(Call::Source source, DType type) {
    if (call_.which == largest || call_.which == smallest || call_.which == means) source = ordered(0, source);
    const Shape shape = face(source).shape;
    if (shape.empty()) return {};
    call_.typed = step_.p[2] & 1;
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

class Segmenting : ByIds {
 public:
  using ByIds::ByIds;

  std::vector<Call> calls() {
    constexpr std::int64_t groups[] = {1, 3, 17, 300};
    constexpr DType types[] = {int64, int32, uint16, int8};
    call_.which = step_.p[0] % means;
    call_.low = groups[step_.p[1] % 4];
    return by_ids(lengthened(0, x(step_.a), step_.p[5]), call_.low > 100 ? int64 : types[step_.p[4] % 4]);
  }
};

class Grouping : ByIds {
 public:
  using ByIds::ByIds;

  std::vector<Call> calls() {
    constexpr std::size_t ways[] = {means, weights, sums, means, weights, products, largest, smallest};
    constexpr std::int64_t groups[] = {2, 40, 1000, 6000, 30'000, 100'000};
    constexpr DType types[] = {int64, int32, uint32};
    call_.which = ways[step_.p[0] % std::size(ways)];
    call_.low = groups[step_.p[1] % std::size(groups)];
    Call::Source source = lengthened(0, x(step_.a), step_.p[5]);
    if (call_.which == weights) source = flat(0, source);
    return by_ids(source, types[step_.p[4] % 3]);
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
    case means: return segment_mean(x, ids, options(call));
    case weights: return bincount(ids, {.weights = x, .minlength = call.typed ? 0 : call.low});
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

/// One column of means: a sum in T, which single precision may divide with an error of 3 ulps, or for integers a whole
/// number and the rest.
template <class T>
std::string check_means(const std::vector<long double>& x, const std::vector<std::int64_t>& ids, const Plain& got,
                        std::size_t column, std::size_t columns) {
  const std::size_t groups = columns > 0 ? got.count() / columns : 0;
  std::vector<Sum<T>> sums_of(groups);
  std::vector<std::size_t> rows_of(groups);
  for (std::size_t row = 0; row < ids.size(); ++row) {
    const auto group = static_cast<std::size_t>(ids[row]);
    sums_of[group].add(x[row * columns + column]);
    ++rows_of[group];
  }
  for (std::size_t group = 0; group < groups; ++group) {
    const std::size_t at = group * columns + column;
    Wanted wanted = sums_of[group].wanted();
    const auto rows = static_cast<long double>(rows_of[group]);
    wanted.value /= rows;
    wanted.error = wanted.error / rows + test::smallest_normal<Kept<T>>();
    wanted.ulps = 4;
    wanted.any = wanted.any && rows > 0;
    std::string words;
    bool loose = false;
    if (wanted.met_by(got.at<T>(at), &words, &loose)) continue;
    return "segment_mean: element " + std::to_string(at) + " is " + element_text(got, at) + ", expected " + words;
  }
  return "";
}

/// One column of the array, whose result has one element for each group.
template <class T>
std::string check_column(const Call& call, const Plain& x, const std::vector<std::int64_t>& ids, const Plain& got,
                         std::size_t column, std::size_t columns) {
  const std::size_t groups = columns > 0 ? got.count() / columns : 0;
  const std::size_t way = call.which == weights ? std::size_t{sums} : call.which;
  std::vector<SoFar<T>> found(groups, SoFar<T>(static_cast<Combining>(way)));
  std::vector<bool> any(groups);
  for (std::size_t row = 0; row < ids.size(); ++row) {
    const auto group = static_cast<std::size_t>(ids[row]);
    found[group].add(x.at<T>(row * columns + column));
    any[group] = true;
  }
  for (std::size_t group = 0; group < groups; ++group) {
    const std::size_t at = group * columns + column;
    std::string wanted = any[group] ? "" : test::shown(nothing<T>(way));
    const T value = got.at<T>(at);
    if (any[group] ? found[group].met_by(value, &wanted) : value == nothing<T>(way)) continue;
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
  const DType own = sources[0].type, type = call.which == means ? is_real_floating(own) ? own : float32
                                            : call.which < largest || call.which == weights ? counting_type(own)
                                                                                            : own;
  const Plain x = call.which == means ? sources[0] : converted(sources[0], type);
  Shape shape = x.shape;
  shape[0] = groups;
  if (const std::string wrong = unlike(got, type, shape); !wrong.empty()) return {wrong};
  std::size_t columns = 1;
  for (std::size_t axis = 1; axis < shape.size(); ++axis) columns *= static_cast<std::size_t>(shape[axis]);
  Verdict verdict;
  const std::vector<long double> values = call.which == means ? numbers(x) : std::vector<long double>();
  with_type(type, [&]<class T>(Tag<T>) {
    for (std::size_t column = 0; column < columns && verdict.wrong.empty(); ++column) {
      if constexpr (test::is_real_float<T>) {
        if (call.which == means) {
          verdict.wrong = check_means<T>(values, ids, got, column, columns);
          continue;
        }
      }
      verdict.wrong = check_column<T>(call, x, ids, got, column, columns);
    }
  });
  return verdict;
}

std::string text(const Call& call, const std::vector<std::string>& sources) {
  if (call.which == weights)
    return "kn::bincount(" + sources[1] + ", {.weights = " + sources[0] +
           ", .minlength = " + std::to_string(call.typed ? 0 : call.low) + "})";
  std::string written = "kn::" + std::string(names[call.which]) + "(";
  for (const std::string& source : sources) written += source + ", ";
  return written + "{.count = " + (call.typed ? "std::nullopt" : std::to_string(call.low)) + "})";
}

}  // namespace

const Family segmenting = {resolved<Segmenting>, result, check, text};
const Family grouping = {resolved<Grouping>, result, check, text};

}  // namespace koine::fuzz
