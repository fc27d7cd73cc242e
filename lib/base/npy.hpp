// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy files, as bytes: a header that says type, order and shape, then the elements.
#pragma once

#include <koine/dtype.hpp>
#include <koine/shape.hpp>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace koine::base {

/// What the header of a .npy file says.
struct NpyHeader {
  DType dtype;
  bool swapped = false;        // the other byte order than this machine's
  bool fortran_order = false;  // first axis fastest
  std::vector<std::int64_t> shape;
  std::uint64_t bytes = 0;  // of all elements
};

/// What messages name: the function that reads, and the file.
struct NpySource {
  NpySource(std::string_view file, const char* function = "load_npy") : file(file), function(function) {}  // NOLINT
  NpySource(const char* file) : NpySource(std::string_view(file)) {}                                       // NOLINT
  NpySource(const std::string& file) : NpySource(std::string_view(file)) {}                                // NOLINT
  std::string_view file;
  const char* function;
};

/// Reads a header of format version 1, 2 or 3 and stops before the elements, of which as many as it promises are there
/// if the stream can tell. Trusts nothing: sizes are checked before memory is taken for them. Throws IoError with a
/// sentence about the file for whatever is not right.
NpyHeader read_npy_header(std::istream& in, const NpySource& file);

/// Reads the elements that follow a header, in this machine's byte order. Takes no more memory than the file turns out
/// to fill. Throws IoError if the file ends early.
std::vector<std::byte> read_npy_data(std::istream& in, const NpyHeader& header, const NpySource& file);

/// Text from a file for a message: short, and without bytes that a terminal would act on.
std::string shown(std::string_view text);

/// The header that NumPy would write before row-major elements in this machine's byte order, magic and padding
/// included; none for bfloat16, for which NumPy has no name.
std::optional<std::string> npy_header(DType dtype, const Shape& shape);

}  // namespace koine::base
