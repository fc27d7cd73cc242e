// SPDX-License-Identifier: Apache-2.0
// Reductions and matrix products: exact for integers, for extremes and wherever no addition rounds; else within the
// error of any order of additions.
#include <algorithm>
#include <cmath>
#include <limits>

#include "check.hpp"
#include "support/judge.hpp"

namespace koine::fuzz {
namespace {

using test::is_complex_float;
using test::is_real_float;
using test::is_small_float;
using test::widened;

constexpr long double not_a_number = std::numeric_limits<long double>::quiet_NaN();

/// The type that sums of T are kept in.
template <class T>
using Kept = std::conditional_t<is_small_float<T>, float, T>;

/// The lines that a reduction goes along: for each result the numbers of its elements, in row-major order.
struct Lines {
  Shape shape;  // of the result
  std::vector<std::vector<std::size_t>> elements;
};

Lines lines_of(const Call& call, const Shape& shape) {
  Shape kept = shape;
  std::vector<bool> reduced(shape.size(), call.every_axis);
  for (const std::int64_t axis : call.axes) {
    reduced[static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(shape.size()) : axis)] = true;
  }
  Lines lines;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (reduced[axis]) kept[axis] = 1;
    if (!reduced[axis] || call.keepdims) lines.shape.push_back(kept[axis]);
  }
  lines.elements.resize(static_cast<std::size_t>(kept.elements()));
  for (std::size_t i = 0, count = static_cast<std::size_t>(shape.elements()); i < count; ++i) {
    std::size_t rest = i, line = 0, scale = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      const auto size = static_cast<std::size_t>(shape[axis]);
      if (!reduced[axis]) line += rest % size * scale, scale *= size;
      rest /= size;
    }
    lines.elements[line].push_back(i);
  }
  return lines;
}

/// What a real result may be.
struct Wanted {
  long double value = 0, error = 0;
  double ulps = 0;
  bool any = false;    // nothing is promised
  bool loose = false;  // other bits are right too
};

template <class T>
Wanted sum_of(const std::vector<long double>& terms) {
  Total<Kept<T>> total;
  for (const long double term : terms) total.add(term);
  Wanted wanted{total.sum, total.error()};
  wanted.loose = !total.exact();
  wanted.any = std::isfinite(total.sum) ? total.may_overflow() : false;
  // Beside an infinity, finite terms may still overflow to the other one.
  if (!std::isfinite(total.sum)) {
    long double finite = 0;
    for (const long double term : terms) finite += std::isfinite(term) ? std::abs(term) : 0;
    wanted.any = !(finite <= test::largest<Kept<T>>() / 2);
  }
  return wanted;
}

