// SPDX-License-Identifier: Apache-2.0
// p(part) = p(neighbours) brought together: elements are read that others are stored to.
//
// The neighbours of a call's `part` lie to either side of it along each axis that `axes` name. `which` is the row of
// `ways`; with `typed` the part's own elements come in, too.
#include <algorithm>

#include "check.hpp"
#include "families.hpp"
#include "print.hpp"
#include "resolution.hpp"

namespace koine::fuzz {
namespace {

/// How two elements are brought together, in ways that round once.
struct Way {
  std::string_view sign;
  Array (*arrays)(const Array&, const Array&);
};
constexpr Way ways[] = {{"+", [](const Array& x, const Array& y) { return x + y; }},
                        {"-", [](const Array& x, const Array& y) { return x - y; }}};

class Stencil : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    const Face target = face(call_.target);
    if (is_bool(target.type)) return {};
    call_.which = step_.p[0] % std::size(ways);
    call_.typed = step_.p[0] & 4;
    const std::size_t axes = target.shape.size();
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const std::int64_t size = target.shape[axis];
      Entry entry;
      const bool chosen = step_.p[1] >> axis & 1 || (axis + 1 == axes && call_.axes.empty());
      if (chosen && size >= 3) {
        // All that has neighbours, or less of it on either side.
        const std::int64_t low = step_.p[2] % 4 == 3 ? 1 + step_.p[3] % (size - 2) : 1;
        const std::int64_t high = step_.p[2] / 4 % 4 == 3 ? low + 1 + step_.p[4] % (size - 1 - low) : size - 1;
        entry = {Entry::slice, low, high, 1};
        call_.axes.push_back(static_cast<std::int64_t>(axis));
      }
      call_.part.push_back(entry);
    }
    if (call_.axes.empty()) return {};
    put({});
    return std::move(calls_);
  }
};

std::vector<Part> terms(const Call& call) {
  std::vector<Part> list;
  for (const std::int64_t axis : call.axes) {
    for (const std::int64_t shift : {-1, 1}) {
      list.push_back(call.part);
      Entry& entry = list.back()[static_cast<std::size_t>(axis)];
      entry.start = *entry.start + shift;
      entry.stop = *entry.stop + shift;
    }
  }
  if (call.typed) list.push_back(call.part);
  return list;
}

void apply(State& state, const Call& call, const std::vector<Operand>&) {
  Array& target = state.x[call.target];
  const std::vector<Part> parts = terms(call);
  Array value = target.get(indices(parts[0]));
  for (std::size_t i = 1; i < parts.size(); ++i) value = ways[call.which].arrays(value, target.get(indices(parts[i])));
  Subscript(target, indices(call.part)) = std::move(value);
}

template <class T>
T combined(std::size_t way, T x, T y) {
  const auto sum = way == 0 ? test::reference::add(test::Tag<T>(), test::widened(x), test::widened(y))
                            : test::reference::subtract(test::Tag<T>(), test::widened(x), test::widened(y));
  if constexpr (test::is_real_float<T>) {
    return test::from_wide<T>(sum);
  } else {
    return static_cast<T>(sum);
  }
}

Verdict check_stencil(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  const Plain& was = sources.back();
  const std::vector<Part> parts = terms(call);
  Plain value = part(was, parts[0], {}), want = was;
  with_type(was.type, [&]<class T>(Tag<T>) {
    if constexpr (!std::is_same_v<T, bool>) {
      for (std::size_t i = 1; i < parts.size(); ++i) {
        const Plain next = part(was, parts[i], {});
        for (std::size_t k = 0; k < value.count(); ++k)
          value.put(k, combined<T>(call.which, value.at<T>(k), next.at<T>(k)));
      }
    }
  });
  const std::vector<std::int64_t> numbers = select(call.part, was.shape).numbers;
  for (std::size_t i = 0; i < numbers.size(); ++i) want.copy_element(static_cast<std::size_t>(numbers[i]), value, i);
  return exactly(got, want);
}

std::string text_of_stencil(const Call& call, const std::vector<std::string>& sources) {
  std::string value;
  for (const Part& each : terms(call)) {
    if (!value.empty()) value += " " + std::string(ways[call.which].sign) + " ";
    value += sources.back() + "(" + fuzz::text(each) + ")";
  }
  return sources.back() + "(" + fuzz::text(call.part) + ") = " + value;
}

}  // namespace

const Family stencils = {.resolve = resolved<Stencil>,
                         .check = check_stencil,
                         .text = text_of_stencil,
                         .perform = apply,
                         .effect = Effect::changes};

}  // namespace koine::fuzz
