// SPDX-License-Identifier: Apache-2.0
// Which elements have keys below a limit (host/keys_below_text.hpp), by the instructions of this processor and by those
// of any: beside comparisons of the elements themselves.
#include <doctest/doctest.h>

#include "exec/host_keys.hpp"
#include "host/function_tables.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace exec = koine::exec;
namespace host = koine::host;

namespace {

/// Whether x comes before y, NaN last.
template <class T>
bool before(T x, T y, bool falling) {
  if (y != y) return x == x;
  return falling ? x > y : x < y;
}

template <class T, class Key>
void check(koine::DType type, const std::vector<T>& values, T limit, bool falling) {
  const exec::HostKeys<Key, true> keys({type}, falling ? ~std::uint64_t{0} : 0);
  std::vector<std::uint16_t> expected;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (before(values[i], limit, falling)) expected.push_back(static_cast<std::uint16_t>(i));
  }
  for (const host::Functions* functions : {&host::functions(), &host::functions_plain}) {
    std::vector<std::uint16_t> found(values.size());
    const host::KeysBelow below = functions->keys_below[std::countr_zero(sizeof(Key))];
    found.resize(below(values.data(), values.size(), keys.order(), keys.key(std::bit_cast<Key>(limit)), found.data()));
    CHECK(found == expected);
  }
}

template <class T, class Key>
void check_type(koine::DType type) {
  std::mt19937 random(3);
  for (const std::size_t count : {0, 1, 15, 64, 257}) {
    std::vector<T> values(count);
    for (T& value : values) value = static_cast<T>(static_cast<int>(random() % 9) - (std::is_signed_v<T> ? 4 : 0));
    if constexpr (std::is_floating_point_v<T>) {
      for (std::size_t i = 0; i < count; i += 5) values[i] = i % 2 ? T(-0.0) : static_cast<T>(NAN);
      if (count > 20) values[20] = -std::numeric_limits<T>::infinity(), values[3] = std::numeric_limits<T>::infinity();
    }
    for (const bool falling : {false, true}) {
      for (std::size_t i = 0; i < std::min<std::size_t>(count, 21); ++i) {
        check<T, Key>(type, values, values[i], falling);
      }
      if (count == 0) check<T, Key>(type, values, T(1), falling);
    }
  }
}

}  // namespace

TEST_CASE("the elements before another one") {
  check_type<std::uint8_t, std::uint8_t>(koine::uint8);
  check_type<std::int8_t, std::uint8_t>(koine::int8);
  check_type<std::int16_t, std::uint16_t>(koine::int16);
  check_type<std::uint32_t, std::uint32_t>(koine::uint32);
  check_type<std::int32_t, std::uint32_t>(koine::int32);
  check_type<std::int64_t, std::uint64_t>(koine::int64);
  check_type<float, std::uint32_t>(koine::float32);
  check_type<double, std::uint64_t>(koine::float64);
}
