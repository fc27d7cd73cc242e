// SPDX-License-Identifier: Apache-2.0
// What this library can do, the standard's namespace inspection: `default_device` and `devices` stand in device.hpp.
#pragma once

#include <koine/device.hpp>
#include <koine/dtype.hpp>
#include <koine/options.hpp>
#include <koine/types.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace koine {

/// What the standard leaves to a library.
struct Capabilities {
  bool boolean_indexing;                                      ///< masks in a subscript
  bool data_dependent_shapes;                                 ///< nonzero, unique and the like
  std::optional<std::int64_t> max_dimensions = std::nullopt;  ///< none: as many as memory holds
};
KOINE_API Capabilities capabilities();

/// The types that a kind takes where nothing else says which.
struct DefaultDTypes {
  DType real_floating = float32;
  DType complex_floating = complex64;
  DType integral = int64;
  DType indexing = int64;
};
/// What default_dtype() says, on every device.
KOINE_API DefaultDTypes default_dtypes(const std::optional<Device>& device = std::nullopt);

/// Options of dtypes: the device (by default default_device()), and kinds as isdtype takes them (by default all).
struct DTypesOptions {
  detail::Named names_only = detail::named;
  std::optional<Device> device = std::nullopt;
  std::optional<DTypeKinds> kind = std::nullopt;
};
/// The types that arrays on a device can have; float64 and complex128 are missing where it has no double precision.
/// `name` gives their names. ValueError for an unknown kind.
KOINE_API std::vector<DType> dtypes(const DTypesOptions& options = {});

}  // namespace koine
