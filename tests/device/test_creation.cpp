// SPDX-License-Identifier: Apache-2.0
// Making arrays: filled, from host data, literals, progressions, masks of matrices, coordinate grids.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::test::by_position;
using kn::test::check_array;
using kn::test::on_each_device;

namespace {

template <class T>
constexpr T sample(int i) {
  if constexpr (std::is_same_v<T, bool>) {
    return i % 2 == 1;
  } else {
    return static_cast<T>(static_cast<float>(i));
  }
}

/// Calls f.operator()<T>() for each element type that the device can compute in.
template <class F>
void each_type(F f) {
  f.template operator()<bool>();
  f.template operator()<std::int8_t>();
  f.template operator()<std::int16_t>();
  f.template operator()<std::int32_t>();
  f.template operator()<std::int64_t>();
  f.template operator()<std::uint8_t>();
  f.template operator()<std::uint16_t>();
  f.template operator()<std::uint32_t>();
  f.template operator()<std::uint64_t>();
  f.template operator()<kn::float16_t>();
  f.template operator()<kn::bfloat16_t>();
  f.template operator()<float>();
  f.template operator()<std::complex<float>>();
  if (!kn::test::computes(kn::float64)) return;
  f.template operator()<double>();
  f.template operator()<std::complex<double>>();
}

}  // namespace

TEST_CASE("zeros, ones and full of every type") {
  on_each_device([] {
    each_type([]<class T>() {
      constexpr kn::DType type = kn::dtype_of<T>;
      CAPTURE(type);
      const kn::Array z = kn::zeros({3, 5}, {.dtype = type}), o = kn::ones({3, 5}, {.dtype = type});
      CHECK(z.dtype() == type);
      CHECK(z.nbytes() == 15 * static_cast<std::int64_t>(sizeof(T)));
      check_array(z, {3, 5}, std::vector<T>(15, sample<T>(0)));
      check_array(o, {3, 5}, std::vector<T>(15, sample<T>(1)));
      check_array(kn::full({7}, 1, {.dtype = type}), {7}, std::vector<T>(7, sample<T>(1)));
      check_array(kn::zeros_like(o), {3, 5}, std::vector<T>(15, sample<T>(0)));
    });
  });
}

TEST_CASE("sizes of any integral type make a shape") {
  const std::vector<float> v(4);
  const short narrow = 2;
  const unsigned long long wide = 5;
  const std::uint8_t byte = 1;
  CHECK(kn::zeros({v.size(), 3}).shape() == kn::Shape{4, 3});
  CHECK(kn::ones({narrow, wide, byte, 3L, v.size()}).shape() == kn::Shape{2, 5, 1, 3, 4});
  CHECK(kn::empty(std::vector<int>{2, 3}).shape() == kn::Shape{2, 3});
  CHECK(kn::full(std::vector<std::size_t>{6}, 1.5).shape() == kn::Shape{6});
  CHECK(kn::zeros({}).shape() == kn::Shape{});
  CHECK(kn::zeros({}).ndim() == 0);
  CHECK(kn::zeros({}).size() == 1);
  CHECK(kn::zeros({4, 0, 3}).size() == 0);
  CHECK(kn::zeros({1, 2, 1, 2, 1, 2, 1, 2}).ndim() == 8);
}

TEST_CASE("an array says what it is") {
  const kn::Array x = kn::zeros({4, 5, 6}, {.dtype = kn::int16});
  CHECK(x.shape() == kn::Shape{4, 5, 6});
  CHECK(x.shape(0) == 4);
  CHECK(x.shape(-1) == 6);
  CHECK(x.ndim() == 3);
  CHECK(x.size() == 120);
  CHECK(x.nbytes() == 240);
  CHECK(x.device() == kn::default_device());
  const kn::Array nothing;
  CHECK(nothing.shape() == kn::Shape{0});
  CHECK(nothing.dtype() == kn::float32);
  CHECK(nothing.to_vector<float>().empty());
}

