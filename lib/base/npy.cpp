// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy files: the Python literal in the header, byte order, sizes.
#include "base/npy.hpp"

#include "base/dtypes.hpp"
#include "base/text.hpp"

#include <koine/error.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <istream>
#include <limits>
#include <system_error>

namespace koine::base {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
// A header describes one type and one shape; NumPy itself reads no more than 10,000 bytes of it.
constexpr std::uint64_t longest_header = 1 << 20;
// Elements are taken in pieces of this size where the file does not say how long it is.
constexpr std::uint64_t piece = 64 << 20;

constexpr std::string_view known_types =
    "bool (b1), int8 to int64 (i1 to i8), uint8 to uint64 (u1 to u8), float16 to float64 (f2 to f8), complex64 and "
    "complex128 (c8, c16)";

[[noreturn]] void fail(const NpySource& source, const std::string& sentence) {
  throw IoError("[" + std::string(source.function) + "] \"" + std::string(source.file) + "\" " + sentence);
}

[[noreturn]] void fail_cut(const NpyHeader& header, std::uint64_t there, const NpySource& file) {
  fail(file,
       "is cut: its header promises " + bytes_text(header.bytes) + " of elements, and there are " + bytes_text(there));
}

/// Reads up to `count` bytes; says how many there were.
std::uint64_t read_some(std::istream& in, void* to, std::uint64_t count, const NpySource& file) {
  errno = 0;
  in.read(static_cast<char*>(to), static_cast<std::streamsize>(count));
  if (in.bad()) fail(file, "cannot be read: " + std::generic_category().message(errno != 0 ? errno : EIO));
  return static_cast<std::uint64_t>(in.gcount());
}

/// Bytes from here to the end, where the stream can tell: a pipe cannot.
std::optional<std::uint64_t> bytes_left(std::istream& in) {
  const std::streamoff here = in.rdbuf()->pubseekoff(0, std::ios::cur, std::ios::in);
  const std::streamoff end = in.rdbuf()->pubseekoff(0, std::ios::end, std::ios::in);
  if (here < 0 || end < here) return std::nullopt;
  in.rdbuf()->pubseekpos(here, std::ios::in);
  return static_cast<std::uint64_t>(end - here);
}

/// The header's text: a Python dictionary with the keys descr, fortran_order and shape.
class Parser {
 public:
  Parser(std::string_view text, const NpySource& file) : text_(text), file_(file) {}

  NpyHeader parse() {
    bool seen[3] = {};
    take('{');
    while (!next_is('}')) {
      const std::string_view key = string();
      take(':');
      const int index = key == "descr" ? 0 : key == "fortran_order" ? 1 : key == "shape" ? 2 : -1;
      if (index < 0)
        fail(file_, "has the key '" + shown(key) + "' in its header; descr, fortran_order and shape are known");
      if (seen[index]) fail(file_, "has '" + std::string(key) + "' twice in its header");
      seen[index] = true;
      if (index == 0) {
        type();
      } else if (index == 1) {
        header_.fortran_order = boolean();
      } else {
        shape();
      }
      if (!next_is(',')) break;
      take(',');
    }
    take('}');
    skip_blanks();
    if (at_ != text_.size()) wrong("the end");
    if (!seen[0] || !seen[1] || !seen[2]) fail(file_, "has a header without one of descr, fortran_order and shape");
    count_bytes();
    return header_;
  }

 private:
  [[noreturn]] void wrong(std::string_view wanted) {
    const std::string_view rest = text_.substr(std::min(at_, text_.size()));
    fail(file_, "has a damaged header: " + std::string(wanted) + " should stand where there is " +
                    (rest.empty() ? "the end" : "\"" + shown(rest) + "\""));
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }

  bool next_is(char c) {
    skip_blanks();
    return at_ < text_.size() && text_[at_] == c;
  }

  void take(char c) {
    if (!next_is(c)) wrong(std::string("'") + c + "'");
    ++at_;
  }

  bool take_word(std::string_view word) {
    skip_blanks();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  std::string_view string() {
    skip_blanks();
    if (at_ == text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) wrong("a string");
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) wrong("a whole string");
    const std::string_view result = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return result;
  }

  bool boolean() {
    if (take_word("True")) return true;
    if (!take_word("False")) wrong("True or False");
    return false;
  }

  void type() {
    if (next_is('['))
      fail(file_,
           "holds records of several fields; a Koine array has elements of one type: " + std::string(known_types));
    const std::string_view text = string();
    std::string_view code = text;
    std::endian order = std::endian::native;
    if (!code.empty() && std::string_view("<>=|").find(code.front()) != std::string_view::npos) {
      if (code.front() == '<') order = std::endian::little;
      if (code.front() == '>') order = std::endian::big;
      code.remove_prefix(1);
    }
    const auto found = std::find_if(std::begin(dtype_rows), std::end(dtype_rows),
                                    [&](const DTypeRow& row) { return !code.empty() && row.npy == code; });
    if (found == std::end(dtype_rows)) {
      fail(file_, "holds elements of NumPy's type '" + shown(text) + "'; Koine reads " + std::string(known_types));
    }
    header_.dtype = static_cast<DType>(found - std::begin(dtype_rows));
    header_.swapped = order != std::endian::native && size_of(header_.dtype) > 1;
  }

