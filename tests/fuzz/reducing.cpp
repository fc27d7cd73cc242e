// SPDX-License-Identifier: Apache-2.0
// Reductions and matrix products.
//
// Of a reduction `which` is the row of `reductions`, `low` the correction of var and std.
#include <algorithm>

#include "families.hpp"
#include "print.hpp"
#include "resolution.hpp"

namespace koine::fuzz {
namespace {

class Reducing : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    choose();
    return std::move(calls_);
  }

 private:
  void choose() {
    Call::Source source = x(step_.a);
    const Shape shape = face(source).shape;
    const auto axes = static_cast<std::int64_t>(shape.size());
    call_.which = step_.p[0] % std::size(reductions);
    const auto kind = static_cast<Reduction>(call_.which);
    call_.keepdims = step_.p[2] & 1;
    if (is_position(kind)) {
      const std::int64_t axis = step_.p[1] % (axes + 1);
      if (axis > 0) call_.axes.push_back(step_.p[2] & 4 ? axis - 1 - axes : axis - 1);
      call_.every_axis = axis == 0;
    } else {
      choose_axes(step_.p[1], axes, step_.p[2] & 4);
    }
    std::int64_t count = 1;
    for (std::int64_t axis = 0; axis < axes; ++axis) {
      const bool reduced = std::any_of(call_.axes.begin(), call_.axes.end(),
                                       [&](std::int64_t a) { return a == axis || a == axis - axes; });
      if (call_.every_axis || reduced) count *= shape[static_cast<std::size_t>(axis)];
    }
    const bool extreme = kind == Reduction::max || kind == Reduction::min || is_position(kind);
    if (extreme && count == 0) return;
    if (extreme) source = real(0, source);
    const bool spread = kind == Reduction::var || kind == Reduction::std;
    if (spread && is_complex(face(source).type)) source = as(0, source, float32);
    if (spread) call_.low = step_.p[4] % 2;
    if ((kind == Reduction::sum || kind == Reduction::prod) && step_.p[2] & 2) {
      call_.type = type(step_.p[3]);
      call_.typed = !is_bool(call_.type) && converts(face(source).type, call_.type);
    }
    put({source});
  }
};

Array reduce(const Call& call, const std::vector<Operand>& sources) {
  const Operand& x = sources[0];
  const ReductionOptions options{.axis = call.axis(), .keepdims = call.keepdims};
  const SumOptions sum_options{
      .axis = call.axis(), .dtype = call.typed ? std::optional(call.type) : std::nullopt, .keepdims = call.keepdims};
  const VarianceOptions variance{
      .axis = call.axis(), .correction = static_cast<double>(call.low), .keepdims = call.keepdims};
  const ArgOptions position{.axis = call.axis(), .keepdims = call.keepdims};
  switch (static_cast<Reduction>(call.which)) {
    case Reduction::sum: return sum(x, sum_options);
    case Reduction::prod: return prod(x, sum_options);
    case Reduction::max: return max(x, options);
    case Reduction::min: return min(x, options);
    case Reduction::mean: return mean(x, options);
    case Reduction::var: return var(x, variance);
    case Reduction::std: return koine::std(x, variance);
    case Reduction::any: return any(x, options);
    case Reduction::all: return all(x, options);
    case Reduction::count_nonzero: return count_nonzero(x, options);
    case Reduction::argmax: return argmax(x, position);
    default: return argmin(x, position);
  }
}

Verdict check_reduced(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  return check_reduction(call, sources[0], got);
}

std::string text_of_reduced(const Call& call, const std::vector<std::string>& sources) {
  std::string options = "{.axis = " + axis_text(call);
  if (call.typed) options += ", .dtype = " + constant_of(call.type);
  if (call.low != 0) options += ", .correction = " + std::to_string(call.low);
  if (call.keepdims) options += ", .keepdims = true";
  return "kn::" + std::string(reductions[call.which]) + "(" + sources[0] + ", " + options + "})";
}

class Multiplying : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    choose();
    return std::move(calls_);
  }

 private:
  void choose() {
    const auto cost = [](const Shape& a, const Shape& b) -> std::int64_t {  // of nothing that fits: none
      if (a.empty() || b.empty()) return -1;
      const std::int64_t inner = a.back(), other = b.size() == 1 ? b[0] : b[b.size() - 2];
      if (inner != other) return -1;
      Shape outer_a = a, outer_b = b, batch;
      for (int i = 0; i < 2 && !outer_a.empty(); ++i) outer_a.erase(outer_a.size() - 1);
      for (int i = 0; i < 2 && !outer_b.empty(); ++i) outer_b.erase(outer_b.size() - 1);
      if (!broadcasts(outer_a, outer_b, &batch)) return -1;
      const std::int64_t rows = a.size() == 1 ? 1 : a[a.size() - 2], columns = b.size() == 1 ? 1 : b.back();
      return batch.elements() * rows * columns > most_elements ? -1 : batch.elements() * rows * columns * inner;
    };
    constexpr std::int64_t most_work = 1 << 21;
    const auto numeric = [](DType type) { return !is_bool(type); };
    const std::size_t first = x(step_.a);
    const auto fits = [&](const Shape& other) {
      const std::int64_t work = cost(face(first).shape, other);
      return work >= 0 && work <= most_work;
    };
    for (std::size_t i = 0; i < named; ++i) {
      const std::size_t second = (step_.b + i) % named;
      if (!fits(face(second).shape)) continue;
      return put(matched({first, second}, numeric));
    }
    Shape turned = face(first).shape;
    if (turned.size() < 2) return;
    std::swap(turned[turned.size() - 1], turned[turned.size() - 2]);
    if (!fits(turned)) return;
    Call transpose;
    transpose.kind = Kind::permute;
    transpose.which = 1;
    transpose.sources = {first};
    const Call::Source second = spare(2, std::move(transpose), {face(first).type, turned});
    put(matched({first, second}, numeric));
  }
};

Array multiply(const Call&, const std::vector<Operand>& sources) {
  return matmul(sources[0].array(), sources[1].array());
}

Verdict check_multiplied(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  const DType type = *common_type(call, sources);
  return check_product(type, converted(sources[0], type), converted(sources[1], type), got);
}

std::string text_of_multiplied(const Call&, const std::vector<std::string>& sources) {
  return "kn::matmul(" + together(sources) + ")";
}

}  // namespace

const Family reducing = {resolved<Reducing>, reduce, check_reduced, text_of_reduced};
const Family multiplying = {resolved<Multiplying>, multiply, check_multiplied, text_of_multiplied};

}  // namespace koine::fuzz
