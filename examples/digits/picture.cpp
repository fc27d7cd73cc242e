// SPDX-License-Identifier: Apache-2.0
// Drawing the sheet into memory; stb writes the PNG.
#include "picture.hpp"

#include <array>
#include <stdexcept>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#include <stb/stb_image_write.h>

namespace {

struct Colour {
  std::uint8_t r, g, b;
};
constexpr Colour paper{24, 26, 30}, green{60, 170, 90}, red{230, 70, 60}, white{235, 235, 235};

// The digits in 3x5 pixels, a row to each octal digit, top row first.
constexpr std::array<int, 10> font = {075557, 026227, 071747, 071717, 055711, 074717, 074757, 071111, 075757, 075717};

constexpr int columns = 24, zoom = 4, frame = 2, strip = 14, gap = 4;
constexpr int cell_width = 8 * zoom + 2 * frame, cell_height = cell_width + strip;

class Sheet {
 public:
  Sheet(int width, int height)
      : width_(width),
        height_(height),
        pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), paper) {}

  void fill(int x, int y, int width, int height, Colour colour) {
    for (int row = y; row < y + height; ++row)
      for (int column = x; column < x + width; ++column)
        pixels_[static_cast<std::size_t>(row) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(column)] =
            colour;
  }

  void digit(int x, int y, std::int64_t value, Colour colour) {
    for (int row = 0; row < 5; ++row)
      for (int column = 0; column < 3; ++column)
        if (font[static_cast<std::size_t>(value)] >> (3 * (4 - row) + 2 - column) & 1)
          fill(x + 2 * column, y + 2 * row, 2, 2, colour);
  }

  void write(const std::string& path) const {
    if (stbi_write_png(path.c_str(), width_, height_, 3, pixels_.data(), 3 * width_) == 0)
      throw std::runtime_error("cannot write \"" + path + "\"");
  }

 private:
  int width_, height_;
  std::vector<Colour> pixels_;
};

}  // namespace

void draw_digits(const std::string& path, const std::vector<std::uint8_t>& images,
                 const std::vector<std::int64_t>& read, const std::vector<std::int64_t>& meant) {
  const int count = static_cast<int>(read.size()), rows = (count + columns - 1) / columns;
  Sheet sheet(columns * (cell_width + gap) + gap, rows * (cell_height + gap) + gap);
  for (int i = 0; i < count; ++i) {
    const std::size_t at = static_cast<std::size_t>(i);
    const bool right = read[at] == meant[at];
    const int x = gap + i % columns * (cell_width + gap), y = gap + i / columns * (cell_height + gap);
    sheet.fill(x, y, cell_width, cell_width, right ? green : red);
    for (int p = 0; p < 64; ++p) {
      const auto shade = static_cast<std::uint8_t>(255 * images[64 * at + static_cast<std::size_t>(p)] / 16);
      sheet.fill(x + frame + p % 8 * zoom, y + frame + p / 8 * zoom, zoom, zoom, {shade, shade, shade});
    }
    sheet.digit(x + frame, y + cell_width + 2, read[at], right ? green : red);
    if (!right) sheet.digit(x + cell_width - frame - 6, y + cell_width + 2, meant[at], white);
  }
  sheet.write(path);
}
