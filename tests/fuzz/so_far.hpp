// SPDX-License-Identifier: Apache-2.0
// What elements come to, one after the other, that are added up, multiplied, or of which the largest or smallest is
// kept: exact for integers, for extremes and wherever no addition rounds; else within the error of any order.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "bounds.hpp"

namespace koine::fuzz {

enum Combining : std::size_t { sums, products, largest, smallest };

/// The type that sums and products of elements of `type` are of.
inline DType counting_type(DType type) {
  if (is_unsigned_integer(type)) return uint64;
  return is_signed_integer(type) || is_bool(type) ? int64 : type;
}

/// What elements come to that are brought together: `add` takes the next, `met_by` says whether a result may be that.
template <class T>
class SoFar {
 public:
  explicit SoFar(Combining way) : way_(way) {}

  void add(T x) {
    if constexpr (std::is_integral_v<T>) {
      const auto bits = static_cast<std::uint64_t>(x);
      whole_ = way_ == sums ? whole_ + bits : whole_ * bits;
    } else if constexpr (test::is_complex_float<T>) {
      real_.add(x.real());
      imag_.add(x.imag());
      product_.add(x);
    } else {
      way_ == sums ? real_.add(test::widened(x)) : product_.add(test::widened(x));
    }
    if constexpr (!test::is_complex_float<T>) {
      const bool better = !(x == x) || (way_ == largest ? x > extreme_ : x < extreme_);
      if (first_ || (extreme_ == extreme_ && better)) extreme_ = x;
    }
    first_ = false;
  }

  bool met_by(T got, std::string* wanted) const {
    bool loose = false;
    if constexpr (!test::is_complex_float<T>) {
      if (way_ >= largest || std::is_integral_v<T>) {
        T want = extreme_;
        if constexpr (std::is_integral_v<T>)
          want = way_ >= largest ? extreme_ : static_cast<T>(first_ ? way_ == products : whole_);
        if (got == want || (want != want && got != got)) return true;
        *wanted = test::shown(want);
        return false;
      }
    }
    if constexpr (test::is_real_float<T>) {
      return (way_ == sums ? real_.wanted() : product_.wanted()).met_by(got, wanted, &loose);
    } else if constexpr (test::is_complex_float<T>) {
      if (way_ == products) return product_.met_by(got, wanted);
      return real_.wanted().met_by(got.real(), wanted, &loose) && imag_.wanted().met_by(got.imag(), wanted, &loose);
    } else {
      return false;
    }
  }

 private:
  template <class P, bool Complex = test::is_complex_float<P>>
  struct Parts {
    using Real = P;
    using Factors = Product<P>;
  };
  template <class P>
  struct Parts<P, true> {
    using Real = typename P::value_type;
    using Factors = ComplexProduct<P>;
  };
  using Floating = std::conditional_t<std::is_integral_v<T>, float, T>;

  Combining way_;
  bool first_ = true;
  T extreme_{};
  std::uint64_t whole_ = way_ == products;
  Sum<typename Parts<Floating>::Real> real_, imag_;
  typename Parts<Floating>::Factors product_;
};

}  // namespace koine::fuzz
