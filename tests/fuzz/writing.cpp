// SPDX-License-Identifier: Apache-2.0
// Custom operations, all of them exact: the smaller or the larger of two elements by comparisons; how many elements are
// above zero, or the sum of their positions; and the last element above zero, this one counted or not.
//
// A call's `which` is the operation, `low` the output of the first, `keepdims` of the last that it is exclusive; `type`
// is what operands are brought to.
#include "families.hpp"
#include "print.hpp"
#include "resolution.hpp"

namespace koine::fuzz {
namespace {

enum Operation : std::size_t { ordering, counting, placing, keeping };

class Writing : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    choose();
    return std::move(calls_);
  }

 private:
  void choose() {
    call_.which = step_.p[0] % 4;
    const std::size_t first = x(step_.a);
    if (call_.which == ordering) {
      Shape shape;
      const std::size_t second = beside(step_.b, face(first).shape, &shape).value_or(first);
      const auto sources = matched({ordered(0, first), ordered(1, second)}, [](DType) { return true; });
      call_.type = *common_type(sources, faces_);
      call_.low = step_.p[1] % 2;
      return put(sources);
    }
    const Call::Source source = ordered(0, lengthened(0, first, step_.p[5]));
    const Shape shape = face(source).shape;
    call_.type = face(source).type;
    call_.keepdims = step_.p[2] & 1;
    if (call_.which != keeping) {
      choose_axes(step_.p[1], static_cast<std::int64_t>(shape.size()), step_.p[2] & 4);
    } else if (!shape.empty()) {
      choose_axis(step_.p[1], shape, step_.p[2] & 4);
    } else {
      return;
    }
    put({source});
  }
};

Array result(const Call& call, const std::vector<Operand>& sources) {
  static const ElementwiseKernel order("T x, T y", "T lower, T upper",
                                       "lower = x < y ? x : y;\nupper = CHOSEN(x < y, y, x);", "order",
                                       {.preamble = "#define CHOSEN(c, a, b) ((c) ? (a) : (b))"});
  static const ReductionKernel count("T x", "long y", {.map = "x > 0", .combine = "a + b", .identity = "0"}, "count");
  static const ReductionKernel places("T x", "long y",
                                      {.map = "x > 0 ? i : 0",
                                       .combine = "sum_of(a, b)",
                                       .finish = "a + 1",
                                       .identity = "0",
                                       .preamble = "static long sum_of(long a, long b) { return a + b; }"},
                                      "places");
  static const ScanKernel last("T x", "T y", {.combine = "b > 0 ? b : a", .identity = "0"}, "last"),
      before("T x", "T y", {.combine = "b > 0 ? b : a", .identity = "0", .exclusive = true}, "before");
  const Array x = astype(sources[0].array(), call.type);
  const ReductionOptions options{.axis = call.axis(), .keepdims = call.keepdims};
  switch (call.which) {
    case ordering: return order.outputs(x, astype(sources[1].array(), call.type))[static_cast<std::size_t>(call.low)];
    case counting: return count(x, options);
    case placing: return places(x, options);
    default: return (call.keepdims ? before : last)(x, {.axis = call.axis()});
  }
}

Plain ordered_by(const Call& call, const Plain& x, const Plain& y) {
  Plain want = x;
  with_type(call.type, [&]<class T>(Tag<T>) {
    if constexpr (!test::is_complex_float<T>) {
      for (std::size_t i = 0; i < want.count(); ++i) {
        const bool below = test::widened(x.at<T>(i)) < test::widened(y.at<T>(i));
        want.copy_element(i, below == (call.low == 0) ? x : y, i);
      }
    }
  });
  return want;
}

/// Of each element whether it is above zero.
std::vector<bool> above_zero(const Plain& x) {
  std::vector<bool> result;
  for (const long double value : numbers(x)) result.push_back(value > 0);
  return result;
}

Plain counted(const Call& call, const Plain& x) {
  Shape shape;
  const Lines lines = reduced_lines(call, x.shape, &shape);
  const std::vector<bool> above = above_zero(x);
  Plain want(int64, shape);
  for (std::size_t number = 0; number < lines.size(); ++number) {
    std::int64_t sum = call.which == placing ? 1 : 0;
    for (const std::size_t i : lines[number]) {
      if (above[i]) sum += call.which == placing ? static_cast<std::int64_t>(i) : 1;
    }
    want.put(number, sum);
  }
  return want;
}

Plain kept(const Call& call, const Plain& x) {
  const auto axes = static_cast<std::int64_t>(x.shape.size());
  const std::vector<bool> above = above_zero(x);
  Plain want(x.type, x.shape);
  const Plain zero(x.type, {1});
  for (const std::vector<std::size_t>& line :
       lines_of(x.shape, static_cast<std::size_t>((call.axes[0] + axes) % axes))) {
    std::optional<std::size_t> last;
    for (const std::size_t i : line) {
      if (above[i] && !call.keepdims) last = i;
      // Before the first one above zero an inclusive scan has the identity, too.
      want.copy_element(i, last ? x : zero, last.value_or(0));
      if (above[i]) last = i;
    }
  }
  return want;
}

Verdict check(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  const Plain x = converted(sources[0], call.type);
  if (call.which == ordering) {
    const Shape shape = common_shape(sources);
    return exactly(got, ordered_by(call, broadcast(x, shape), broadcast(converted(sources[1], call.type), shape)));
  }
  return exactly(got, call.which == keeping ? kept(call, x) : counted(call, x));
}

std::string text(const Call& call, const std::vector<std::string>& sources) {
  const std::string x = "kn::astype(" + sources[0] + ", " + constant_of(call.type) + ")";
  const std::string options = "{.axis = " + axis_text(call);
  switch (call.which) {
    case ordering:
      return "kn::ElementwiseKernel(\"T x, T y\", \"T lower, T upper\", \"lower = x < y ? x : y; upper = x < y ? y : "
             "x;\").outputs(" +
             x + ", kn::astype(" + sources[1] + ", " + constant_of(call.type) + "))[" + std::to_string(call.low) + "]";
    case keeping:
      return "kn::ScanKernel(\"T x\", \"T y\", {.combine = \"b > 0 ? b : a\", .identity = \"0\", .exclusive = " +
             std::string(call.keepdims ? "true" : "false") + "})(" + x + ", " + options + "})";
    default:
      return "kn::ReductionKernel(\"T x\", \"long y\", {.map = \"" +
             std::string(call.which == placing ? "x > 0 ? i : 0\", .combine = \"a + b\", .finish = \"a + 1"
                                               : "x > 0\", .combine = \"a + b") +
             "\", .identity = \"0\"})(" + x + ", " + options + (call.keepdims ? ", .keepdims = true" : "") + "})";
  }
}

}  // namespace

const Family writing = {resolved<Writing>, result, check, text};

}  // namespace koine::fuzz