TEST_CASE("a filled array has its value's kind, unless a type is given") {
  on_each_device([] {
    CHECK(kn::full({2}, true).dtype() == kn::bool_);
    CHECK(kn::full({2}, 3).dtype() == kn::int64);
    CHECK(kn::full({2}, 3u).dtype() == kn::int64);
    CHECK(kn::full({2}, 2.5).dtype() == kn::float32);
    CHECK(kn::full({2}, 2.5f).dtype() == kn::float32);
    CHECK(kn::full({2}, std::complex<double>(1, 2)).dtype() == kn::complex64);
    check_array<std::uint64_t>(kn::full({2}, ~std::uint64_t{0}), {2}, {~std::uint64_t{0}, ~std::uint64_t{0}});
    check_array<std::uint8_t>(kn::full({3}, 255, {.dtype = kn::uint8}), {3}, {255, 255, 255});
    check_array<std::int64_t>(kn::full({1}, std::numeric_limits<std::int64_t>::min()), {1},
                              {std::numeric_limits<std::int64_t>::min()});
    check_array<std::complex<float>>(kn::full({1}, std::complex<float>(1, -2)), {1}, {{1, -2}});
    check_array<float>(kn::full({2}, 0.1), {2}, {0.1f, 0.1f});
    CHECK(kn::full({}, 7).item<int>() == 7);
  });
}

TEST_CASE("the type and shape of another array, unless given otherwise") {
  on_each_device([] {
    const kn::Array x = kn::asarray(std::vector<std::int16_t>{1, 2, 3, 4, 5, 6}, {2, 3});
    for (const kn::Array& like : {kn::empty_like(x), kn::zeros_like(x), kn::ones_like(x), kn::full_like(x, 9)}) {
      CHECK(like.shape() == x.shape());
      CHECK(like.dtype() == kn::int16);
      CHECK(like.device() == x.device());
    }
    check_array<std::int16_t>(kn::full_like(x, -9), {2, 3}, std::vector<std::int16_t>(6, -9));
    check_array<float>(kn::full_like(x, 0.5, {.dtype = kn::float32}), {2, 3}, std::vector<float>(6, 0.5f));
    check_array<std::int16_t>(kn::ones_like(x.T()), {3, 2}, std::vector<std::int16_t>(6, 1));
  });
}

TEST_CASE("arrays are made on the device that is asked for") {
  for (const kn::Device& device : kn::devices()) {
    CAPTURE(device.selector());
    CHECK(kn::zeros({2}, {.device = device}).device() == device);
    CHECK(kn::asarray(std::vector<int>{1, 2}, {.device = device}).device() == device);
    CHECK(kn::arange(4, {.device = device}).device() == device);
    CHECK(kn::linspace(0, 1, 3, {.device = device}).device() == device);
    CHECK(kn::eye(3, {.device = device}).device() == device);
    CHECK(kn::array({1, 2}, {.device = device}).device() == device);
    const kn::DeviceScope scope(device);
    CHECK(kn::ones({2}).device() == device);
    CHECK(kn::asarray(2.5).device() == device);
  }
}

TEST_CASE("host values of every type go in and come out unchanged") {
  on_each_device([] {
    each_type([]<class T>() {
      CAPTURE(kn::dtype_of<T>);
      std::vector<T> values;
      for (int i = 0; i < 100; ++i) values.push_back(sample<T>(i));
      const kn::Array x = kn::asarray(values, {4, 25});
      CHECK(x.dtype() == kn::dtype_of<T>);
      check_array(x, {4, 25}, values);
      check_array(kn::asarray(values), {100}, values);
    });
  });
}

