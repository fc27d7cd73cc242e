// SPDX-License-Identifier: Apache-2.0
// Arrays in files: the bytes are base/npy's, this is the way to and from the device.
#include "api/build.hpp"
#include "base/files.hpp"
#include "base/npy.hpp"
#include "base/zip.hpp"
#include "exec/evaluate.hpp"
#include "runtime/queue.hpp"

#include <koine/error.hpp>
#include <koine/io.hpp>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <system_error>
#include <utility>

namespace koine {
namespace {

/// The array in a stream of a .npy file. Its memory is taken before the elements are read.
Array read_array(std::istream& in, const base::NpySource& source, const LoadOptions& options) {
  const base::NpyHeader header = base::read_npy_header(in, source);
  Shape shape(header.shape);
  if (header.fortran_order) std::reverse(shape.begin(), shape.end());
  const graph::Place place = api::place_of(options.device);
  api::require_type(place, header.dtype, source.function);
  const Array x = api::unwritten(shape, header.dtype, place, source.function);
  const std::vector<std::byte> data = base::read_npy_data(in, header, source);
  exec::queue_of(*x.node()).write(*x.node()->storage, 0, data.data(), data.size(), source.function);
  if (!header.fortran_order) return x;
  std::vector<std::size_t> axes(shape.size());
  std::iota(axes.rbegin(), axes.rend(), std::size_t{0});
  return api::permuted(x, axes);
}

/// The bytes of a .npy file of x.
std::string npy_bytes(const Array& x, std::string_view function) {
  const std::optional<std::string> header = base::npy_header(x.dtype(), x.shape());
  if (!header) {
    throw DTypeError("[" + std::string(function) + "] NumPy's format has no " + std::string(name(x.dtype())) +
                     "; x.astype(float32) holds the same values and can be saved");
  }
  // The header is a multiple of 64 bytes long, so the elements after it are aligned as any type needs.
  std::string bytes = *header;
  bytes.resize(header->size() + static_cast<std::size_t>(x.nbytes()));
  api::copy_elements(x, bytes.data() + header->size());
  return bytes;
}

constexpr std::string_view ending = ".npy";

using Pairs = std::vector<NamedArrays::Pair>;

/// Where `name` is, or would be, among pairs in order.
Pairs::const_iterator found(const Pairs& pairs, std::string_view name) {
  return std::lower_bound(pairs.begin(), pairs.end(), name,
                          [](const NamedArrays::Pair& each, std::string_view wanted) { return each.first < wanted; });
}

bool is_at(const Pairs& pairs, Pairs::const_iterator at, std::string_view name) {
  return at != pairs.end() && at->first == name;
}

}  // namespace

NamedArrays::NamedArrays(std::vector<Pair> arrays) : pairs_(std::move(arrays)) {
  std::stable_sort(pairs_.begin(), pairs_.end(), [](const Pair& a, const Pair& b) { return a.first < b.first; });
  const auto twice =
      std::adjacent_find(pairs_.begin(), pairs_.end(), [](const Pair& a, const Pair& b) { return a.first == b.first; });
  if (twice != pairs_.end()) {
    throw ValueError("[NamedArrays] the name \"" + base::shown(twice->first) + "\" is there twice");
  }
}

std::size_t NamedArrays::place(std::string_view name) const {
  const auto at = found(pairs_, name);
  if (is_at(pairs_, at, name)) return static_cast<std::size_t>(at - pairs_.begin());
  constexpr std::size_t most = 20;
  std::string list;
  for (std::size_t i = 0; i < std::min(pairs_.size(), most); ++i) {
    list += (i > 0 ? ", \"" : "\"") + base::shown(pairs_[i].first) + "\"";
  }
  if (pairs_.size() > most) list += " and " + std::to_string(pairs_.size() - most) + " more";
  throw IndexError("[NamedArrays] there is no array \"" + base::shown(name) + "\"; " +
                   (pairs_.empty() ? "there are none" : "there are " + list));
}

void NamedArrays::set(std::string_view name, Array array) {
  const auto at = found(pairs_, name);
  if (is_at(pairs_, at, name)) {
    pairs_[static_cast<std::size_t>(at - pairs_.begin())].second = std::move(array);
  } else {
    pairs_.emplace(at, name, std::move(array));
  }
}

bool NamedArrays::contains(std::string_view name) const noexcept { return is_at(pairs_, found(pairs_, name), name); }

std::vector<std::string> NamedArrays::keys() const {
  std::vector<std::string> result;
  for (const Pair& each : pairs_) result.push_back(each.first);
  return result;
}

Array load_npy(const Path& path, const LoadOptions& options) {
  base::check_path(path.text(), "load_npy");
  errno = 0;
  std::ifstream in(path.text(), std::ios::binary);
  if (!in) base::fail("load_npy", "open", path.text(), errno);
  // Which opens, and has no bytes.
  std::error_code unknown;
  if (std::filesystem::is_directory(path.text(), unknown)) base::fail("load_npy", "read", path.text(), EISDIR);
  return read_array(in, path.text(), options);
}

void save_npy(const Path& path, const Array& x) { base::write_file(path.text(), npy_bytes(x, "save_npy"), "save_npy"); }

NamedArrays load_npz(const Path& path, const LoadOptions& options) {
  constexpr const char* function = "load_npz";
  const std::string bytes = base::read_file(path.text(), function);
  NamedArrays arrays;
  for (const base::ZipEntry& entry : base::zip_entries(bytes, {path.text(), function})) {
    const std::string subject = path.text() + ":" + base::shown(entry.name);
    const base::NpySource source(subject, function);
    if (!entry.name.ends_with(ending)) {
      throw IoError("[load_npz] \"" + subject + "\" is no array: entries of a .npz file are named ....npy");
    }
    const std::string_view name = std::string_view(entry.name).substr(0, entry.name.size() - ending.size());
    if (arrays.contains(name)) throw IoError("[load_npz] \"" + subject + "\" is there twice");
    base::ZipReader reader(entry, source);
    std::istream in(&reader);
    in.exceptions(std::ios::badbit);  // what the reader throws comes through
    Array x = read_array(in, source, options);
    reader.finish();
    arrays.set(name, std::move(x));
  }
  return arrays;
}

void save_npz(const Path& path, const NamedArrays& arrays, const SaveNpzOptions& options) {
  constexpr const char* function = "save_npz";
  constexpr std::size_t longest = 0xffff;
  base::ZipWriter archive;
  for (const auto& [name, x] : arrays) {
    const std::string entry = name + std::string(ending);
    if (entry.size() > longest) {
      throw ValueError("[save_npz] a name has " + std::to_string(name.size()) + " bytes; it can have " +
                       std::to_string(longest - ending.size()));
    }
    archive.add(entry, npy_bytes(x, function), options.compressed);
  }
  base::write_file(path.text(), archive.finish(), function);
}

}  // namespace koine
