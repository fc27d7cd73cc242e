// SPDX-License-Identifier: Apache-2.0
// Arrays in files: the bytes are base/npy's, this is the way to and from the device.
#include "api/build.hpp"
#include "base/files.hpp"
#include "base/npy.hpp"
#include "base/zip.hpp"

#include <koine/creation.hpp>
#include <koine/error.hpp>
#include <koine/io.hpp>
#include <koine/manipulation.hpp>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>

namespace koine {
namespace {

/// The array in a stream of a .npy file.
Array read_array(std::istream& in, const base::NpySource& source, const LoadOptions& options) {
  const base::NpyHeader header = base::read_npy_header(in, source);
  const std::vector<std::byte> data = base::read_npy_data(in, header, source);
  const std::size_t count = data.size() / size_of(header.dtype);
  const CreationOptions where{.dtype = header.dtype, .device = options.device};
  if (!header.fortran_order)
    return detail::from_host(data.data(), header.dtype, count, header.shape, where, source.function);

  std::vector<std::int64_t> reversed(header.shape.rbegin(), header.shape.rend()), axes(reversed.size());
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<std::int64_t>(axes.size() - 1 - i);
  return permute_dims(detail::from_host(data.data(), header.dtype, count, reversed, where, source.function), axes);
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

}  // namespace

Array load_npy(const std::filesystem::path& path, const LoadOptions& options) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw IoError("[load_npy] \"" + path.string() + "\" cannot be opened: " + std::generic_category().message(errno));
  }
  return read_array(in, path.string(), options);
}

void save_npy(const std::filesystem::path& path, const Array& x) {
  base::write_file(path, npy_bytes(x, "save_npy"), "save_npy");
}

std::map<std::string, Array> load_npz(const std::filesystem::path& path, const LoadOptions& options) {
  constexpr const char* function = "load_npz";
  const std::string bytes = base::read_file(path, function);
  std::map<std::string, Array> arrays;
  for (const base::ZipEntry& entry : base::zip_entries(bytes, {path.string(), function})) {
    const std::string subject = path.string() + ":" + base::shown(entry.name);
    const base::NpySource source(subject, function);
    if (!entry.name.ends_with(ending)) {
      throw IoError("[load_npz] \"" + subject + "\" is no array: entries of a .npz file are named ....npy");
    }
    base::ZipReader reader(entry, source);
    std::istream in(&reader);
    in.exceptions(std::ios::badbit);  // what the reader throws comes through
    const Array x = read_array(in, source, options);
    reader.finish();
    if (!arrays.emplace(entry.name.substr(0, entry.name.size() - ending.size()), x).second) {
      throw IoError("[load_npz] \"" + subject + "\" is there twice");
    }
  }
  return arrays;
}

void save_npz(const std::filesystem::path& path, const std::map<std::string, Array>& arrays,
              const SaveNpzOptions& options) {
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
  base::write_file(path, archive.finish(), function);
}

}  // namespace koine
