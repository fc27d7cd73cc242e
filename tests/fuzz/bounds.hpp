// SPDX-License-Identifier: Apache-2.0
// What sums and products of floating numbers may be, whatever the order: one number after another is added.
#pragma once

#include <cmath>
#include <complex>

#include "check.hpp"
#include "support/judge.hpp"

namespace koine::fuzz {

/// The type that sums of T are kept in.
template <class T>
using Kept = std::conditional_t<test::is_small_float<T>, float, T>;

/// What a real result may be.
struct Wanted {
  long double value = 0, error = 0;
  double ulps = 0;
  bool any = false;    // nothing is promised
  bool loose = false;  // other bits are right too

  template <class T>
  bool met_by(T got, std::string* wanted, bool* others) const {
    *others = *others || loose;
    if (any || within<T>(test::widened(got), value, error, ulps)) return true;
    *wanted =
        test::shown(std::complex<long double>(value)) + " within " + test::shown(std::complex<long double>(error));
    return false;
  }
};

template <class T>
class Sum {
 public:
  void add(long double term) {
    total_.add(term);
    finite_ += std::isfinite(term) ? std::abs(term) : 0;
  }
  Wanted wanted() const {
    Wanted wanted{total_.sum, total_.error()};
    wanted.loose = !total_.exact();
    // Beside an infinity, finite terms may still overflow to the other one.
    wanted.any = std::isfinite(total_.sum) ? total_.may_overflow() : !(finite_ <= test::largest<Kept<T>>() / 2);
    return wanted;
  }

 private:
  Total<Kept<T>> total_;
  long double finite_ = 0;  // of the finite terms' absolute values
};

template <class T>
class Product {
 public:
  void add(long double factor) {
    product_ *= factor;
    ++count_;
    if (factor == 0 || !std::isfinite(factor)) {
      special_ = true;
      return;
    }
    const long double power = std::log2(std::abs(factor));
    high_ += std::max(power, 0.0L);
    low_ += std::min(power, 0.0L);
    whole_ = whole_ && factor == std::trunc(factor);
  }
  Wanted wanted() const {
    using Format = test::Format<Kept<T>>;
    Wanted wanted{product_};
    wanted.any = high_ > Format::max_exponent - 1 || low_ < Format::min_exponent + 1;
    const bool exact = whole_ && high_ < Format::digits;
    wanted.loose = wanted.any || !exact;
    if (!exact && !special_ && !wanted.any)
      wanted.error = std::abs(product_) * static_cast<long double>(count_ + 1) * test::epsilon<Kept<T>>();
    return wanted;
  }

 private:
  long double product_ = 1, high_ = 0, low_ = 0;  // how far partial products may go, in powers of two
  std::size_t count_ = 0;
  bool special_ = false, whole_ = true;
};

template <class T>
class ComplexProduct {
 public:
  using Part = typename T::value_type;

  void add(T factor) {
    product_ *= std::complex<long double>(factor);
    const long double size = std::abs(std::complex<long double>(factor));
    sizes_.add(size);
    finite_ = finite_ && std::isfinite(size) && size > 0;
    ++count_;
  }
  bool met_by(T got, std::string* wanted) const {
    if (!finite_ || sizes_.wanted().any) return true;
    // The parts may cancel down to what is lost below the smallest number.
    const long double error = 4 * static_cast<long double>(count_ + 1) * test::epsilon<Part>() * std::abs(product_);
    if (within<Part>(got.real(), product_.real(), error) && within<Part>(got.imag(), product_.imag(), error))
      return true;
    *wanted = test::shown(product_);
    return false;
  }

 private:
  std::complex<long double> product_ = 1;
  Product<Part> sizes_;
  std::size_t count_ = 0;
  bool finite_ = true;
};

}  // namespace koine::fuzz