TEST_CASE("any contiguous range is a source, and may be reused at once") {
  on_each_device([] {
    std::vector<int> values = {1, 2, 3, 4};
    const kn::Array x = kn::asarray(values);
    values.assign(4, -1);
    CHECK(x.dtype() == kn::int32);
    check_array<int>(x, {4}, {1, 2, 3, 4});
    const std::array<double, 2> pair = {0.5, 1.5};
    check_array<float>(kn::asarray(pair, {.dtype = kn::float32}), {2}, {0.5f, 1.5f});
    const float plain[] = {1, 2, 3};
    check_array<float>(kn::asarray(plain), {3}, {1, 2, 3});
    check_array<float>(kn::asarray(std::span(plain, 2), {1, 2}), {1, 2}, {1, 2});
    const std::vector<bool> bits = {true, false, true, true, false, false};
    CHECK(kn::asarray(bits).dtype() == kn::bool_);
    CHECK(kn::asarray(bits, {2, 3}).to_vector<bool>() == bits);
    check_array<float>(kn::asarray(bits, {.dtype = kn::float32}), {6}, {1, 0, 1, 1, 0, 0});
    CHECK(kn::asarray(std::vector<long>{1}).dtype() == kn::int64);
    CHECK(kn::asarray(std::vector<unsigned long long>{1}).dtype() == kn::uint64);
    check_array<float>(kn::asarray(std::vector<float>{}, {0, 3}), {0, 3}, {});
  });
}

TEST_CASE("a scalar becomes an array without axes, of its kind's type") {
  on_each_device([] {
    CHECK(kn::asarray(true).dtype() == kn::bool_);
    CHECK(kn::asarray(3).dtype() == kn::int64);
    CHECK(kn::asarray(3.0).dtype() == kn::float32);
    CHECK(kn::asarray(std::complex<float>(1, 2)).dtype() == kn::complex64);
    CHECK(kn::asarray(3).shape() == kn::Shape{});
    CHECK(kn::asarray(3, {.dtype = kn::int8}).dtype() == kn::int8);
    CHECK(kn::asarray(2.5).item<double>() == 2.5);
    // No longer weak: int64 beside int8 is int64.
    CHECK((kn::asarray(3) + kn::ones({2}, {.dtype = kn::int8})).dtype() == kn::int64);
    const kn::Array x = kn::asarray(kn::arange(3), {.dtype = kn::float32});
    check_array<float>(x, {3}, {0, 1, 2});
  });
}

TEST_CASE("arrays written out") {
  on_each_device([] {
    CHECK(kn::array({1, 2, 3}).dtype() == kn::int64);
    check_array<std::int64_t>(kn::array({1, 2, 3}), {3}, {1, 2, 3});
    CHECK(kn::array({1., 2.}).dtype() == kn::float32);
    check_array<float>(kn::array({{1., 2.}, {3., 4.}, {5., 6.}}), {3, 2}, {1, 2, 3, 4, 5, 6});
    check_array<std::int64_t>(kn::array({{{1, 2}}, {{3, 4}}}), {2, 1, 2}, {1, 2, 3, 4});
    CHECK(kn::array({true, false}).to_vector<bool>() == std::vector<bool>{true, false});
    CHECK(kn::array({1.f, 2.f}).dtype() == kn::float32);
    CHECK(kn::array({std::complex<double>(1, 2)}).dtype() == kn::complex64);
    check_array<std::uint8_t>(kn::array({1, 255}, {.dtype = kn::uint8}), {2}, {1, 255});
    check_array<float>(kn::array({1, 2}, {.dtype = kn::float16}), {2}, {1, 2});
    CHECK(kn::array({'a', 'b'}).to_vector<char>() == std::vector<char>{'a', 'b'});
    CHECK(kn::array({1L, 2L}).dtype() == kn::int64);
    check_array<std::uint64_t>(kn::array({~std::uint64_t{0}}, {.dtype = kn::uint64}), {1}, {~std::uint64_t{0}});
  });
}

