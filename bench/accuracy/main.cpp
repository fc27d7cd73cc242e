// SPDX-License-Identifier: Apache-2.0
// koine_accuracy: measures every real element-wise function of the op table on the default device (KOINE_DEVICE picks
// it) against the tests' references in long double, and prints docs/accuracy.md.
#include <koine/koine.hpp>

#include <algorithm>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

#include "points.hpp"
#include "report.hpp"
#include "support/judge.hpp"

namespace koine::accuracy {
namespace {

/// An infinity as the number after the largest, so that a result just past the end of the range is just off.
template <class T>
long double clipped(long double x) {
  const long double past = std::scalbn(1.0L, test::Format<T>::max_exponent + 1);
  return std::clamp(x, -past, past);
}

template <class T>
double error_of(long double got, long double want) {
  if (std::isnan(got) && std::isnan(want)) return 0;
  if (std::isnan(got) || std::isnan(want)) return INFINITY;
  if (std::isinf(got) != std::isinf(test::rounded<T>(want)) &&
      std::abs(clipped<T>(got) - clipped<T>(want)) > 64 * test::ulp<T>(test::largest<T>())) {
    return INFINITY;
  }
  const long double bounded = clipped<T>(want), inside = std::clamp(want, -test::largest<T>(), test::largest<T>());
  return static_cast<double>(std::abs(clipped<T>(got) - bounded) / test::ulp<T>(inside));
}

template <class T>
std::string text_of(T x) {
  std::ostringstream text;
  text.precision(std::is_same_v<T, double> ? 17 : 9);
  text << static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(x);
  return text.str();
}

template <class T, class F, class... W>
long double wanted(const F& reference, W... x) {
  if constexpr (std::is_invocable_v<const F&, test::Tag<T>, W...>) {
    return reference(test::Tag<T>{}, x...);
  } else {
    return reference(x...);
  }
}

template <class T>
struct Inputs {
  Points<T> points;
  Array x1, x2;
};

template <class T>
Inputs<T> inputs(Points<T> points) {
  Array x1 = asarray(points.x1), x2 = asarray(points.x2);
  return {std::move(points), std::move(x1), std::move(x2)};
}

template <int Arity, class T, class F, class Function>
Finding measure(std::string_view name, const F& reference, Function function, const Inputs<T>& in) {
  std::vector<T> got;
  if constexpr (Arity == 1) {
    got = function(in.x1).template to_vector<T>();
  } else {
    got = function(in.x1, in.x2).template to_vector<T>();
  }
  Finding worst{default_device().vendor(), std::string(name), std::string(koine::name(dtype_of<T>)), 0, ""};
  for (std::size_t i = 0; i < got.size(); ++i) {
    const T a = in.points.x1[i], b = in.points.x2[i];
    long double want;
    if constexpr (Arity == 1) {
      want = wanted<T>(reference, test::widened(a));
    } else {
      want = wanted<T>(reference, test::widened(a), test::widened(b));
    }
    const double error = error_of<T>(test::widened(got[i]), want);
    if (error <= worst.ulps) continue;
    worst.ulps = error;
    worst.input = Arity == 1 ? text_of(a) : text_of(a) + ", " + text_of(b);
  }
  return worst;
}

/// The worse of what the common points and the function's own show.
template <int Arity, class T, class F, class Function>
Finding measure_closely(std::string_view name, const F& reference, Function function, const Inputs<T>& common) {
  const Inputs<T> own = inputs(closer_points<T>(name, std::size_t{1} << 19));
  const Finding one = measure<Arity>(name, reference, function, common);
  const Finding two = measure<Arity>(name, reference, function, own);
  return one.ulps < two.ulps ? two : one;
}

template <test::domain::Domain D, test::result::Result R, class T>
constexpr bool gives_reals =
    std::is_same_v<decltype(test::compute_type<D, T>()), test::Tag<T>>&& R != test::result::boolean;

template <class T>
void measure_all(std::vector<Finding>& findings, std::vector<std::string>& functions) {
  if (!default_device().has_fp64() && dtype_of<T> == float64) return;
  const Inputs<T> in = inputs(points<T>(std::size_t{1} << 20));
  functions.clear();
#define KN_OP(name, arity, takes, gives, ...)                                                  \
  if constexpr (gives_reals<test::domain::takes, test::result::gives, T>) {                    \
    functions.push_back(#name);                                                                \
    findings.push_back(measure_closely<arity>(#name, test::reference::name, koine::name, in)); \
    std::cerr << #name << ' ' << findings.back().type << ' ' << findings.back().ulps << '\n';  \
  }
#include "graph/ops.def"
}

int run(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: koine_accuracy FILE.tsv > PAGE.md\n";
    return 2;
  }
  std::vector<Finding> measured;
  std::vector<std::string> functions;
  measure_all<float16_t>(measured, functions);
  measure_all<bfloat16_t>(measured, functions);
  measure_all<double>(measured, functions);
  measure_all<float>(measured, functions);
  std::vector<Finding> findings = load(arguments[1]);
  const auto own = [](const Finding& f) { return f.device == default_device().vendor(); };
  const auto column = std::find_if(findings.begin(), findings.end(), own) - findings.begin();
  std::erase_if(findings, own);
  findings.insert(findings.begin() + column, measured.begin(), measured.end());
  save(arguments[1], findings);
  print_page(functions, findings);
  return 0;
}

}  // namespace
}  // namespace koine::accuracy

int main(int count, char** arguments) {
  try {
    return koine::accuracy::run(count, arguments);
  } catch (const std::exception& error) {
    std::cerr << "koine_accuracy: " << error.what() << '\n';
    return 1;
  }
}
