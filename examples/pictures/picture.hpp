// SPDX-License-Identifier: Apache-2.0
// What the programs of this folder share: arrays as colours, and PNG files.
#pragma once

#include <cstdint>
#include <koine/koine.hpp>
#include <stdexcept>
#include <string>

#include "../tutorial/common.hpp"

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#include <stb/stb_image_write.h>

namespace kn = koine;

/// Numbers from 0 to 1 as colours from black to white: red, green and blue along a new last axis.
inline kn::Array heat(const kn::Array& x) {
  const kn::Array places = kn::asarray({0.0F, 0.25F, 0.5F, 0.75F, 1.0F});
  return kn::stack({kn::interp(x, places, kn::asarray({0.0F, 0.3F, 0.75F, 1.0F, 1.0F})),
                    kn::interp(x, places, kn::asarray({0.0F, 0.05F, 0.2F, 0.65F, 1.0F})),
                    kn::interp(x, places, kn::asarray({0.1F, 0.45F, 0.4F, 0.15F, 0.85F}))},
                   -1);
}

/// Writes a PNG of (rows, columns) greys or (rows, columns, 3) colours, where 0 is black and 1 is white.
inline void write_png(const std::string& path, const kn::Array& image) {
  const auto pixels = (kn::clip(image, 0, 1) * 255 + 0.5).astype(kn::uint8).to_vector<std::uint8_t>();
  const int height = static_cast<int>(image.shape(0)), width = static_cast<int>(image.shape(1));
  const int channels = image.ndim() == 3 ? 3 : 1;
  if (stbi_write_png(path.c_str(), width, height, channels, pixels.data(), channels * width) == 0)
    throw std::runtime_error("cannot write \"" + path + "\"");
}
