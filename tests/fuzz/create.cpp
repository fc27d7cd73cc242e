// SPDX-License-Identifier: Apache-2.0
// Shapes and values of new arrays.
#include "create.hpp"

#include <limits>

#include "support/values.hpp"

namespace koine::fuzz {

namespace {

template <class T>
T small(int real, int imag) {
  if constexpr (std::is_same_v<T, bool>)
    return real % 2 != 0;
  else if constexpr (test::is_complex_float<T>)
    return T(typename T::value_type(real), typename T::value_type(imag));
  else
    return T(static_cast<float>(real));
}

}  // namespace

Shape new_shape(const std::uint8_t* bytes) {
  constexpr std::size_t counts[] = {2, 1, 3, 0, 4, 5, 2, 3};
  constexpr std::int64_t sides[] = {3, 2, 7, 4, 1, 2, 3, 5, 64, 3, 1, 2, 7, 6, 0, 257};
  constexpr std::int64_t most = 8192, long_side = 70'001;
  Shape shape;
  const std::size_t axes = counts[bytes[0] % 8];
  if (axes == 1 && bytes[1] % 16 == 15 && bytes[2] >= 192) return {long_side};
  std::int64_t count = 1;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::uint8_t byte = bytes[1 + axis / 2];
    std::int64_t side = sides[axis % 2 ? byte >> 4 : byte & 15];
    if (side == 0 && bytes[3] % 4 != 0) side = 2;  // no elements: now and then
    if (count * side > most) side = 1;
    shape.push_back(side);
    count *= std::max<std::int64_t>(side, 1);
  }
  return shape;
}

Weak new_scalar(std::uint8_t kind, std::uint8_t value) {
  static constexpr std::int64_t integers[] = {1, 2, 0, -1, 3, 7, 100, -5};
  constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  static constexpr double reals[] = {0.5, 2, -1.5, 0.1, 0, -0.0, 1e10, 3, nan, infinity, -infinity, nan};
  constexpr std::size_t count = std::size(reals);
  static constexpr Weak::Kind order[] = {Weak::integer, Weak::real, Weak::boolean, Weak::complex};
  Weak result{order[kind % 4], integers[value % 8], reals[value % count]};
  if (result.kind == Weak::boolean) result.whole = value % 2;
  if (result.kind == Weak::complex) result.value = {reals[value % count], reals[value / count % count]};
  return result;
}

Plain new_values(DType type, const Shape& shape, Style style, std::uint64_t seed) {
  Plain result(type, shape);
  with_type(type, [&]<class T>(Tag<T>) {
    const std::vector<T> specials = test::special_values<T>();
    test::Random random(seed);
    // Of floating types the last three are the infinities and NaN, which most rules are about: half of those that stand
    // alone among ordinary values, and a quarter of many.
    const auto special = [&](unsigned one_in) {
      const bool rules = specials.size() > 3 && random() % one_in == 0;
      return specials[rules ? specials.size() - 1 - random() % 3 : random() % specials.size()];
    };
    // Every other array of ordinary values has such ones too.
    const auto alone = [&] { return seed % 2 == 1 && random() % 4 == 0; };
    for (std::size_t i = 0, count = result.count(); i < count; ++i) {
      switch (style) {
        case Style::small: result.put(i, small<T>(static_cast<int>((i + seed) % 5) + 1, 0)); break;
        case Style::signed_small: {
          const int lowest = is_unsigned_integer(type) ? 0 : -4;
          const int real = lowest + static_cast<int>(random() % 9), imag = lowest + static_cast<int>(random() % 9);
          result.put(i, alone() ? special(2) : small<T>(real, imag));
          break;
        }
        case Style::special: result.put(i, special(4)); break;
        case Style::any: result.put(i, alone() ? special(2) : test::random_value<T>(random));
      }
    }
  });
  return result;
}

}  // namespace koine::fuzz
