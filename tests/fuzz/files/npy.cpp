// SPDX-License-Identifier: Apache-2.0
// .npy files.
#include "base/npy.hpp"

#include <koine/error.hpp>

#include <algorithm>
#include <sstream>
#include <string>

#include "targets.hpp"

namespace koine::fuzz {
namespace {

struct Loaded {
  base::NpyHeader header;
  std::vector<std::byte> data;
};

Loaded load(const std::string& file) {
  std::istringstream in(file);
  Loaded loaded;
  loaded.header = base::read_npy_header(in, "x.npy");
  loaded.data = base::read_npy_data(in, loaded.header, "x.npy");
  return loaded;
}

/// A header may be a mebibyte, which is taken before it is read; the rest is what is there, copied a few times.
std::size_t allowed(std::size_t file) { return (std::size_t{1} << 20) + 4096 + 4 * file; }

}  // namespace

void fuzz_npy(std::string_view bytes) {
  const std::string file(bytes);
  largest_request();
  Loaded first;
  try {
    first = load(file);
  } catch (const IoError& error) {
    require(largest_request() <= allowed(file.size()), "a refused file took more memory than it could fill");
    const std::string_view what = error.what();
    require(what.starts_with("[load_npy] \"x.npy\" "), "the message names the function and the file");
    require(std::all_of(what.begin(), what.end(), [](char c) { return c >= ' ' && c <= '~'; }),
            "the message is plain text");
    return;
  }
  require(largest_request() <= allowed(file.size()), "a file took more memory than it could fill");
  require(first.data.size() == first.header.bytes && first.data.size() <= file.size(), "as many bytes as promised");
  const Shape shape(first.header.shape);
  require(first.header.bytes == static_cast<std::uint64_t>(shape.elements()) * size_of(first.header.dtype),
          "the bytes of the shape");
  const auto header = base::npy_header(first.header.dtype, shape);
  require(header.has_value(), "a type that was read can be written");
  const Loaded again = load(*header + std::string(reinterpret_cast<const char*>(first.data.data()), first.data.size()));
  require(again.header.dtype == first.header.dtype && again.header.shape == first.header.shape &&
              again.data == first.data && !again.header.swapped && !again.header.fortran_order,
          "what was written reads the same");
}

}  // namespace koine::fuzz
