// SPDX-License-Identifier: Apache-2.0
// Whole axes in order: sort, argsort, partition, which is documented to be a sort, and topk.
//
// A call's `which` is the function, `low` 1 where it falls (of topk: the largest), `high` topk's k and partition's kth.
#include <algorithm>
#include <numeric>

#include "families.hpp"
#include "print.hpp"
#include "resolution.hpp"

namespace koine::fuzz {
namespace {

enum Function : std::size_t { sorts, argsorts, top_values, top_places, partitions };
constexpr std::string_view names[] = {"sort", "argsort", "topk", "topk", "partition"};

class Sorting : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    const Call::Source source = lengthened(0, x(step_.a), step_.p[5]);
    const Shape shape = face(source).shape;
    if (shape.empty()) return {};
    call_.which = step_.p[0] % std::size(names);
    choose_axis(step_.p[1], shape, step_.p[2] & 4);
    call_.low = step_.p[2] & 1;
    const std::int64_t size = shape[step_.p[1] % shape.size()];
    if (call_.which == partitions && size == 0) call_.which = sorts;
    if (call_.which == partitions) call_.low = 0;
    call_.high = step_.p[3] * 256 + step_.p[4];
    if (call_.which == partitions) call_.high = call_.high % size - (step_.p[2] & 8 ? size : 0);
    if (call_.which == top_values || call_.which == top_places) call_.high %= size + 1;
    put({ordered(0, source)});
    return std::move(calls_);
  }
};

Array result(const Call& call, const std::vector<Operand>& sources) {
  const Array& x = sources[0].array();
  const std::int64_t axis = call.axes[0];
  const bool falls = call.low == 1;
  switch (call.which) {
    case sorts: return sort(x, {.axis = axis, .descending = falls});
    case argsorts: return argsort(x, {.axis = axis, .descending = falls});
    case top_values: return topk(x, call.high, {.axis = axis, .largest = falls}).values;
    case top_places: return topk(x, call.high, {.axis = axis, .largest = falls}).indices;
    default: return partition(x, call.high, {.axis = axis});
  }
}

/// Whether x comes before y. NaN come last whatever the direction, and are equal; so are zeros but for `signs`.
template <class T>
bool before(T x, T y, bool falls, bool signs) {
  if constexpr (test::is_real_float<T>) {
    const auto a = test::widened(x), b = test::widened(y);
    if (a != a || b != b) return a == a;
    if (signs && a == 0 && b == 0)
      return falls ? std::signbit(b) && !std::signbit(a) : std::signbit(a) && !std::signbit(b);
    return falls ? a > b : a < b;
  } else if constexpr (!test::is_complex_float<T>) {
    return falls ? x > y : x < y;
  } else {
    return false;
  }
}

Verdict check(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  const Plain& x = sources[0];
  const auto axes = static_cast<std::int64_t>(x.shape.size());
  const auto axis = static_cast<std::size_t>((call.axes[0] + axes) % axes);
  const bool top = call.which == top_values || call.which == top_places;
  const bool gives_places = call.which == argsorts || call.which == top_places;
  const bool by_bits = call.which == sorts || call.which == partitions;
  Shape shape = x.shape;
  if (top) shape[axis] = call.high;
  Plain want(gives_places ? int64 : x.type, shape);
  const Lines from = lines_of(x.shape, axis), to = lines_of(shape, axis);
  with_type(x.type, [&]<class T>(Tag<T>) {
    for (std::size_t line = 0; line < to.size(); ++line) {
      const std::vector<std::size_t>& elements = from[line];
      std::vector<std::size_t> order(elements.size());
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
        return before<T>(x.at<T>(elements[i]), x.at<T>(elements[j]), call.low == 1, by_bits);
      });
      for (std::size_t i = 0; i < to[line].size(); ++i) {
        if (gives_places) {
          want.put(to[line][i], static_cast<std::int64_t>(order[i]));
        } else {
          want.copy_element(to[line][i], x, elements[order[i]]);
        }
      }
    }
  });
  return exactly(got, want);
}

std::string text(const Call& call, const std::vector<std::string>& sources) {
  const bool top = call.which == top_values || call.which == top_places;
  std::string result = "kn::" + std::string(names[call.which]) + "(" + sources[0];
  if (top || call.which == partitions) result += ", " + std::to_string(call.high);
  result += ", {.axis = " + axis_text(call);
  if (top && call.low == 0) result += ", .largest = false";
  if (!top && call.low == 1) result += ", .descending = true";
  return result + (call.which == top_values ? "}).values" : call.which == top_places ? "}).indices" : "})");
}

// pair: what sort gives, or topk's values, and behind them the elements at the places that argsort gives, or topk does.

constexpr std::size_t halves[2][2] = {{sorts, top_values}, {top_values, top_values}};  // what they are alike

std::vector<Call> resolve_pair(const Step& step, const Faces& faces, const Setting& setting) {
  Step part = step;
  part.kind = Kind::sort;
  part.p[0] = step.p[0] % 2 ? top_values : sorts;
  std::vector<Call> calls = resolve(part, faces, setting);
  if (calls.empty()) return calls;
  calls.back().kind = Kind::pair;
  calls.back().which = step.p[0] % 2;
  return calls;
}

Array result_of_pair(const Call& call, const std::vector<Operand>& sources) {
  const Array& x = sources[0].array();
  const std::int64_t axis = call.axes[0];
  const auto both = [&](const Array& values, const Array& places) {
    return concat({values, take_along_axis(x, places, {.axis = axis})}, axis);
  };
  if (call.which == 0)
    return both(sort(x, {.axis = axis, .descending = call.low == 1}),
                argsort(x, {.axis = axis, .descending = call.low == 1}));
  const auto top = topk(x, call.high, {.axis = axis, .largest = call.low == 1});
  return both(top.values, top.indices);
}

Verdict check_pair(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  const Plain& x = sources[0];
  const auto axes = static_cast<std::int64_t>(x.shape.size());
  const auto axis = static_cast<std::size_t>((call.axes[0] + axes) % axes);
  Call half = call;
  if (call.which == 0) half.high = x.shape[axis];
  Shape shape = x.shape;
  shape[axis] = 2 * half.high;
  if (const std::string wrong = unlike(got, x.type, shape); !wrong.empty()) return {wrong};
  for (const std::int64_t i : {0, 1}) {
    Part at(axis);
    at.push_back({Entry::slice, i * half.high, (i + 1) * half.high, 1});
    half.which = halves[call.which][i];
    if (Verdict verdict = check(half, sources, part(got, at, {})); !verdict.wrong.empty()) return verdict;
  }
  return {};
}

std::string text_of_pair(const Call& call, const std::vector<std::string>& sources) {
  const std::string &x = sources[0], axis = ".axis = " + axis_text(call);
  const std::string order = axis + (call.low == 1 ? ", .descending = true})" : "})");
  const std::string top = "kn::topk(" + x + ", " + std::to_string(call.high) + ", {" + axis +
                          (call.low == 0 ? ", .largest = false})" : "})");
  return "kn::concat({" + (call.which == 0 ? "kn::sort(" + x + ", {" + order : top + ".values") +
         ", kn::take_along_axis(" + x + ", " +
         (call.which == 0 ? "kn::argsort(" + x + ", {" + order : top + ".indices") + ", {" + axis + "})}, {" + axis +
         "})";
}

}  // namespace

const Family sorting = {resolved<Sorting>, result, check, text};
const Family pairing = {resolve_pair, result_of_pair, check_pair, text_of_pair};

}  // namespace koine::fuzz
