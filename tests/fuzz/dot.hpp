// SPDX-License-Identifier: Apache-2.0
// One element of a sum of products: exact for integers and wherever no addition rounds, else within the error of any
// order of additions. `grouped`: sums of some factors may be made, and stored, before others join; those that may pass
// the type's range on the way may be anything then. Complex numbers are multiplied in pairs at the most.
#pragma once

#include <span>

#include "bounds.hpp"

namespace koine::fuzz {

template <class T>
class Dot {
 public:
  explicit Dot(bool grouped) : grouped_(grouped), any_(grouped && test::is_small_float<T>) {}

  /// Adds the product of the factors.
  void add(std::span<const T> factors) {
    if constexpr (std::is_integral_v<T>) {
      std::uint64_t product = 1;
      for (const T factor : factors) product *= static_cast<std::uint64_t>(factor);
      whole_ += product;
    } else if constexpr (test::is_complex_float<T>) {
      const std::complex<long double> x = test::widened(factors[0]);
      if (factors.size() == 1) {
        real_.add(x.real());
        imag_.add(x.imag());
        return;
      }
      const std::complex<long double> y = test::widened(factors[1]);
      real_.add(x.real() * y.real());
      real_.add(-x.imag() * y.imag());
      imag_.add(x.real() * y.imag());
      imag_.add(x.imag() * y.real());
    } else {
      long double product = 1;
      for (const T factor : factors) {
        const long double value = test::widened(factor);
        product *= value;
        const int power = value == 0 ? 0 : std::isfinite(value) ? std::abs(std::ilogb(value)) : 1 << 20;
        any_ = any_ || (grouped_ && power > test::Format<T>::max_exponent / 4);
      }
      real_.add(product);
    }
  }

  bool met_by(T got, std::string* wanted, bool* loose) const {
    if constexpr (std::is_integral_v<T>) {
      *wanted = test::shown(static_cast<T>(whole_));
      return got == static_cast<T>(whole_);
    } else if constexpr (test::is_complex_float<T>) {
      return met(real_, got.real(), wanted, loose) && met(imag_, got.imag(), wanted, loose);
    } else {
      return met(real_, got, wanted, loose);
    }
  }

 private:
  template <class P, bool Complex = test::is_complex_float<P>>
  struct Part {
    using Real = P;
  };
  template <class P>
  struct Part<P, true> {
    using Real = typename P::value_type;
  };
  using Floating = std::conditional_t<std::is_integral_v<T>, float, T>;
  using Sums = Total<Kept<typename Part<Floating>::Real>>;

  template <class P>
  bool met(const Sums& total, P got, std::string* wanted, bool* loose) const {
    *loose = *loose || !total.exact() || any_;
    *wanted = test::shown(std::complex<long double>(total.sum)) + " within " +
              test::shown(std::complex<long double>(total.error()));
    if (any_ || total.may_overflow() || !std::isfinite(total.sum)) return true;
    // Products below the smallest number lose what is left of them.
    const long double lost = total.exact() ? 0 : static_cast<long double>(total.count) * test::smallest<Kept<P>>();
    return within<P>(test::widened(got), total.sum, 2 * total.error() + lost);
  }

  Sums real_, imag_;
  std::uint64_t whole_ = 0;
  bool grouped_, any_;  // any: nothing is promised
};

/// The sum of products at each place of a result of some type: `add_terms(i, dot)` adds those of element i.
template <class F>
Verdict check_dots(DType type, const Plain& got, F add_terms, bool grouped = false) {
  Verdict verdict;
  with_type(type, [&]<class T>(Tag<T>) {
    if constexpr (!std::is_same_v<T, bool>) {
      for (std::size_t i = 0; i < got.count() && verdict.wrong.empty(); ++i) {
        Dot<T> dot(grouped);
        add_terms(i, dot);
        std::string wanted;
        if (!dot.met_by(got.at<T>(i), &wanted, &verdict.loose))
          verdict.wrong = "element " + std::to_string(i) + " is " + element_text(got, i) + ", expected " + wanted;
      }
    }
  });
  return verdict;
}

}  // namespace koine::fuzz