TEST_CASE("arange of integers") {
  on_each_device([] {
    const auto check = [](const kn::Array& x, const std::vector<std::int64_t>& values) {
      CHECK(x.dtype() == kn::int64);
      check_array(x, {values.size()}, values);
    };
    check(kn::arange(5), {0, 1, 2, 3, 4});
    check(kn::arange(2, 5), {2, 3, 4});
    check(kn::arange(2, 10, 3), {2, 5, 8});
    check(kn::arange(2, 11, 3), {2, 5, 8});
    check(kn::arange(2, 12, 3), {2, 5, 8, 11});
    check(kn::arange(5, 0, -2), {5, 3, 1});
    check(kn::arange(-3, 3, 2), {-3, -1, 1});
    check(kn::arange(0), {});
    check(kn::arange(-4), {});
    check(kn::arange(5, 2), {});
    check(kn::arange(2, 5, -1), {});
    check(kn::arange(3, 3), {});
    check(kn::arange(0, 2, 100), {0});
    constexpr std::int64_t large = (std::int64_t{1} << 53) + 1, last = std::numeric_limits<std::int64_t>::max();
    check(kn::arange(large, large + 3), {large, large + 1, large + 2});
    check(kn::arange(last - 2, last), {last - 2, last - 1});
    check(kn::arange(std::numeric_limits<std::int64_t>::min(), last, last),
          {std::numeric_limits<std::int64_t>::min(), -1, last - 1});
    constexpr std::uint64_t half = std::uint64_t{1} << 63, most = std::numeric_limits<std::uint64_t>::max();
    check(kn::arange(last - 1, half), {last - 1, last});
    check(kn::arange(0, half, half - 1), {0, last});
    check(kn::arange(0, 3, half), {0});
    check(kn::arange(-1, most, half), {-1, last});
    const auto wide = [](const kn::Array& x, const std::vector<std::uint64_t>& values) {
      check_array(x, {values.size()}, values);
    };
    wide(kn::arange(0, most, half, {.dtype = kn::uint64}), {0, half});
    wide(kn::arange(half, last - 1, -2, {.dtype = kn::uint64}), {half});
    wide(kn::arange(half, half - 3, -1, {.dtype = kn::uint64}), {half, half - 1, half - 2});
    CHECK_THROWS_AS(kn::arange(0, half), kn::Error);
    CHECK_THROWS_AS(kn::arange(-2, most), kn::Error);
    CHECK_THROWS_AS(kn::arange(half, half + 2), kn::Error);
    CHECK(kn::arange(5, {.dtype = kn::uint8}).dtype() == kn::uint8);
    check_array<std::uint8_t>(kn::arange(250, 256, 1, {.dtype = kn::uint8}), {6}, {250, 251, 252, 253, 254, 255});
    check_array<float>(kn::arange(3, {.dtype = kn::float32}), {3}, {0, 1, 2});
    check_array<float>(kn::arange(-2, 1, 1, {.dtype = kn::bfloat16}), {3}, {-2, -1, 0});
  });
}

TEST_CASE("arange of real numbers rounds each value once") {
  on_each_device(kn::float64, [] {
    const kn::Array x = kn::arange(0.0, 1.0, 0.1);
    CHECK(x.dtype() == kn::float32);
    check_array<float>(x, {10}, by_position<float>({10}, [](auto& p) { return static_cast<double>(p[0]) * 0.1; }));
    const kn::Array y = kn::arange(-1.5, 1e5, 0.3);
    const auto count = static_cast<std::int64_t>(std::ceil((1e5 + 1.5) / 0.3));
    check_array<float>(y, {count},
                       by_position<float>({count}, [](auto& p) { return -1.5 + 0.3 * static_cast<double>(p[0]); }));
    check_array<float>(kn::arange(3.0), {3}, {0, 1, 2});
    check_array<float>(kn::arange(0, 1.0), {1}, {0});
    check_array<float>(kn::arange(1.0, 0, -0.25), {4}, {1, 0.75f, 0.5f, 0.25f});
    check_array<float>(kn::arange(1.0, 1.0), {0}, {});
    check_array<double>(kn::arange(0, 2, 0.5, {.dtype = kn::float64}), {4}, {0, 0.5, 1, 1.5});
    check_array<int>(kn::arange(0.0, 4.0, 1.0, {.dtype = kn::int32}), {4}, {0, 1, 2, 3});
  });
}

