// SPDX-License-Identifier: Apache-2.0
// Whether arrays agree: element by element within a tolerance, and as a whole.
#pragma once

#include <koine/array.hpp>
#include <koine/options.hpp>

namespace koine {

/// Options of isclose and allclose.
struct ClosenessOptions {
  detail::Named names_only = detail::named;
  double rtol = 1e-5;      ///< of the magnitude of x2
  double atol = 1e-8;      ///< in any case
  bool equal_nan = false;  ///< whether NaN agrees with NaN
};
/// Whether x1 is near x2, element by element: |x1 - x2| <= atol + rtol * |x2|, which is not symmetric; an infinity is
/// near itself alone. Takes every type; gives bool_. Of integers, of whatever two types, the difference is
/// exact; float16 and bfloat16 are compared in float32, of complex numbers the distance counts. ValueError for a
/// tolerance below 0 or NaN, ShapeError where the shapes do not broadcast.
KOINE_API Array isclose(Operand x1, Operand x2, const ClosenessOptions& options = {});
/// Whether isclose holds everywhere; true for no elements. Waits for the device. Takes every type; gives a bool.
KOINE_API bool allclose(const Operand& x1, const Operand& x2, const ClosenessOptions& options = {});

/// Options of array_equal.
struct ArrayEqualOptions {
  detail::Named names_only = detail::named;
  bool equal_nan = false;  ///< whether NaN equals NaN
};
/// Whether the arrays have the same shape and equal elements, whatever their types. Waits for the device unless the
/// shapes differ. Takes every type; gives a bool.
KOINE_API bool array_equal(const Operand& x1, const Operand& x2, const ArrayEqualOptions& options = {});

}  // namespace koine
