// SPDX-License-Identifier: Apache-2.0
// Conversion between types and devices, and the rules of promotion.
#pragma once

#include <koine/array.hpp>

#include <initializer_list>
#include <optional>
#include <string_view>
#include <variant>

namespace koine {

struct AstypeOptions {
  bool copy = true;  ///< accepted for the standard's sake: an Array is never aliased, so no copy can be told apart
  std::optional<Device> device = std::nullopt;
};
/// The values converted: floating to integer truncates, what lies outside its range becomes the nearest end of it and
/// NaN becomes 0; integers wrap; other roundings are to nearest, halves to even; anything to bool_ is "is not zero".
/// DTypeError for complex to real, and for float64 and complex128 on a device without double precision.
KOINE_API Array astype(const Array& x, DType dtype, const AstypeOptions& options = {});
/// The same values on another device; x itself if it is there. Waits for x.
KOINE_API Array to_device(const Array& x, Device device);

/// Whether promotion allows a value of type `from` to become one of type `to`.
KOINE_API bool can_cast(DType from, DType to);
KOINE_API bool can_cast(const Array& from, DType to);

/// The common type of arrays, types and (weak) scalars. ValueError for none but scalars.
class TypeOperand {
 public:
  TypeOperand(DType type) : value_(type) {}                   // NOLINT: implicit by design
  TypeOperand(const Array& array) : value_(array.dtype()) {}  // NOLINT
  template <ScalarLike T>
  TypeOperand(T scalar) : value_(Scalar(scalar)) {}  // NOLINT

  const std::variant<DType, Scalar>& value() const noexcept { return value_; }

 private:
  std::variant<DType, Scalar> value_;
};
KOINE_API DType result_type(std::initializer_list<TypeOperand> operands);
template <class... T>
  requires(std::constructible_from<TypeOperand, T>&&...)
DType result_type(const T&... operands) { return result_type({TypeOperand(operands)...}); }

/// Whether a type is of a kind: "bool", "signed integer", "unsigned integer", "integral", "real floating",
/// "complex floating", "numeric". ValueError for another word.
KOINE_API bool isdtype(DType dtype, std::string_view kind);

}  // namespace koine
