// SPDX-License-Identifier: Apache-2.0
// Quantiles: between two neighbours in order.
//
// A call's `which` is the function, `low` and `high` its fractions in 256ths, so that places among the elements are
// exact.
#include <algorithm>
#include <cmath>

#include "families.hpp"
#include "print.hpp"
#include "resolution.hpp"
#include "support/judge.hpp"

namespace koine::fuzz {
namespace {

enum Function : std::size_t { medians, singles, percents, pairs, functions };

class Quantiles : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    const Call::Source source = ordered(0, lengthened(0, x(step_.a), step_.p[5]));
    const Shape shape = face(source).shape;
    if (shape.elements() == 0) return {};
    call_.which = step_.p[0] % functions;
    choose_axes(step_.p[1], static_cast<std::int64_t>(shape.size()), step_.p[2] & 4);
    call_.keepdims = step_.p[2] & 1;
    const auto fraction = [](std::uint8_t byte) -> std::int64_t { return byte == 255 ? 256 : byte; };
    call_.low = call_.which == medians ? 128 : fraction(step_.p[3]);
    call_.high = fraction(step_.p[4]);
    if (call_.which == pairs && shape.size() > 5) call_.which = singles;
    put({source});
    return std::move(calls_);
  }
};

double fraction(std::int64_t number) { return static_cast<double>(number) / 256; }
double percent(std::int64_t number) { return static_cast<double>(number) * 100 / 256; }

Array result(const Call& call, const std::vector<Operand>& sources) {
  const ReductionOptions options{.axis = call.axis(), .keepdims = call.keepdims};
  switch (call.which) {
    case medians: return median(sources[0], options);
    case singles: return quantile(sources[0], fraction(call.low), options);
    case percents: return percentile(sources[0], percent(call.low), options);
    default: return quantile(sources[0], std::vector<double>{fraction(call.low), fraction(call.high)}, options);
  }
}

/// Whether `got`, stored as F, is the quantile of numbers in order, of which none is a NaN.
template <class F>
bool is_quantile(long double got, const std::vector<long double>& sorted, std::int64_t number, long double* want) {
  using Computed = std::conditional_t<test::is_small_float<F>, float, F>;
  const double place = fraction(number) * static_cast<double>(sorted.size() - 1);
  const auto first = static_cast<std::size_t>(place);
  const long double a = sorted[first], t = static_cast<long double>(place) - static_cast<long double>(first);
  if (t == 0) return within<F>(got, *want = a, 0);
  const long double b = sorted[first + 1];
  *want = std::isfinite(a) && std::isfinite(b) ? a + (b - a) * t : a * (1 - t) + b * t;
  return within<F>(got, *want,
                   4 * test::epsilon<Computed>() * (std::abs(a) + std::abs(b)) + test::smallest<Computed>());
}

Verdict check(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  const Plain& x = sources[0];
  const DType type = is_real_floating(x.type) ? x.type : float32;
  Shape shape;
  const Lines lines = reduced_lines(call, x.shape, &shape);
  const std::vector<long double> elements = numbers(x);
  std::vector<std::int64_t> fractions = {call.low};
  Shape all = shape;
  if (call.which == pairs) {
    fractions.push_back(call.high);
    all.insert(0, 2);
  }
  if (const std::string wrong = unlike(got, type, all); !wrong.empty()) return {wrong};
  Verdict verdict;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    std::vector<long double> values;
    for (const std::size_t i : lines[line]) values.push_back(elements[i]);
    const bool none = std::any_of(values.begin(), values.end(), [](long double value) { return std::isnan(value); });
    if (!none) std::sort(values.begin(), values.end());
    for (std::size_t k = 0; k < fractions.size(); ++k) {
      const std::size_t i = k * lines.size() + line;
      with_type(type, [&]<class F>(Tag<F>) {
        if constexpr (test::is_real_float<F>) {
          const long double number = test::widened(got.at<F>(i));
          long double want = std::numeric_limits<long double>::quiet_NaN();
          if (none ? std::isnan(number) : is_quantile<F>(number, values, fractions[k], &want)) return;
          verdict.wrong = "element " + std::to_string(i) + " is " + element_text(got, i) + ", expected " +
                          test::shown(std::complex<long double>(want));
        }
      });
      if (!verdict.wrong.empty()) return verdict;
    }
  }
  return verdict;
}

std::string text(const Call& call, const std::vector<std::string>& sources) {
  const std::string options = ", {.axis = " + axis_text(call) + (call.keepdims ? ", .keepdims = true})" : "})");
  const auto of_256 = [](std::int64_t number) { return std::to_string(number) + " / 256.0"; };
  switch (call.which) {
    case medians: return "kn::median(" + sources[0] + options;
    case singles: return "kn::quantile(" + sources[0] + ", " + of_256(call.low) + options;
    case percents: return "kn::percentile(" + sources[0] + ", " + of_256(100 * call.low) + options;
    default:
      return "kn::quantile(" + sources[0] + ", std::vector<double>{" + of_256(call.low) + ", " + of_256(call.high) +
             "}" + options;
  }
}

}  // namespace

const Family quantiles = {resolved<Quantiles>, result, check, text};

}  // namespace koine::fuzz
