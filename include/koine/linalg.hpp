// SPDX-License-Identifier: Apache-2.0
// Products of matrices, vectors and arrays of any number of axes.
#pragma once

#include <koine/array.hpp>
#include <koine/options.hpp>
#include <koine/shape.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace koine {

/// The matrix product over the last two axes, (…, M, K) by (…, K, N); the axes before them broadcast. A vector counts
/// as one row (x1) or one column (x2), and that axis is removed from the result. Takes every type; gives their common
/// type, for bool_ int64: it counts. float16 and bfloat16 accumulate in float32, integers wrap. ShapeError if the inner
/// sizes differ or an input has no axes. The same device gives the same bits on every run; see koine::reproducible for
/// the same bits on every device.
KOINE_API Array matmul(const Array& x1, const Array& x2);

// Sums of what follows are accumulated as matmul's are.

/// The axes that tensordot sums over: how many, or which of x1 and which of x2.
class TensordotAxes {
 public:
  /// The last `count` axes of x1, and as many first ones of x2.
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  TensordotAxes(T count) : count_(detail::Integer(count).value) {}  // NOLINT: implicit by design
  /// The axes `first` of x1, each with the one of `second` of x2 that stands at its place.
  TensordotAxes(Shape first, Shape second) : listed_(true), first_(std::move(first)), second_(std::move(second)) {}

  bool listed() const noexcept { return listed_; }
  std::int64_t count() const noexcept { return count_; }
  const Shape& first() const noexcept { return first_; }
  const Shape& second() const noexcept { return second_; }

 private:
  bool listed_ = false;
  std::int64_t count_ = 0;
  Shape first_, second_;
};
struct TensordotOptions {
  detail::Named names_only = detail::named;
  TensordotAxes axes = 2;  ///< a number, or two lists: `.axes = {{0, 1}, {1, 0}}`
};
/// The sum of products over pairs of axes. The result has the other axes of x1, then those of x2. Takes every type;
/// gives what matmul gives. ShapeError if the sizes of a pair differ, ValueError for lists of different lengths or a
/// number of axes that one does not have, IndexError for an axis out of range.
KOINE_API Array tensordot(const Array& x1, const Array& x2, const TensordotOptions& options = {});
inline Array tensordot(const Array& x1, const Array& x2, const TensordotAxes& axes) {
  return tensordot(x1, x2, {.axes = axes});
}

struct VecdotOptions {
  detail::Named names_only = detail::named;
  std::int64_t axis = -1;
};
/// The sum of conj(x1) times x2 along one axis of both; the other axes broadcast. Takes every type; gives what matmul
/// gives. ShapeError if the sizes of the axis differ or the other axes do not broadcast, IndexError for an axis that
/// one of them does not have.
KOINE_API Array vecdot(const Array& x1, const Array& x2, const VecdotOptions& options = {});
inline Array vecdot(const Array& x1, const Array& x2, std::int64_t axis) { return vecdot(x1, x2, {.axis = axis}); }

/// Every element of x1 times every element of x2, which have one axis each. Takes every type; gives their
/// common type. ShapeError for other numbers of axes.
KOINE_API Array outer(const Array& x1, const Array& x2);

/// The Kronecker product: each element of x1 replaced by itself times x2. The one with fewer axes gets new ones of size
/// one in front. Takes every type; gives their common type.
KOINE_API Array kron(const Array& x1, const Array& x2);

struct EinsumOptions {
  detail::Named names_only = detail::named;
  std::optional<DType> dtype = std::nullopt;  ///< what the operands are converted to, and the type of the result
};
/// Sums of products by Einstein's convention, in NumPy's notation: `einsum("ij,jk->ik", {a, b})` is a matrix product.
///
/// Each operand has a list of letters, one for each axis, with commas between; blanks do not count. Behind `->` stand
/// the axes of the result: the products are summed over all letters that are not there. Without it they are the letters
/// that occur once, in the order of ASCII. A letter that one operand has twice is the diagonal of the two axes. `...`
/// stands for any number of axes, which broadcast, and come first in a result that is not spelled out. Axes of a letter
/// in several operands have the same size or size 1.
///
/// Operands are multiplied two at a time, in an order that keeps intermediate results small (found greedily, from the
/// shapes alone), by matmul where a pair is a matrix product. One operand without sums gives a view. Takes every type;
/// gives `.dtype`, which cannot be bool_, else what matmul gives.
///
/// ValueError for subscripts that do not parse or do not fit the number of operands; ShapeError where they do not fit
/// the operands' shapes.
KOINE_API Array einsum(std::string_view subscripts, const std::vector<Array>& operands,
                       const EinsumOptions& options = {});

}  // namespace koine
