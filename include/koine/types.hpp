// SPDX-License-Identifier: Apache-2.0
// Conversion between types and devices, and the rules of promotion.
#pragma once

#include <koine/array.hpp>
#include <koine/options.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace koine {

struct AstypeOptions {
  detail::Named names_only = detail::named;
  bool copy = true;  ///< accepted for the standard's sake: an Array is never aliased, so no copy can be told apart
  std::optional<Device> device = std::nullopt;
};
/// The values converted: floating to integer truncates, what lies outside its range becomes the nearest end of it and
/// NaN becomes 0; integers wrap; other roundings are to nearest, halves to even; anything to bool_ is "is not zero".
/// Takes every type; gives `dtype`.
/// DTypeError for complex to real, and for float64 and complex128 on a device without double precision.
KOINE_API Array astype(const Array& x, DType dtype, const AstypeOptions& options = {});
/// The same values on another device; x itself if it is there. Waits for x. Takes every type; gives the same type.
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

/// A kind of types for isdtype: a word, or one type alone.
class DTypeKind {
 public:
  DTypeKind(DType type) : value_(type) {}  // NOLINT: implicit by design
  template <std::convertible_to<std::string_view> T>
  DTypeKind(const T& word) : value_(std::string(std::string_view(word))) {}  // NOLINT

  const std::variant<DType, std::string>& value() const noexcept { return value_; }

 private:
  std::variant<DType, std::string> value_;
};
/// One kind or a list of them: `"integral"`, `{"bool", float32}`.
class DTypeKinds {
 public:
  template <std::convertible_to<DTypeKind> T>
  DTypeKinds(const T& kind) : kinds_{DTypeKind(kind)} {}                 // NOLINT: implicit by design
  DTypeKinds(std::initializer_list<DTypeKind> kinds) : kinds_(kinds) {}  // NOLINT

  const std::vector<DTypeKind>& kinds() const noexcept { return kinds_; }

 private:
  std::vector<DTypeKind> kinds_;
};
/// Whether a type is of a kind, or of any of several: "bool", "signed integer", "unsigned integer", "integral", "real
/// floating", "complex floating", "numeric", or a type itself. ValueError for another word.
KOINE_API bool isdtype(DType dtype, const DTypeKinds& kinds);

/// What finfo says of a floating type.
struct FloatInfo {
  int bits;                ///< of one number; of a complex type of each part
  double eps;              ///< the distance from 1 to the next larger number
  double max, min;         ///< the largest and the smallest finite number
  double smallest_normal;  ///< the smallest positive number with all its digits
  DType dtype;             ///< the real type that these are of
};
/// The range and the precision of a floating type; of a complex type those of its parts. DTypeError for other types.
KOINE_API FloatInfo finfo(DType type);
KOINE_API FloatInfo finfo(const Array& x);

/// What iinfo says of an integer type.
struct IntegerInfo {
  int bits;
  std::uint64_t max;
  std::int64_t min;
  DType dtype;
};
/// The range of an integer type. DTypeError for other types.
KOINE_API IntegerInfo iinfo(DType type);
KOINE_API IntegerInfo iinfo(const Array& x);

}  // namespace koine
