// SPDX-License-Identifier: Apache-2.0
// Arrays in files.
#pragma once

#include <koine/array.hpp>
#include <koine/device.hpp>
#include <koine/export.hpp>
#include <koine/options.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace koine {

struct LoadOptions {
  detail::Named names_only = detail::named;
  std::optional<Device> device = std::nullopt;
};
/// The array in a NumPy .npy file: format versions 1 to 3, either byte order, either order of the axes (a file in
/// Fortran order gives a transposed view). IoError if the file cannot be read, is damaged or cut, or holds a type that
/// Koine has not. Gives the type in the file.
KOINE_API Array load_npy(const std::filesystem::path& path, const LoadOptions& options = {});

/// Writes x to a NumPy .npy file, row-major, under exactly this path. What stood there before is replaced only once all
/// has been written. Waits for x. DTypeError for bfloat16, which NumPy has not; IoError if the file cannot be written.
KOINE_API void save_npy(const std::filesystem::path& path, const Array& x);

/// The arrays in a NumPy .npz file, each under the name of its .npy entry without that ending: entries that are stored
/// or deflated, with sizes of 32 or 64 bits. IoError if the file cannot be read, is damaged or cut, holds an entry that
/// is no .npy array or has the name of another, or one that load_npy would refuse. No more memory is taken than the
/// file can fill: what an entry claims to unpack to is checked first.
KOINE_API std::map<std::string, Array> load_npz(const std::filesystem::path& path, const LoadOptions& options = {});

struct SaveNpzOptions {
  detail::Named names_only = detail::named;
  bool compressed = false;  ///< deflated: smaller and slower, as numpy.savez_compressed
};
/// Writes arrays under their names to a NumPy .npz file under exactly this path: `save_npz("x.npz", {{"a", a}, {"b",
/// b}})`. What stood there before is replaced only once all has been written. Waits for the arrays. DTypeError for
/// bfloat16, which NumPy has not; ValueError for a name of more than 65,531 bytes; IoError if the file cannot be
/// written.
KOINE_API void save_npz(const std::filesystem::path& path, const std::map<std::string, Array>& arrays,
                        const SaveNpzOptions& options = {});

}  // namespace koine
