// SPDX-License-Identifier: Apache-2.0
// Scans: exact for integers, for extremes and wherever no addition rounds; else each result is held to the error of any
// order of additions. Which order it is, is documented, so every way of computing one gives the same bits.
//
// A call's `which` is the scan, `typed` its .dtype, `keepdims` its .include_initial.
#include "families.hpp"
#include "print.hpp"
#include "resolution.hpp"
#include "so_far.hpp"

namespace koine::fuzz {
namespace {

constexpr std::string_view names[] = {"cumulative_sum", "cumulative_prod", "cumulative_max", "cumulative_min"};

class Scanning : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    Call::Source source = lengthened(0, x(step_.a), step_.p[5]);
    const Shape shape = face(source).shape;
    if (shape.empty()) return {};
    call_.which = step_.p[0] % std::size(names);
    choose_axis(step_.p[1], shape, step_.p[2] & 4);
    if (shape.size() == 1 && step_.p[2] & 8) call_.every_axis = true;
    if (call_.which >= largest) {
      source = real(0, source);
    } else {
      call_.keepdims = step_.p[2] & 1;
      call_.type = type(step_.p[3]);
      call_.typed = step_.p[2] & 2 && !is_bool(call_.type) && converts(face(source).type, call_.type);
    }
    put({source});
    return std::move(calls_);
  }
};

Array result(const Call& call, const std::vector<Operand>& sources) {
  const CumulativeOptions options{.axis = call.axis(),
                                  .dtype = call.typed ? std::optional(call.type) : std::nullopt,
                                  .include_initial = call.keepdims};
  switch (call.which) {
    case sums: return cumulative_sum(sources[0], options);
    case products: return cumulative_prod(sources[0], options);
    case largest: return cumulative_max(sources[0], {call.axis()});
    default: return cumulative_min(sources[0], {call.axis()});
  }
}

Verdict check(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  DType type = sources[0].type;
  if (call.which < largest) {
    type = call.typed ? call.type : counting_type(type);
  }
  const Plain x = converted(sources[0], type);
  const auto axes = static_cast<std::int64_t>(x.shape.size());
  const auto axis = static_cast<std::size_t>(call.every_axis ? 0 : (call.axes[0] + axes) % axes);
  Shape shape = x.shape;
  if (call.keepdims) ++shape[axis];
  if (const std::string wrong = unlike(got, type, shape); !wrong.empty()) return {wrong};
  const Lines from = lines_of(x.shape, axis), to = lines_of(shape, axis);
  Verdict verdict;
  with_type(type, [&]<class T>(Tag<T>) {
    for (std::size_t line = 0; line < to.size(); ++line) {
      SoFar<T> so_far(static_cast<Combining>(call.which));
      for (std::size_t i = 0; i < to[line].size(); ++i) {
        const std::size_t added = call.keepdims ? i : i + 1;
        if (added > 0) so_far.add(x.at<T>(from[line][added - 1]));
        std::string wanted;
        if (so_far.met_by(got.at<T>(to[line][i]), &wanted)) continue;
        verdict.wrong = std::string(names[call.which]) + " of " + std::to_string(added) + " elements: element " +
                        std::to_string(to[line][i]) + " is " + element_text(got, to[line][i]) + ", expected " + wanted;
        return;
      }
    }
  });
  return verdict;
}

std::string text(const Call& call, const std::vector<std::string>& sources) {
  std::string options = "{.axis = " + axis_text(call);
  if (call.typed) options += ", .dtype = " + constant_of(call.type);
  if (call.keepdims) options += ", .include_initial = true";
  return "kn::" + std::string(names[call.which]) + "(" + sources[0] + ", " + options + "})";
}

}  // namespace

const Family scanning = {resolved<Scanning>, result, check, text};

}  // namespace koine::fuzz
