// SPDX-License-Identifier: Apache-2.0
// What the library says of its types: kinds, ranges, and which of them a device has.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::DType;
using kn::isdtype;
using kn::test::has;
using kn::test::message_of;

namespace {

/// By the C++ type of the same format.
template <class T>
void check_float(DType type) {
  using Limits = std::numeric_limits<T>;
  const kn::FloatInfo info = kn::finfo(type);
  CHECK(info.bits == 8 * sizeof(T));
  CHECK(info.eps == Limits::epsilon());
  CHECK(info.max == Limits::max());
  CHECK(info.min == Limits::lowest());
  CHECK(info.smallest_normal == Limits::min());
  CHECK(info.dtype == kn::dtype_of<T>);
}

template <class T>
void check_integer() {
  const kn::IntegerInfo info = kn::iinfo(kn::dtype_of<T>);
  CHECK(info.bits == 8 * sizeof(T));
  CHECK(info.max == static_cast<std::uint64_t>(std::numeric_limits<T>::max()));
  CHECK(info.min == static_cast<std::int64_t>(std::numeric_limits<T>::min()));
  CHECK(info.dtype == kn::dtype_of<T>);
}

/// By the bits of the numbers themselves.
template <class T>
void check_small(std::uint16_t largest, std::uint16_t smallest_normal, std::uint16_t above_one) {
  const kn::FloatInfo info = kn::finfo(kn::dtype_of<T>);
  CHECK(info.bits == 16);
  CHECK(info.max == double{T::from_bits(largest)});
  CHECK(info.min == -info.max);
  CHECK(info.smallest_normal == double{T::from_bits(smallest_normal)});
  CHECK(info.eps == double{T::from_bits(above_one)} - 1);
}

}  // namespace

TEST_CASE("finfo and iinfo") {
  check_float<float>(kn::float32);
  check_float<double>(kn::float64);
  check_float<float>(kn::complex64);
  check_float<double>(kn::complex128);
  check_small<kn::float16_t>(0x7bff, 0x0400, 0x3c01);
  check_small<kn::bfloat16_t>(0x7f7f, 0x0080, 0x3f81);
  check_integer<std::int8_t>();
  check_integer<std::int16_t>();
  check_integer<std::int32_t>();
  check_integer<std::int64_t>();
  check_integer<std::uint8_t>();
  check_integer<std::uint16_t>();
  check_integer<std::uint32_t>();
  check_integer<std::uint64_t>();
  CHECK(kn::finfo(kn::ones({2})).dtype == kn::float32);
  CHECK(kn::iinfo(kn::array({1})).bits == 64);
  CHECK(has(message_of<kn::DTypeError>([] { kn::finfo(kn::int8); }), "[finfo] int8 is no floating type; take iinfo"));
  CHECK(has(message_of<kn::DTypeError>([] { kn::iinfo(kn::float16); }), "[iinfo] float16 is no integer type"));
  CHECK(has(message_of<kn::DTypeError>([] { kn::iinfo(kn::bool_); }), "[iinfo] bool is no integer type"));
}

TEST_CASE("isdtype takes words, types and lists of both") {
  CHECK(isdtype(kn::bool_, "bool"));
  CHECK(isdtype(kn::int16, "signed integer"));
  CHECK_FALSE(isdtype(kn::uint16, "signed integer"));
  CHECK(isdtype(kn::uint16, "unsigned integer"));
  CHECK(isdtype(kn::uint16, "integral"));
  CHECK(isdtype(kn::bfloat16, "real floating"));
  CHECK(isdtype(kn::complex64, "complex floating"));
  CHECK(isdtype(kn::complex64, "numeric"));
  CHECK_FALSE(isdtype(kn::bool_, "numeric"));
  CHECK(isdtype(kn::float32, kn::float32));
  CHECK_FALSE(isdtype(kn::float32, kn::float64));
  CHECK(isdtype(kn::float32, {"bool", "real floating"}));
  CHECK(isdtype(kn::float32, {"integral", kn::float32}));
  CHECK_FALSE(isdtype(kn::float32, {"integral", kn::float64}));
  CHECK(isdtype(kn::float32, std::string("real floating")));
  CHECK(has(message_of<kn::ValueError>([] { isdtype(kn::float32, "float"); }), "[isdtype] there is no kind \"float\""));
  CHECK_THROWS_AS(isdtype(kn::bool_, {"bool", "boolean"}), kn::ValueError);
}

