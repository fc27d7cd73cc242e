// SPDX-License-Identifier: Apache-2.0
// Types of results: the standard's promotion table, weak scalars, and conversions.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;
using kn::DType;
using kn::result_type;

namespace {

Array of(DType type) { return kn::ones({2}, {.dtype = type}); }

}  // namespace

TEST_CASE("the standard's table") {
  // From the standard's type promotion page: signed, unsigned, mixed, floating.
  struct Row {
    DType a, b, result;
  };
  const Row rows[] = {
      {kn::int8, kn::int16, kn::int16},
      {kn::int32, kn::int64, kn::int64},
      {kn::uint8, kn::uint32, kn::uint32},
      {kn::uint16, kn::uint64, kn::uint64},
      {kn::int8, kn::uint8, kn::int16},
      {kn::int8, kn::uint16, kn::int32},
      {kn::int8, kn::uint32, kn::int64},
      {kn::int16, kn::uint8, kn::int16},
      {kn::int32, kn::uint16, kn::int32},
      {kn::int64, kn::uint32, kn::int64},
      {kn::float32, kn::float64, kn::float64},
      {kn::complex64, kn::float32, kn::complex64},
      {kn::complex64, kn::float64, kn::complex128},
      {kn::complex64, kn::complex128, kn::complex128},
      // Where the standard is silent.
      {kn::bool_, kn::int8, kn::int8},
      {kn::int64, kn::float16, kn::float16},
      {kn::float16, kn::bfloat16, kn::float32},
      {kn::float16, kn::float32, kn::float32},
      {kn::int32, kn::complex64, kn::complex64},
  };
  for (const Row& row : rows) {
    CAPTURE(name(row.a));
    CAPTURE(name(row.b));
    CHECK(result_type(row.a, row.b) == row.result);
    CHECK(result_type(row.b, row.a) == row.result);
  }
  CHECK_THROWS_AS(result_type(kn::uint64, kn::int8), kn::DTypeError);
  CHECK_FALSE(kn::can_cast(kn::int64, kn::int32));
  CHECK(kn::can_cast(kn::int8, kn::float32));
}

TEST_CASE("scalars are weak") {
  CHECK((of(kn::float16) + 1.5).dtype() == kn::float16);
  CHECK((of(kn::int32) + 2).dtype() == kn::int32);
  CHECK((of(kn::int32) + 1.5).dtype() == kn::float32);
  CHECK((of(kn::bool_) + 2).dtype() == kn::int64);
  CHECK((of(kn::uint8) * 1.0f).dtype() == kn::float32);
  CHECK((of(kn::float32) + std::complex<float>(0, 1)).dtype() == kn::complex64);
  CHECK((2 - of(kn::int8)).dtype() == kn::int8);
  CHECK((of(kn::float32) > 0).dtype() == kn::bool_);
  CHECK(kn::where(of(kn::bool_), 0.0, of(kn::bfloat16)).dtype() == kn::bfloat16);
  CHECK(kn::where(of(kn::bool_), 1, 2).dtype() == kn::int64);
  CHECK(kn::asarray(1.5).dtype() == kn::float32);
  CHECK(kn::asarray(1).dtype() == kn::int64);
  CHECK(kn::asarray(std::numeric_limits<std::uint64_t>::max()).dtype() == kn::uint64);
  // Weakness is the operand's of one call: an array made of a scalar is strong.
  CHECK((of(kn::float16) + kn::asarray(1.5)).dtype() == kn::float32);
}

TEST_CASE("integers that meet floating functions become float32") {
  CHECK((of(kn::int64) / 2).dtype() == kn::float32);
  CHECK(kn::exp(of(kn::int8)).dtype() == kn::float32);
  CHECK(kn::sqrt(of(kn::bool_)).dtype() == kn::float32);
  CHECK(kn::abs(of(kn::complex64)).dtype() == kn::float32);
}

TEST_CASE("conversions") {
  kn::test::on_each_device([] {
    const Array x = kn::asarray(std::vector<float>{-1.9f, 0.0f, 2.5f, 300.0f});
    CHECK(x.astype(kn::int32).to_vector<int>() == std::vector<int>{-1, 0, 2, 300});
    CHECK(x.astype(kn::bool_).to_vector<bool>() == std::vector<bool>{true, false, true, true});
    CHECK(x.astype(kn::float16).to_vector<float>()[3] == 300.0f);
    CHECK((x > 0).astype(kn::float32).to_vector<float>() == std::vector<float>{0, 0, 1, 1});
    CHECK(x.astype(kn::complex64).to_vector<std::complex<float>>()[2] == std::complex<float>(2.5f, 0));
    // The host's conversions on reading are the same.
    CHECK(x.to_vector<int>() == x.astype(kn::int32).to_vector<int>());
    CHECK(x.to_vector<bool>() == x.astype(kn::bool_).to_vector<bool>());
    // Halves round to even: 1 + 2^-11 lies between 1 and 1 + 2^-10.
    const Array h =
        kn::asarray(std::vector<float>{1 + 0x1p-11f, 1 + 3 * 0x1p-11f, 65519.0f, 65520.0f, 0x1p-25f, 0x1.8p-24f});
    const std::vector<float> rounded = {1, 1 + 0x1p-9f, 65504, INFINITY, 0, 0x1p-23f};
    CHECK(h.astype(kn::float16).to_vector<float>() == rounded);
    CHECK(h.to_vector<kn::float16_t>()[1] == rounded[1]);
    CHECK(kn::asarray(std::vector<float>{1 + 0x1p-8f, 1 + 3 * 0x1p-8f}).astype(kn::bfloat16).to_vector<float>() ==
          std::vector<float>{1, 1 + 0x1p-6f});
  });
}
