// SPDX-License-Identifier: Apache-2.0
// Letters of formats, and orders of bytes; see buffer_elements.hpp.
#include "buffer_elements.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

namespace koine::python {
namespace {

/// What the letters of Python's struct and of the buffer protocol mean.
struct Format {
  const char* letters;
  DType type;
};
constexpr Format formats[] = {{"?", bool_},   {"b", int8},    {"h", int16},      {"i", int32},      {"q", int64},
                              {"B", uint8},   {"H", uint16},  {"I", uint32},     {"Q", uint64},     {"e", float16},
                              {"f", float32}, {"d", float64}, {"Zf", complex64}, {"Zd", complex128}};

}  // namespace

const char* format_of(DType type) {
  for (const Format& format : formats) {
    if (format.type == type) return format.letters;
  }
  return nullptr;  // bfloat16: there is no letter for it
}

Elements elements_of(const Py_buffer& view) {
  std::string_view text = view.format == nullptr ? "B" : view.format;
  Elements result;
  if (!text.empty() && std::string_view("@=<>!").find(text[0]) != std::string_view::npos) {
    const bool big = text[0] == '>' || text[0] == '!';
    result.swapped = (big || text[0] == '<') && big != (std::endian::native == std::endian::big) && view.itemsize > 1;
    text.remove_prefix(1);
  }
  if (text.size() == 1) {
    switch (text[0]) {
      case 'l': text = view.itemsize == 8 ? "q" : "i"; break;  // long is as wide as the element says
      case 'L': text = view.itemsize == 8 ? "Q" : "I"; break;
      case 'n': text = "q"; break;
      case 'N': text = "Q"; break;
      case 'c': text = "B"; break;
      default: break;
    }
  }
  for (const Format& format : formats) {
    if (text.starts_with(format.letters[0]) && text == format.letters &&
        static_cast<std::size_t>(view.itemsize) == size_of(format.type)) {
      result.type = format.type;
    }
  }
  return result;
}

void swap_bytes(std::span<std::byte> bytes, std::size_t width) {
  for (std::size_t at = 0; at < bytes.size(); at += width) {
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes.begin() + static_cast<std::ptrdiff_t>(at + width));
  }
}

}  // namespace koine::python