TEST_CASE("can_cast and result_type of arrays, types and scalars") {
  const kn::Array x = kn::ones({2}, {.dtype = kn::int16});
  CHECK(kn::can_cast(x, kn::int32));
  CHECK_FALSE(kn::can_cast(x, kn::int8));
  CHECK_FALSE(kn::can_cast(kn::uint64, kn::int64));
  CHECK(kn::can_cast(kn::float64, kn::complex128));
  CHECK_FALSE(kn::can_cast(kn::float64, kn::complex64));
  CHECK(kn::result_type(x, kn::uint8) == kn::int16);
  CHECK(kn::result_type(x, 3) == kn::int16);
  CHECK(kn::result_type(x, 3, kn::float16) == kn::float16);
  CHECK(kn::result_type(1.5, x) == kn::float32);
  // Whatever the order: one scalar makes the type floating, which the other then fits.
  CHECK(kn::result_type(x, 1.5, 100'000) == kn::float32);
  CHECK(kn::result_type(x, 100'000, 1.5) == kn::float32);
  CHECK(has(message_of<kn::ValueError>([&] { kn::result_type(x, 100'000); }), "[result_type] the integer 100000"));
  CHECK(has(message_of<kn::ValueError>([] { kn::result_type(1, 2.0); }), "[result_type] got no array and no type"));
  CHECK(
      has(message_of<kn::DTypeError>([] { kn::result_type(kn::int8, kn::uint64); }), "[result_type] int8 and uint64"));
}

TEST_CASE("the namespace's inspection") {
  kn::test::on_each_device([] {
    const std::vector<DType> types = kn::dtypes();
    CHECK(types.size() == (kn::default_device().has_fp64() ? 15 : 13));
    CHECK(std::count(types.begin(), types.end(), kn::float32) == 1);
    CHECK(std::count(types.begin(), types.end(), kn::float64) == (kn::default_device().has_fp64() ? 1 : 0));
    CHECK(kn::dtypes({.device = kn::default_device(), .kind = "unsigned integer"}) ==
          std::vector<DType>{kn::uint8, kn::uint16, kn::uint32, kn::uint64});
    CHECK(kn::dtypes({.kind = {{"bool", kn::int8}}}) == std::vector<DType>{kn::bool_, kn::int8});
    // Every type that is listed can be made.
    for (const DType type : types) CHECK(kn::count_nonzero(kn::ones({2}, {.dtype = type})).item<int>() == 2);
    const kn::DefaultDTypes usual = kn::default_dtypes(kn::default_device());
    CHECK(usual.real_floating == kn::zeros({1}).dtype());
    CHECK(usual.integral == kn::array({1}).dtype());
    CHECK(usual.complex_floating == kn::asarray(std::complex<double>(0, 1)).dtype());
    CHECK(usual.indexing == kn::argmax(kn::zeros({1})).dtype());
    // What is said to work does.
    const kn::Array x = kn::array({1, 2, 3});
    CHECK(kn::capabilities().boolean_indexing);
    CHECK(kn::Array(x(x > 1)).to_vector<int>() == std::vector<int>{2, 3});
    CHECK(kn::capabilities().data_dependent_shapes);
    CHECK(kn::nonzero(x > 1).at(0).to_vector<int>() == std::vector<int>{1, 2});
    CHECK_FALSE(kn::capabilities().max_dimensions);
  });
  CHECK(has(message_of<kn::ValueError>([] { kn::dtypes({.kind = "whole"}); }), "[dtypes] there is no kind \"whole\""));
}
