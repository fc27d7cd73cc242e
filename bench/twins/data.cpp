// SPDX-License-Identifier: Apache-2.0
// Numbers from a hash of their places, as data.py makes them.
#include <cmath>

#include "program.hpp"

namespace twins {
namespace {

/// Numbers from 0 to 1 with 24 binary digits. They are made once and shared by all arrays, which begin at different
/// places: making them would otherwise take longer than what is measured.
const std::vector<float>& numbers(std::size_t count) {
  static std::vector<float> made;
  made.reserve(count);
  for (std::size_t i = made.size(); i < count; ++i) {
    auto bits = static_cast<std::uint32_t>(i);
    bits = (bits ^ (bits >> 16)) * 0x7feb352dU;
    bits = (bits ^ (bits >> 15)) * 0x846ca68bU;
    made.push_back(static_cast<float>((bits ^ (bits >> 16)) >> 8) * 0x1p-24F);
  }
  return made;
}

}  // namespace

std::int64_t side(std::int64_t scale) {
  return 1024 * static_cast<std::int64_t>(std::sqrt(static_cast<double>(scale)));
}

kn::Array uniform(const kn::Shape& shape, std::uint32_t seed, float low, float high) {
  std::size_t count = 1;
  for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
  const std::size_t start = seed * std::size_t{10007};
  const std::vector<float>& all = numbers(start + count);
  std::vector<float> values(all.begin() + static_cast<std::ptrdiff_t>(start),
                            all.begin() + static_cast<std::ptrdiff_t>(start + count));
  for (float& value : values) value = low + (high - low) * value;
  return kn::asarray(values, shape);
}

kn::Array integers(const kn::Shape& shape, std::uint32_t seed, std::int64_t high, kn::DType dtype) {
  return kn::floor(uniform(shape, seed, 0, static_cast<float>(high))).astype(dtype);
}

}  // namespace twins
