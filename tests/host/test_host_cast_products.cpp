// SPDX-License-Identifier: Apache-2.0
// Products of operands that are cast, by the calling thread: integers of every pair of types, and float32 and float64
// in the order that is the same on every device, beside products of what is cast before.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "support/cast_products.hpp"
#include "support/devices.hpp"
#include "support/fourier.hpp"
#include "support/inner.hpp"
#include "support/same_bits.hpp"

namespace kn = koine;
using kn::Array;
using kn::DType;
using kn::none;
using kn::slice;
using kn::test::cast_before;

namespace {

/// Ends of ranges of all types, positive and negative, by a pattern that no stride repeats.
Array integers(const kn::Shape& shape, DType type, std::int64_t salt) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < shape.elements(); ++i) {
    const std::int64_t x = (i * i + salt) * 2654435761;
    values.push_back(i % 5 == 0 ? x : i % 5 == 1 ? -x : (x >> 7) % 300 - 150);
  }
  return kn::asarray(values, shape).astype(type).eval();
}

/// Both operands as they are and transposed, of parts of larger arrays.
template <class T>
void check(const Array& a, const Array& b) {
  const DType type = kn::dtype_of<T>;
  CAPTURE(kn::name(a.dtype()));
  CAPTURE(kn::name(type));
  const Array part = a(slice(1, none), slice(none, none, -2)), deep = b(slice(0, part.shape(1)));
  const Array first = cast_before<T>(part), second = cast_before<T>(deep);
  const auto launches = kn::test::activity_of().launches;
  const std::vector<T> expected = kn::matmul(first, second).template to_vector<T>();
  CHECK(kn::matmul(part.astype(type), second).template to_vector<T>() == expected);
  CHECK(kn::matmul(part.astype(type), deep.astype(type)).template to_vector<T>() == expected);
  CHECK(kn::matmul(deep.astype(type).T(), part.T().astype(type)).template to_vector<T>() ==
        kn::matmul(second.T(), first.T()).template to_vector<T>());
  CHECK(kn::test::activity_of().launches == launches);
}

template <class T>
void check_integers() {
  for (const DType stored :
       {kn::bool_, kn::int8, kn::int16, kn::int32, kn::int64, kn::uint8, kn::uint16, kn::uint32, kn::uint64}) {
    check<T>(integers({7, 40}, stored, 1), integers({40, 9}, stored, 2));
  }
}

}  // namespace

TEST_CASE("integers of every type by those of every other") {
  if (!kn::test::does_steps()) return;
  check_integers<std::int8_t>();
  check_integers<std::int16_t>();
  check_integers<std::int32_t>();
  check_integers<std::int64_t>();
  check_integers<std::uint8_t>();
  check_integers<std::uint16_t>();
  check_integers<std::uint32_t>();
  check_integers<std::uint64_t>();
}

TEST_CASE("the order that is the same on every device stays that of what is cast before") {
  if (!kn::test::does_steps()) return;
  const kn::reproducible scope;
  for (const DType stored : {kn::bfloat16, kn::float16, kn::float64, kn::int32, kn::uint8}) {
    const auto numbers = [&](const kn::Shape& shape, unsigned seed) {
      std::vector<double> values = kn::test::noise<double>(shape.elements(), seed);
      for (double& value : values) value *= 100;
      return kn::asarray(values, shape, stored);
    };
    check<float>(numbers({7, 40}, 1), numbers({40, 9}, 2));
    if (stored != kn::float64) check<double>(numbers({7, 40}, 1), numbers({40, 9}, 2));
  }
}

TEST_CASE("matrices by vectors: each type as float32 and float64") {
  if (!kn::test::does_steps()) return;
  const auto launches = kn::test::activity_of().launches;
  for (const DType stored : kn::test::real_types) {
    kn::test::check_cast_vectors<float>(stored);
    kn::test::check_cast_vectors<double>(stored);
  }
  CHECK(kn::test::activity_of().launches == launches);
}
