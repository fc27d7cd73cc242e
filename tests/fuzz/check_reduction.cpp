// SPDX-License-Identifier: Apache-2.0
// Reductions: exact for integers, for extremes and wherever no addition rounds; else within the error of any order of
// additions.
#include <algorithm>
#include <cmath>
#include <limits>

#include "bounds.hpp"

namespace koine::fuzz {

Lines reduced_lines(const Call& call, const Shape& shape, Shape* result) {
  std::vector<bool> along(shape.size(), call.every_axis);
  for (const std::int64_t axis : call.axes) {
    along[static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(shape.size()) : axis)] = true;
  }
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (!along[axis] || call.keepdims) result->push_back(along[axis] ? 1 : shape[axis]);
  }
  return lines_of(shape, along);
}

namespace {

using test::is_complex_float;
using test::is_real_float;
using test::is_small_float;
using test::widened;

constexpr long double not_a_number = std::numeric_limits<long double>::quiet_NaN();

template <class T>
Wanted sum_of(const std::vector<long double>& terms) {
  Sum<T> sum;
  for (const long double term : terms) sum.add(term);
  return sum.wanted();
}

template <class T>
Wanted product_of(const std::vector<long double>& factors) {
  Product<T> product;
  for (const long double factor : factors) product.add(factor);
  return product.wanted();
}

template <class T>
Wanted mean_of(const std::vector<long double>& terms, long double divisor) {
  Wanted wanted = sum_of<T>(terms);
  const bool exact = wanted.error == 0;
  wanted.value = test::rounded<Kept<T>>(wanted.value) / divisor;
  wanted.error /= divisor;
  // Single precision may divide with an error of 3 ulps.
  const double ulps = std::is_same_v<T, double> ? 0 : 3;
  if (is_small_float<T>) {
    wanted.error += ulps * test::ulp<float>(wanted.value);
  } else {
    wanted.ulps = ulps;
  }
  if (exact && divisor == 0) wanted.error = 0;
  return wanted;
}

/// The variance by two passes, or its root.
template <class T>
Wanted spread_of(const std::vector<long double>& terms, long double divisor, bool root) {
  using K = Kept<T>;
  const auto count = static_cast<long double>(terms.size());
  Wanted wanted;
  wanted.loose = true;
  if (terms.empty()) return {not_a_number};
  long double sum = 0, size = 0, squares = 0;
  for (const long double x : terms) sum += x, size += std::abs(x);
  const long double mean = sum / count, epsilon = test::epsilon<K>();
  for (const long double x : terms) squares += (x - mean) * (x - mean);
  if (!std::isfinite(sum)) return wanted.value = not_a_number, wanted;
  wanted.any = !(size < test::largest<K>() / 4) || !(squares < test::largest<K>() / 4) ||
               (squares > 0 && squares < test::smallest_normal<K>() / epsilon) ||
               (size > 0 && size < test::smallest_normal<K>() / epsilon);
  // The mean is off by `shift`, each difference by an ulp of itself; then as every sum.
  const long double shift = (count + 4) * epsilon * size / count;
  const long double off = count * shift * shift + 2 * epsilon * shift * size + (count + 12) * epsilon * squares +
                          4 * epsilon * epsilon * size * size;
  wanted.value = squares / divisor;
  wanted.error = off / divisor;
  if (divisor == 0) wanted.any = true;  // 0 / 0, or what rounding made of the 0 above
  if (!root) return wanted;
  const long double above = std::sqrt(wanted.value + wanted.error) - std::sqrt(wanted.value);
  const long double below = std::sqrt(wanted.value) - std::sqrt(std::max(wanted.value - wanted.error, 0.0L));
  wanted.error = std::max(above, below) + 4 * test::ulp<K>(std::sqrt(wanted.value) + above);
  wanted.value = std::sqrt(wanted.value);
  return wanted;
}

class Reduced {
 public:
  Reduced(const Call& call, const Plain& x, const Plain& got)
      : call_(call),
        got_(got),
        kind_(static_cast<Reduction>(call.which)),
        x_(prepared(x)),
        lines_(reduced_lines(call, x.shape, &shape_)) {}

  Verdict verdict() {
    const DType type = result_type();
    if (const std::string wrong = unlike(got_, type, shape_); !wrong.empty()) return {wrong};
    Verdict verdict;
    for (std::size_t i = 0; i < lines_.size() && verdict.wrong.empty(); ++i) {
      std::string wanted;
      const bool right = with_type(x_.type, [&]<class T>(Tag<T>) { return line<T>(i, &wanted, &verdict.loose); });
      if (!right) {
        verdict.wrong = std::string(reductions[call_.which]) + " of " + std::to_string(lines_[i].size()) +
                        " elements: element " + std::to_string(i) + " is " + element_text(got_, i) + ", expected " +
                        wanted;
      }
    }
    return verdict;
  }

