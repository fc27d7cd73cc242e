// SPDX-License-Identifier: Apache-2.0
// The plain interpreter: whether what a call gave is right, given the library's own values of its operands.
#pragma once

#include <functional>
#include <string>

#include "program.hpp"

namespace koine::fuzz {

struct Verdict {
  std::string wrong;   ///< nothing if it is right
  bool loose = false;  ///< computed another way it may have other bits, and be right, but for a reproducible scope
  bool open = false;   ///< the same in such a scope, too
};

/// Judges what the target of a call that writes holds now. Exact operations must give exact bits, the others are held
/// to the bounds of the operation's own tests; sums of floating numbers to the bound of any order of additions.
using Judge = std::function<Verdict(const Plain& got)>;
/// `before` is what the variables held.
Judge judge_of(const Call& call, const Values& before);

/// Of a row computed in C: operands of that type, broadcast to the result's shape.
template <class C>
Verdict check_row(std::size_t row, const Plain& got, const Plain& x1, const Plain* x2);
Verdict check_row(std::size_t row, DType computed, const Plain& got, const Plain& x1, const Plain* x2);

/// Of a row whose operands have a common type, broadcast or not.
Verdict check_elementwise(std::size_t row, DType common, const Plain& got, std::vector<Plain> operands);

/// The shape that all broadcast to, and the type that all, or those from `first` on, are brought to.
Shape common_shape(const std::vector<Plain>& operands);
std::optional<DType> common_type(const Call& call, const std::vector<Plain>& operands, std::size_t first = 0);
/// The elements that a part names, which takes its arrays from `sources`.
Plain part(const Plain& x, const Part& part, const std::vector<Plain>& sources);

/// Bits for bits; zeros with `zeros_equal` whatever their sign.
Verdict exactly(const Plain& got, const Plain& want, bool zeros_equal = false);
/// What is wrong with the type or the shape of a result.
std::string unlike(const Plain& got, DType type, const Shape& shape);

/// The lines that a reduction along the call's axes goes along; `result` gets its shape.
Lines reduced_lines(const Call& call, const Shape& shape, Shape* result);
Verdict check_reduction(const Call& call, const Plain& x, const Plain& got);
Verdict check_product(DType type, const Plain& x1, const Plain& x2, const Plain& got);

/// The sum of terms in any order, in the precision of T.
template <class T>
struct Total {
  long double sum = 0, size = 0;  // of the terms, and of their absolute values
  std::size_t count = 0;
  bool whole = true;  // every term is an integer

  void add(long double term) {
    sum += term;
    size += std::abs(term);
    ++count;
    whole = whole && term == std::trunc(term);
  }
  /// Every order gives the same: no addition rounds.
  bool exact() const { return whole && size < std::ldexp(1.0L, test::Format<T>::digits); }
  /// What the sum may be off by.
  long double error() const {
    return exact() ? 0 : static_cast<long double>(count + 1) * test::epsilon<T>() * size + test::smallest<T>();
  }
  bool may_overflow() const { return !(size <= test::largest<T>() / 2); }
};

/// Whether `got`, stored as T, is `want` within `error` and the rounding to T, and `ulps` more of it.
template <class T>
bool within(long double got, long double want, long double error, double ulps = 0) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
  if (std::isinf(want)) return got == want;
  if (got == test::rounded<T>(want)) return true;
  const long double slack = error + (ulps + (error > 0 ? 1 : 0)) * test::ulp<T>(std::abs(want) + error);
  if (std::isinf(got)) return std::abs(want) + slack >= test::largest<T>() && std::signbit(got) == std::signbit(want);
  return std::abs(got - want) <= slack;
}

}  // namespace koine::fuzz