TEST_CASE("linspace ends where it is told") {
  on_each_device(kn::float64, [] {
    check_array<float>(kn::linspace(0, 1, 5), {5}, {0, 0.25f, 0.5f, 0.75f, 1});
    check_array<float>(kn::linspace(0, 1, 4, {.endpoint = false}), {4}, {0, 0.25f, 0.5f, 0.75f});
    check_array<float>(kn::linspace(1, -1, 3), {3}, {1, 0, -1});
    check_array<float>(kn::linspace(2, 3, 1), {1}, {2});
    check_array<float>(kn::linspace(2, 3, 1, {.endpoint = false}), {1}, {2});
    check_array<float>(kn::linspace(2, 3, 0), {0}, {});
    check_array<float>(kn::linspace(2, 2, 3), {3}, {2, 2, 2});
    check_array<std::int32_t>(kn::linspace(0, 10, 5, {.dtype = kn::int32}), {5}, {0, 2, 5, 7, 10});
    for (const double stop : {0.7, 1e-3, 3.3}) {
      const kn::Array x = kn::linspace(0.1, stop, 1001);
      CHECK(x.dtype() == kn::float32);
      check_array<float>(x, {1001}, by_position<float>({1001}, [&](auto& p) {
                           const double step = (stop - 0.1) / 1000;
                           return p[0] == 1000 ? stop : 0.1 + step * static_cast<double>(p[0]);
                         }));
    }
    check_array<double>(kn::linspace(0, 0.3, 4, {.dtype = kn::float64})(kn::slice(3, kn::none)), {1}, {0.3});
    using Complex = std::complex<float>;
    check_array<Complex>(kn::linspace(0, Complex(4, -2), 3), {3}, {{0, 0}, {2, -1}, {4, -2}});
    CHECK(kn::linspace(Complex(0, 1), 1, 3).dtype() == kn::complex64);
    CHECK(kn::test::message_of<kn::DTypeError>([] { kn::linspace(Complex(0, 1), 1, 3, {.dtype = kn::float64}); }) ==
          "[linspace] complex ends need a complex .dtype, not float64");
  });
}

TEST_CASE("eye") {
  on_each_device([] {
    const auto check = [](const kn::Array& x, std::int64_t rows, std::int64_t columns, std::int64_t k) {
      CAPTURE(k);
      check_array<float>(x, {rows, columns},
                         by_position<float>({rows, columns}, [&](auto& p) { return p[1] - p[0] == k ? 1 : 0; }));
    };
    check(kn::eye(4), 4, 4, 0);
    check(kn::eye(1), 1, 1, 0);
    check(kn::eye(3, 5), 3, 5, 0);
    check(kn::eye(5, 3), 5, 3, 0);
    for (const std::int64_t k : {-6, -2, -1, 1, 2, 5, 100}) check(kn::eye(4, 6, {.k = k}), 4, 6, k);
    check(kn::eye(3, {.k = 1}), 3, 3, 1);
    CHECK(kn::eye(0).shape() == kn::Shape{0, 0});
    CHECK(kn::eye(0, 3).to_vector<float>().empty());
    CHECK(kn::eye(2, {.dtype = kn::bool_}).to_vector<bool>() == std::vector<bool>{true, false, false, true});
    check_array<int>(kn::eye(2, 3, {.k = -1, .dtype = kn::int32}), {2, 3}, {0, 0, 0, 1, 0, 0});
    check_array<std::complex<float>>(kn::eye(2, {.dtype = kn::complex64}), {2, 2}, {1, 0, 0, 1});
  });
}

TEST_CASE("tril and triu keep one side of the diagonal") {
  on_each_device([] {
    const auto check = [](const kn::Array& x, const kn::Shape& shape, std::int64_t k) {
      CAPTURE(shape);
      CAPTURE(k);
      const std::size_t row = shape.size() - 2, column = shape.size() - 1;
      const auto kept = [&](bool lower) {
        return by_position<std::int32_t>(shape, [&](auto& p) {
          const std::int64_t d = p[column] - p[row];
          return (lower ? d <= k : d >= k) ? kn::test::number_of(p, shape) : 0;
        });
      };
      CHECK(kn::tril(x, {.k = k}).dtype() == kn::int32);
      check_array(kn::tril(x, {.k = k}), shape, kept(true));
      check_array(kn::triu(x, {.k = k}), shape, kept(false));
    };
    for (const std::int64_t k : {-5, -1, 0, 1, 5}) {
      check(kn::test::numbered({4, 6}), {4, 6}, k);
      check(kn::test::numbered({2, 3, 5, 3}), {2, 3, 5, 3}, k);
    }
    check(kn::test::numbered({3, 0}), {3, 0}, 0);
    check_array<std::int32_t>(kn::tril(kn::test::numbered({2, 3}).T()), {3, 2}, {0, 0, 1, 4, 2, 5});
    // What is left out is 0 whatever stood there.
    const kn::Array bad = kn::full({2, 2}, std::numeric_limits<double>::quiet_NaN());
    CHECK(kn::triu(bad, {.k = 5}).to_vector<float>() == std::vector<float>(4, 0.f));
  });
}