template <class T>
Wanted product_of(const std::vector<long double>& factors) {
  long double product = 1, high = 0, low = 0;  // how far partial products may go, in powers of two
  bool special = false, whole = true;
  for (const long double x : factors) {
    product *= x;
    if (x == 0 || !std::isfinite(x)) {
      special = true;
      continue;
    }
    const long double power = std::log2(std::abs(x));
    high += std::max(power, 0.0L);
    low += std::min(power, 0.0L);
    whole = whole && x == std::trunc(x);
  }
  using Format = test::Format<Kept<T>>;
  Wanted wanted{product};
  wanted.any = high > Format::max_exponent - 1 || low < Format::min_exponent + 1;
  const bool exact = whole && high < Format::digits;
  wanted.loose = wanted.any || !exact;
  if (!exact && !special && !wanted.any)
    wanted.error = std::abs(product) * static_cast<long double>(factors.size() + 1) * test::epsilon<Kept<T>>();
  return wanted;
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
        lines_(lines_of(call, x.shape)) {}

  Verdict verdict() {
    const DType type = result_type();
    if (got_.type != type)
      return {"the type is " + std::string(name(got_.type)) + ", expected " + std::string(name(type))};
    if (got_.shape != lines_.shape)
      return {"the shape is " + to_string(got_.shape) + ", expected " + to_string(lines_.shape)};
    Verdict verdict;
    for (std::size_t i = 0; i < lines_.elements.size() && verdict.wrong.empty(); ++i) {
      std::string wanted;
      const bool right = with_type(x_.type, [&]<class T>(Tag<T>) { return line<T>(i, &wanted, &verdict.loose); });
      if (!right) {
        verdict.wrong = std::string(reductions[call_.which]) + " of " + std::to_string(lines_.elements[i].size()) +
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
    const std::vector<std::size_t>& elements = lines_.elements[index];
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
    if constexpr (is_real_float<T>) return near<T>(got_.at<T>(index), wanted_of<T>(terms<T>(elements)), wanted, loose);
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
  static bool near(T got, const Wanted& want, std::string* wanted, bool* loose) {
    *loose = *loose || want.loose;
    *wanted = test::shown(std::complex<long double>(want.value)) + " within " +
              test::shown(std::complex<long double>(want.error));
    return want.any || within<T>(widened(got), want.value, want.error, want.ulps);
  }

  template <class T>
  bool extreme(std::size_t index, std::string* wanted) const {
    const bool largest = kind_ == Reduction::max || kind_ == Reduction::argmax;
    std::size_t best = 0;
    const std::vector<std::size_t>& elements = lines_.elements[index];
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
    const std::vector<std::size_t>& elements = lines_.elements[index];
    std::vector<long double> real, imag;
    for (const std::size_t i : elements) {
      real.push_back(x_.at<T>(i).real());
      imag.push_back(x_.at<T>(i).imag());
    }
    const T got = got_.at<T>(index);
    if (kind_ != Reduction::prod) {
      return near<P>(got.real(), wanted_of<P>(real), wanted, loose) &&
             near<P>(got.imag(), wanted_of<P>(imag), wanted, loose);
    }
    std::complex<long double> product = 1;
    std::vector<long double> sizes;
    bool finite = true;
    for (std::size_t i = 0; i < real.size(); ++i) {
      product *= std::complex<long double>(real[i], imag[i]);
      sizes.push_back(std::hypot(real[i], imag[i]));
      finite = finite && std::isfinite(sizes.back()) && sizes.back() > 0;
    }
    *loose = true;
    const Wanted size = product_of<P>(sizes);
    if (!finite || size.any) return true;
    // The parts may cancel down to what is lost below the smallest number.
    const long double error = 4 * static_cast<long double>(real.size() + 1) * test::epsilon<P>() * std::abs(product);
    *wanted = test::shown(product);
    return within<P>(got.real(), product.real(), error) && within<P>(got.imag(), product.imag(), error);
  }

  const Call& call_;
  const Plain& got_;
  const Reduction kind_;
  const Plain x_;
  const Lines lines_;
};

/// A product's element (row, column) of one matrix of the batch; `a(k)` and `b(k)` number what it multiplies.
template <class T, class A, class B>
bool check_dot(const Plain& x1, const Plain& x2, std::size_t inner, A a, B b, T got, std::string* wanted, bool* loose) {
  if constexpr (std::is_same_v<T, bool>) {
    return false;
  } else if constexpr (std::is_integral_v<T>) {
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < inner; ++k)
      sum += static_cast<std::uint64_t>(x1.at<T>(a(k))) * static_cast<std::uint64_t>(x2.at<T>(b(k)));
    *wanted = test::shown(static_cast<T>(sum));
    return got == static_cast<T>(sum);
  } else {
    const auto part = [&]<class P>(Tag<P>, P value, auto add_terms) {
      Total<Kept<P>> total;
      add_terms(total);
      *loose = *loose || !total.exact();
      *wanted = test::shown(std::complex<long double>(total.sum)) + " within " +
                test::shown(std::complex<long double>(total.error()));
      if (total.may_overflow() || !std::isfinite(total.sum)) return true;
      // Products below the smallest number lose what is left of them.
      const long double lost = total.exact() ? 0 : static_cast<long double>(total.count) * test::smallest<Kept<P>>();
      return within<P>(widened(value), total.sum, 2 * total.error() + lost);
    };
    if constexpr (is_complex_float<T>) {
      using P = typename T::value_type;
      return part(Tag<P>{}, got.real(),
                  [&](auto& total) {
                    for (std::size_t k = 0; k < inner; ++k) {
                      const auto x = widened(x1.at<T>(a(k))), y = widened(x2.at<T>(b(k)));
                      total.add(x.real() * y.real());
                      total.add(-x.imag() * y.imag());
                    }
                  }) &&
             part(Tag<P>{}, got.imag(), [&](auto& total) {
               for (std::size_t k = 0; k < inner; ++k) {
                 const auto x = widened(x1.at<T>(a(k))), y = widened(x2.at<T>(b(k)));
                 total.add(x.real() * y.imag());
                 total.add(x.imag() * y.real());
               }
             });
    } else {
      return part(Tag<T>{}, got, [&](auto& total) {
        for (std::size_t k = 0; k < inner; ++k) total.add(widened(x1.at<T>(a(k))) * widened(x2.at<T>(b(k))));
      });
    }
  }
}

}  // namespace

Verdict check_reduction(const Call& call, const Plain& x, const Plain& got) { return Reduced(call, x, got).verdict(); }

Verdict check_product(DType type, const Plain& x1, const Plain& x2, const Plain& got) {
  Plain a = x1, b = x2;
  if (x1.shape.size() == 1) a.shape.insert(0, 1);
  if (x2.shape.size() == 1) b.shape.push_back(1);
  const auto matrix = [](Shape& shape) {  // takes the last two sizes off
    const std::pair sizes{shape[shape.size() - 2], shape.back()};
    shape.erase(shape.size() - 1);
    shape.erase(shape.size() - 1);
    return sizes;
  };
  Shape batch_a = a.shape, batch_b = b.shape, batch;
  const auto [rows, inner] = matrix(batch_a);
  const auto [other, columns] = matrix(batch_b);
  broadcasts(batch_a, batch_b, &batch);
  Shape shape = batch;
  if (x1.shape.size() > 1) shape.push_back(rows);
  if (x2.shape.size() > 1) shape.push_back(columns);
  if (got.type != type) return {"the type is " + std::string(name(got.type)) + ", expected " + std::string(name(type))};
  if (got.shape != shape) return {"the shape is " + to_string(got.shape) + ", expected " + to_string(shape)};
  const auto whole = [&](Plain& x, std::int64_t m, std::int64_t n) {
    Shape to = batch;
    to.push_back(m);
    to.push_back(n);
    x = broadcast(x, to);
  };
  whole(a, rows, inner);
  whole(b, inner, columns);
  Verdict verdict;
  const auto m = static_cast<std::size_t>(rows), n = static_cast<std::size_t>(columns),
             k = static_cast<std::size_t>(inner);
  for (std::size_t i = 0; i < got.count(); ++i) {
    const std::size_t matrix_number = i / (m * n), row = i / n % m, column = i % n;
    std::string wanted;
    const bool right = with_type(type, [&]<class T>(Tag<T>) {
      return check_dot<T>(
          a, b, k, [&](std::size_t s) { return (matrix_number * m + row) * k + s; },
          [&](std::size_t s) { return (matrix_number * k + s) * n + column; }, got.at<T>(i), &wanted, &verdict.loose);
    });
    if (!right) return {"element " + std::to_string(i) + " is " + element_text(got, i) + ", expected " + wanted};
  }
  return verdict;
}

}  // namespace koine::fuzz