 private:
  /// What is reduced, in the type that it is reduced in.
  Plain prepared(const Plain& x) const {
    using enum Reduction;
    const bool integral = is_bool(x.type) || is_integer(x.type);
    switch (kind_) {
      case sum:
      case prod:
        if (call_.typed) return converted(x, call_.type);
        return is_unsigned_integer(x.type) ? converted(x, uint64) : integral ? converted(x, int64) : x;
      case mean:
      case var:
      case Reduction::std: return integral ? converted(x, float32) : x;
      case any:
      case all:
      case count_nonzero: return converted(x, bool_);
      default: return x;
    }
  }

  DType result_type() const {
    using enum Reduction;
    if (kind_ == any || kind_ == all) return bool_;
    return kind_ == count_nonzero || is_position(kind_) ? int64 : x_.type;
  }

  template <class T>
  bool line(std::size_t index, std::string* wanted, bool* loose) const {
    using enum Reduction;
    const std::vector<std::size_t>& elements = lines_[index];
    const auto is = [&](auto want) {
      *wanted = test::shown(want);
      return got_.at<decltype(want)>(index) == want;
    };
    if (kind_ == any || kind_ == all || kind_ == count_nonzero) {
      std::int64_t count = 0;
      for (const std::size_t i : elements) count += x_.at<bool>(i);
      if (kind_ == count_nonzero) return is(count);
      return is(kind_ == any ? count > 0 : count == static_cast<std::int64_t>(elements.size()));
    }
    if constexpr (std::is_integral_v<T>) {
      if (kind_ == sum || kind_ == prod) {
        std::uint64_t result = kind_ == prod;
        for (const std::size_t i : elements) {
          const auto value = static_cast<std::uint64_t>(x_.at<T>(i));
          result = kind_ == sum ? result + value : result * value;
        }
        return is(static_cast<T>(result));
      }
    }
    if constexpr (!is_complex_float<T>) {
      if (kind_ == max || kind_ == min || is_position(kind_)) return extreme<T>(index, wanted);
    }
    if constexpr (is_real_float<T>) return wanted_of<T>(terms<T>(elements)).met_by(got_.at<T>(index), wanted, loose);
    if constexpr (is_complex_float<T>) return complex_line<T>(index, wanted, loose);
    return false;
  }

  template <class T>
  std::vector<long double> terms(const std::vector<std::size_t>& elements) const {
    std::vector<long double> result;
    for (const std::size_t i : elements) result.push_back(widened(x_.at<T>(i)));
    return result;
  }

  template <class T>
  Wanted wanted_of(const std::vector<long double>& terms) const {
    const auto count = static_cast<long double>(terms.size());
    switch (kind_) {
      case Reduction::sum: return sum_of<T>(terms);
      case Reduction::prod: return product_of<T>(terms);
      case Reduction::mean: return mean_of<T>(terms, count);
      default:
        return spread_of<T>(terms, std::max(count - static_cast<long double>(call_.low), 0.0L),
                            kind_ == Reduction::std);
    }
  }

  template <class T>
  bool extreme(std::size_t index, std::string* wanted) const {
    const bool largest = kind_ == Reduction::max || kind_ == Reduction::argmax;
    std::size_t best = 0;
    const std::vector<std::size_t>& elements = lines_[index];
    for (std::size_t k = 1; k < elements.size(); ++k) {
      const auto x = widened(x_.at<T>(elements[k])), y = widened(x_.at<T>(elements[best]));
      if (y != y) break;
      if (x != x || (largest ? x > y : x < y)) best = k;
    }
    if (is_position(kind_)) {
      *wanted = std::to_string(best);
      return got_.at<std::int64_t>(index) == static_cast<std::int64_t>(best);
    }
    const T want = x_.at<T>(elements[best]), got = got_.at<T>(index);
    *wanted = test::shown(want);
    return got == want || (want != want && got != got);
  }

  template <class T>
  bool complex_line(std::size_t index, std::string* wanted, bool* loose) const {
    using P = typename T::value_type;
    const std::vector<std::size_t>& elements = lines_[index];
    std::vector<long double> real, imag;
    for (const std::size_t i : elements) {
      real.push_back(x_.at<T>(i).real());
      imag.push_back(x_.at<T>(i).imag());
    }
    const T got = got_.at<T>(index);
    if (kind_ != Reduction::prod) {
      return wanted_of<P>(real).met_by(got.real(), wanted, loose) &&
             wanted_of<P>(imag).met_by(got.imag(), wanted, loose);
    }
    ComplexProduct<T> product;
    for (const std::size_t i : elements) product.add(x_.at<T>(i));
    *loose = true;
    return product.met_by(got, wanted);
  }

  const Call& call_;
  const Plain& got_;
  const Reduction kind_;
  const Plain x_;
  Shape shape_;  // of the result
  const Lines lines_;
};

}  // namespace

Verdict check_reduction(const Call& call, const Plain& x, const Plain& got) { return Reduced(call, x, got).verdict(); }

}  // namespace koine::fuzz