TEST_CASE("meshgrid") {
  on_each_device([] {
    const std::vector<kn::Array> axes = {kn::array({1, 2, 3}), kn::array({10, 20}), kn::array({5, 6, 7, 8})};
    const std::vector<std::vector<std::int64_t>> values = {{1, 2, 3}, {10, 20}, {5, 6, 7, 8}};
    const auto check = [&](std::size_t count, const char* indexing, const kn::Shape& shape,
                           const std::vector<std::size_t>& axis_of) {
      CAPTURE(indexing);
      const std::vector<kn::Array> grids =
          kn::meshgrid({axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(count)}, {.indexing = indexing});
      REQUIRE(grids.size() == count);
      for (std::size_t k = 0; k < count; ++k) {
        check_array(grids[k], shape, by_position<std::int64_t>(shape, [&](auto& p) {
                      return values[k][static_cast<std::size_t>(p[axis_of[k]])];
                    }));
      }
    };
    check(2, "xy", {2, 3}, {1, 0});
    check(2, "ij", {3, 2}, {0, 1});
    check(3, "xy", {2, 3, 4}, {1, 0, 2});
    check(3, "ij", {3, 2, 4}, {0, 1, 2});
    check(1, "xy", {3}, {0});
    CHECK(kn::meshgrid({}).empty());
    CHECK(kn::meshgrid(axes)[0].shape() == kn::Shape{2, 3, 4});
  });
}

TEST_CASE("numbers that an integer type cannot hold") {
  on_each_device([] {
    constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    const auto refused = [](auto call) {
      const std::string message = kn::test::message_of<kn::ValueError>(call);
      CAPTURE(message);
      CHECK(kn::test::has(message, "does not fit"));
    };
    for (const kn::DType type : {kn::int8, kn::int32, kn::int64, kn::uint8, kn::uint64}) {
      CAPTURE(type);
      const kn::Array x = kn::zeros({3}, {.dtype = type});
      for (const double value : {nan, infinity, -infinity, 1e30, -1e30, 0x1p64, -0x1.8p63}) {
        CAPTURE(value);
        refused([&] { kn::full({2}, value, {.dtype = type}); });
        refused([&] { kn::full_like(x, value); });
        refused([&] { kn::asarray(value, {.dtype = type}); });
        refused([&] { kn::array({1.0, value}, {.dtype = type}); });
        refused([&] { kn::array({{1.0}, {value}}, {.dtype = type}); });
        refused([&] { kn::pad(x, 1, {.constant_values = value}); });
        refused([&] {
          kn::Array y = x;
          y(1) = value;
        });
        refused([&] {
          kn::Array y = x;
          y(y == 0) = value;
        });
        if (std::isfinite(value)) {
          refused([&] { kn::linspace(value, 0.0, 3, {.dtype = type}); });
          refused([&] { kn::arange(value, value + 1e20, 1e20, {.dtype = type}); });
        }
      }
      check_array<float>(x, {3}, {0, 0, 0});
    }
    CHECK(kn::test::message_of<kn::ValueError>([] { kn::full({2}, nan, {.dtype = kn::int32}); }) ==
          "[full] nan does not fit int32, which holds -2147483648 to 2147483647");
    refused([] { kn::full({2}, 256.0, {.dtype = kn::uint8}); });
    refused([] { kn::full({2}, -1.0, {.dtype = kn::uint8}); });
    refused([] { kn::arange(0.0, 257.0, 1.0, {.dtype = kn::uint8}); });
    // Fractions are cut off.
    check_array<int>(kn::full({3}, 255.9, {.dtype = kn::uint8}), {3}, {255, 255, 255});
    check_array<int>(kn::array({2.5, -0.9, -2.5}, {.dtype = kn::int32}), {3}, {2, 0, -2});
    check_array<int>(kn::full({1}, -0.9, {.dtype = kn::uint8}), {1}, {0});
    check_array<std::int64_t>(kn::full({1}, -0x1p63, {.dtype = kn::int64}), {1},
                              {std::numeric_limits<std::int64_t>::min()});
    CHECK(kn::full({2}, nan, {.dtype = kn::bool_}).to_vector<bool>() == std::vector<bool>{true, true});
    CHECK(std::isinf(kn::full({}, 1e300).item<float>()));
  });
}

