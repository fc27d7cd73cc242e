// SPDX-License-Identifier: Apache-2.0
// Arrays in files.
#pragma once

#include <koine/array.hpp>
#include <koine/device.hpp>
#include <koine/export.hpp>

#include <filesystem>
#include <optional>

namespace koine {

struct LoadOptions {
  std::optional<Device> device = std::nullopt;
};
/// The array in a NumPy .npy file: format versions 1 to 3, either byte order, either order of the axes (a file in
/// Fortran order gives a transposed view). IoError if the file cannot be read, is damaged or cut, or holds a type that
/// Koine has not. Gives the type in the file.
KOINE_API Array load_npy(const std::filesystem::path& path, const LoadOptions& options = {});

/// Writes x to a NumPy .npy file, row-major, under exactly this path. What stood there before is replaced only once all
/// has been written. Waits for x. DTypeError for bfloat16, which NumPy has not; IoError if the file cannot be written.
KOINE_API void save_npy(const std::filesystem::path& path, const Array& x);

}  // namespace koine