  void shape() {
    take('(');
    while (!next_is(')')) {
      header_.shape.push_back(size());
      if (!next_is(',')) break;
      take(',');
    }
    take(')');
  }

  std::int64_t size() {
    skip_blanks();
    if (next_is('-')) fail(file_, "has a negative size in its shape");
    const std::size_t start = at_;
    std::int64_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      const int digit = text_[at_] - '0';
      if (value > (std::numeric_limits<std::int64_t>::max() - digit) / 10)
        fail(file_, "has a size past 2^63 in its shape");
      value = value * 10 + digit;
    }
    if (at_ == start) wrong("a size");
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // as Python 2 wrote it
    return value;
  }

  // Sizes of zero aside, so that the product fits whichever way it is formed later.
  void count_bytes() {
    std::uint64_t product = size_of(header_.dtype);
    bool empty = false;
    for (const std::int64_t size : header_.shape) {
      if (size == 0) {
        empty = true;
      } else if (product > (std::uint64_t{1} << 63) / static_cast<std::uint64_t>(size)) {
        fail(file_, "has a shape of more than 2^63 bytes");
      } else {
        product *= static_cast<std::uint64_t>(size);
      }
    }
    header_.bytes = empty ? 0 : product;
  }

  std::string_view text_;
  NpySource file_;
  std::size_t at_ = 0;
  NpyHeader header_{};
};

}  // namespace

std::string shown(std::string_view text) {
  std::string result;
  for (const char c : text.substr(0, 60)) result += c >= ' ' && c <= '~' ? c : '?';
  return text.size() > 60 ? result + "..." : result;
}

NpyHeader read_npy_header(std::istream& in, const NpySource& file) {
  std::array<unsigned char, 12> front{};
  const std::uint64_t got = read_some(in, front.data(), 8, file);
  const std::string_view start(reinterpret_cast<const char*>(front.data()), got);
  if (start.substr(0, magic.size()) != magic) {
    if (start.empty()) fail(file, "is empty; a .npy file starts with \"\\x93NUMPY\"");
    if (start.substr(0, 2) == "PK") fail(file, "is a zip archive, as .npz files are; load_npz reads those");
    fail(file, "is no .npy file: it starts with \"" + shown(start.substr(0, magic.size())) +
                   "\" and not with \"\\x93NUMPY\"");
  }
  if (got < 8) fail(file, "ends within its header");
  const int version = front[6];
  if (version < 1 || version > 3) {
    fail(file, "has format version " + std::to_string(version) + "." + std::to_string(front[7]) +
                   "; 1.0, 2.0 and 3.0 are known");
  }
  // Little endian, of two bytes in version 1 and of four later.
  const std::size_t width = version == 1 ? 2 : 4;
  if (read_some(in, front.data() + 8, width, file) < width) fail(file, "ends within its header");
  std::uint64_t length = 0;
  for (std::size_t i = width; i-- > 0;) length = length << 8 | front[8 + i];
  if (length > longest_header) {
    fail(file, "claims a header of " + bytes_text(length) + "; at most " + bytes_text(longest_header) + " are read");
  }
  std::string text(length, '\0');
  if (read_some(in, text.data(), length, file) < length) fail(file, "ends within its header");
  const NpyHeader header = Parser(text, file).parse();
  if (const auto left = bytes_left(in); left && *left < header.bytes) fail_cut(header, *left, file);
  return header;
}

std::vector<std::byte> read_npy_data(std::istream& in, const NpyHeader& header, const NpySource& file) {
  std::vector<std::byte> data;
  const bool known = bytes_left(in).has_value();
  while (data.size() < header.bytes) {
    const std::uint64_t done = data.size();
    const std::uint64_t count = known ? header.bytes - done : std::min(piece, header.bytes - done);
    data.resize(done + count);
    const std::uint64_t got = read_some(in, data.data() + done, count, file);
    if (got < count) fail_cut(header, done + got, file);
  }
  if (header.swapped) {
    const std::size_t width = size_of(header.dtype) / (is_complex(header.dtype) ? 2 : 1);
    for (auto at = data.begin(); at != data.end(); at += static_cast<std::ptrdiff_t>(width)) {
      std::reverse(at, at + static_cast<std::ptrdiff_t>(width));
    }
  }
  // NumPy reads any byte but 0 as true; on the device true is 1.
  if (header.dtype == DType::bool_) {
    for (std::byte& b : data) b = std::byte{b != std::byte{0}};
  }
  return data;
}

std::optional<std::string> npy_header(DType dtype, const Shape& shape) {
  const std::string_view letters = row_of(dtype).npy;
  if (letters.empty()) return std::nullopt;
  const char order = size_of(dtype) == 1 ? '|' : std::endian::native == std::endian::little ? '<' : '>';
  std::string text =
      std::string("{'descr': '") + order + std::string(letters) + "', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  text += shape.size() == 1 ? ",), }" : "), }";

  // Elements start at a multiple of 64 bytes, after a line feed.
  const auto padded = [&](std::size_t front) {
    return text + std::string((64 - (front + text.size() + 1) % 64) % 64, ' ') + '\n';
  };
  std::string header = padded(10);
  const bool wide = header.size() > 0xffff;
  if (wide) header = padded(12);
  std::string length;
  for (int i = 0; i < (wide ? 4 : 2); ++i) length += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return std::string(magic) + (wide ? '\2' : '\1') + '\0' + length + header;
}

}  // namespace koine::base