TEST_CASE("linspace of integers rounds down, exactly") {
  on_each_device([] {
    check_array<int>(kn::linspace(-3, 3, 5, {.dtype = kn::int32}), {5}, {-3, -2, 0, 1, 3});
    check_array<int>(kn::linspace(-3.5, 3, 4, {.dtype = kn::int32}), {4}, {-4, -2, 0, 3});
    check_array<int>(kn::linspace(3, -3, 5, {.dtype = kn::int32}), {5}, {3, 1, 0, -2, -3});
    check_array<int>(kn::linspace(0, 256, 4, {.dtype = kn::uint8, .endpoint = false}), {4}, {0, 64, 128, 192});
    check_array<int>(kn::linspace(-2.5, 1, 1, {.dtype = kn::int32}), {1}, {-3});
    check_array<int>(kn::linspace(7, 1000, 1, {.dtype = kn::uint8}), {1}, {7});
    check_array<int>(kn::linspace(7, 1000, 0, {.dtype = kn::uint8}), {0}, {});
    const auto check = [](std::int64_t start, std::int64_t stop, std::int64_t num, bool endpoint) {
      CAPTURE(start);
      CAPTURE(stop);
      CAPTURE(num);
      __extension__ using Wide = __int128;
      std::vector<std::int64_t> want;
      for (std::int64_t i = 0; i < num; ++i) {
        const Wide gaps = std::max<std::int64_t>(endpoint ? num - 1 : num, 1), way = (Wide(stop) - start) * i;
        want.push_back(static_cast<std::int64_t>(start + way / gaps - (way % gaps < 0)));
      }
      check_array(kn::linspace(start, stop, num, {.dtype = kn::int64, .endpoint = endpoint}), {num}, want);
    };
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    for (const bool endpoint : {true, false}) {
      for (const std::int64_t num : {1, 2, 3, 50, 99, 1001}) {
        // Equal numbers of the sum are one parameter, and so another program.
        if (num < 3 && !endpoint && !kn::test::all_variants()) continue;
        check(5, -9, num, endpoint);
        check(-most - 1, most, num, endpoint);
        check(most, most - 1, num, endpoint);
        if (!kn::test::all_variants()) continue;
        check(0, 2, num, endpoint);
        check(0, most, num, endpoint);
        check(most, -most - 1, num, endpoint);
      }
    }
    check_array<std::uint64_t>(kn::linspace(0, ~std::uint64_t{0}, 4, {.dtype = kn::uint64}), {4},
                               {0, ~std::uint64_t{0} / 3, ~std::uint64_t{0} / 3 * 2, ~std::uint64_t{0}});
    CHECK(kn::test::has(kn::test::message_of<kn::ValueError>([] { kn::linspace(0, 256, 4, {.dtype = kn::uint8}); }),
                        "[linspace]"));
  });
}

TEST_CASE("linspace between ends whose distance is past the type's range") {
  on_each_device([] {
    check_array<float>(kn::linspace(-3e38, 3e38, 3), {3}, {-3e38f, 0, 3e38f});
    if (!kn::test::computes(kn::float64)) return;
    const auto values = kn::linspace(-1.6e308, 1.6e308, 5, {.dtype = kn::float64}).to_vector<double>();
    CHECK(values[0] == -1.6e308);
    CHECK(std::abs(values[1] + 8e307) < 1e293);
    CHECK(values[2] == 0);
    CHECK(values[4] == 1.6e308);
  });
}
