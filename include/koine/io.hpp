// SPDX-License-Identifier: Apache-2.0
// Arrays in files.
#pragma once

#include <koine/array.hpp>
#include <koine/device.hpp>
#include <koine/export.hpp>
#include <koine/options.hpp>

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace koine {

/// The path of a file: a string, or whatever becomes one, as std::filesystem::path does.
class Path {
 public:
  Path(const char* path) : text_(path != nullptr ? path : "") {}  // NOLINT: implicit by design
  Path(std::string_view path) : text_(path) {}                    // NOLINT
  Path(std::string path) : text_(std::move(path)) {}              // NOLINT
  template <std::convertible_to<std::string> T>
  Path(const T& path) : text_(static_cast<std::string>(path)) {}  // NOLINT
  Path(std::nullptr_t) = delete;

  const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

/// Arrays under names, in the order of the names: what a .npz file holds.
///
/// To go through them: `for (const auto& [name, array] : arrays)`.
class KOINE_API NamedArrays {
 public:
  using Pair = std::pair<std::string, Array>;

  NamedArrays() = default;
  /// `{{"a", a}, {"b", b}}`; ValueError if a name is there twice.
  NamedArrays(std::initializer_list<Pair> arrays) : NamedArrays(std::vector<Pair>(arrays)) {}
  NamedArrays(std::vector<Pair> arrays);  // NOLINT: implicit by design
  /// A std::map of names and arrays, or another range of such pairs.
  template <class Range>
    requires requires(const Range& range) { std::string(range.begin()->first), Array(range.begin()->second); }
  NamedArrays(const Range& range) : NamedArrays(std::vector<Pair>(range.begin(), range.end())) {}  // NOLINT

  /// The array of that name. IndexError, which lists the names there are, if there is none.
  const Array& operator[](std::string_view name) const& { return pairs_[place(name)].second; }
  Array& operator[](std::string_view name) & { return pairs_[place(name)].second; }
  Array operator[](std::string_view name) && { return pairs_[place(name)].second; }
  const Array& at(std::string_view name) const& { return (*this)[name]; }
  Array& at(std::string_view name) & { return (*this)[name]; }
  Array at(std::string_view name) && { return (*this)[name]; }
  /// Puts an array under a name, instead of the one that is there.
  void set(std::string_view name, Array array);

  bool contains(std::string_view name) const noexcept;
  std::vector<std::string> keys() const;
  std::size_t size() const noexcept { return pairs_.size(); }
  bool empty() const noexcept { return pairs_.empty(); }

  std::vector<Pair>::const_iterator begin() const noexcept { return pairs_.begin(); }
  std::vector<Pair>::const_iterator end() const noexcept { return pairs_.end(); }

 private:
  std::size_t place(std::string_view name) const;

  std::vector<Pair> pairs_;  // by name
};

struct LoadOptions {
  detail::Named names_only = detail::named;
  std::optional<Device> device = std::nullopt;
};
/// The array in a NumPy .npy file: format versions 1 to 3, either byte order, either order of the axes (a file in
/// Fortran order gives a transposed view). IoError if the file cannot be read, is damaged or cut, or holds a type that
/// Koine has not; what follows the elements is not read. Memory on the device is taken before the elements are read:
/// OutOfMemory if there is too little of it, DTypeError for a type that the device has not. Gives the type in the file.
KOINE_API Array load_npy(const Path& path, const LoadOptions& options = {});

/// Writes x to a NumPy .npy file, row-major, under exactly this path. What stood there before is replaced only once all
/// has been written, and then by a new file with its permissions, group and, where the system allows, owner; other hard
/// links to it keep the old content. A symbolic link is followed. A device or a pipe is written to; so is a file in a
/// folder that takes no new ones, once the disk has room for all. Waits for x. DTypeError for bfloat16, which NumPy has
/// not; ValueError for a path with a zero byte in it; IoError if the file cannot be written.
KOINE_API void save_npy(const Path& path, const Array& x);

/// The arrays in a NumPy .npz file, each under the name of its .npy entry without that ending: entries that are stored
/// or deflated, with sizes of 32 or 64 bits. IoError if the file cannot be read, is damaged or cut, holds an entry that
/// is no .npy array or has the name of another, or one that load_npy would refuse. No more memory is taken than the
/// file can fill: what an entry claims to unpack to is checked first, and the device's memory taken before it is
/// unpacked (OutOfMemory).
KOINE_API NamedArrays load_npz(const Path& path, const LoadOptions& options = {});

struct SaveNpzOptions {
  detail::Named names_only = detail::named;
  bool compressed = false;  ///< deflated: smaller and slower, as numpy.savez_compressed
};
/// Writes arrays under their names to a NumPy .npz file under exactly this path: `save_npz("x.npz", {{"a", a}, {"b",
/// b}})`. Treats what stands there as save_npy does. Waits for the arrays. DTypeError for bfloat16, which NumPy has
/// not; ValueError for a name of more than 65,531 bytes, or a path with a zero byte in it; IoError if the file cannot
/// be written.
KOINE_API void save_npz(const Path& path, const NamedArrays& arrays, const SaveNpzOptions& options = {});

}  // namespace koine
