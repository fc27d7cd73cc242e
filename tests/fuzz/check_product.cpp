// SPDX-License-Identifier: Apache-2.0
// Matrix products: exact for integers and wherever no addition rounds; else within the error of any order of additions.
#include "bounds.hpp"

namespace koine::fuzz {
namespace {

using test::is_complex_float;
using test::widened;

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
  if (const std::string wrong = unlike(got, type, shape); !wrong.empty()) return {wrong};
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
