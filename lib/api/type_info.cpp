// SPDX-License-Identifier: Apache-2.0
// What is known of the types: their kinds and ranges, and which of them a device has.
#include <koine/error.hpp>
#include <koine/inspection.hpp>
#include <koine/types.hpp>

#include <algorithm>
#include <cmath>

#include "base/dtypes.hpp"
#include "graph/infer.hpp"

namespace koine {
namespace {

bool is_of(DType type, const std::string& kind, std::string_view function) {
  if (kind == "bool") return is_bool(type);
  if (kind == "signed integer") return is_signed_integer(type);
  if (kind == "unsigned integer") return is_unsigned_integer(type);
  if (kind == "integral") return is_integer(type);
  if (kind == "real floating") return is_real_floating(type);
  if (kind == "complex floating") return is_complex(type);
  if (kind == "numeric") return !is_bool(type);
  throw ValueError("[" + std::string(function) + "] there is no kind \"" + kind +
                   "\"; it can be bool, signed integer, unsigned integer, integral, real floating, complex floating "
                   "or numeric");
}

bool is_of_any(DType type, const DTypeKinds& kinds, std::string_view function) {
  bool found = false;  // each is looked at, so that a wrong word shows whatever the type
  for (const DTypeKind& kind : kinds.kinds()) {
    const auto* own = std::get_if<DType>(&kind.value());
    if (own ? *own == type : is_of(type, std::get<std::string>(kind.value()), function)) found = true;
  }
  return found;
}

}  // namespace

bool isdtype(DType dtype, const DTypeKinds& kinds) { return is_of_any(dtype, kinds, "isdtype"); }

FloatInfo finfo(DType type) {
  const base::DTypeRow& row = base::row_of(type);
  if (row.digits == 0) {
    throw DTypeError("[finfo] " + std::string(name(type)) + " is no floating type" +
                     (is_integer(type) ? "; take iinfo" : ""));
  }
  const double spacing = std::ldexp(1.0, 1 - row.digits), largest = std::ldexp(2 - spacing, row.max_exponent);
  return {static_cast<int>(8 * size_of(row.part)), spacing, largest, -largest,
          std::ldexp(1.0, 1 - row.max_exponent),   row.part};
}

FloatInfo finfo(const Array& x) { return finfo(x.dtype()); }

IntegerInfo iinfo(DType type) {
  if (!is_integer(type)) {
    throw DTypeError("[iinfo] " + std::string(name(type)) + " is no integer type" +
                     (is_bool(type) ? "" : "; take finfo"));
  }
  const int bits = static_cast<int>(8 * size_of(type));
  const std::uint64_t all_ones = ~std::uint64_t{0} >> (64 - bits);
  if (is_unsigned_integer(type)) return {bits, all_ones, 0, type};
  const auto largest = static_cast<std::int64_t>(all_ones / 2);
  return {bits, all_ones / 2, -largest - 1, type};
}

IntegerInfo iinfo(const Array& x) { return iinfo(x.dtype()); }

Capabilities capabilities() { return {.boolean_indexing = true, .data_dependent_shapes = true}; }

DefaultDTypes default_dtypes(const std::optional<Device>&) {
  return {.real_floating = default_dtype(), .complex_floating = graph::complex_of(default_dtype())};
}

std::vector<DType> dtypes(const DTypesOptions& options) {
  const bool wide = options.device.value_or(default_device()).has_fp64();
  std::vector<DType> result;
  for (int i = 0; i < dtype_count; ++i) {
    const auto type = static_cast<DType>(i);
    const bool wanted = !options.kind || is_of_any(type, *options.kind, "dtypes");
    if (wanted && (wide || graph::real_part(type) != float64)) result.push_back(type);
  }
  return result;
}

}  // namespace koine
