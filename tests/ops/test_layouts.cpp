// SPDX-License-Identifier: Apache-2.0
// Element-wise operations on views: strides of either sign, permuted axes, broadcasting, no axes, no elements, odd
// sizes.
#include "support/devices.hpp"

#include <koine/koine.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

using namespace koine::test;
namespace kn = koine;
using kn::all;
using kn::Array;
using kn::none;
using kn::Shape;
using kn::slice;

namespace {

/// An array whose element at (i, j, k) is f(i, j, k); the coordinates of missing axes are 0.
template <class T, class F>
Array filled(const Shape& shape, F f) {
  std::vector<T> values;
  const auto size = [&](std::size_t axis) { return axis < shape.size() ? shape[axis] : 1; };
  for (int i = 0; i < size(0); ++i) {
    for (int j = 0; j < size(1); ++j) {
      for (int k = 0; k < size(2); ++k) values.push_back(static_cast<T>(f(i, j, k)));
    }
  }
  return kn::asarray(values, shape);
}

/// Whether an array has that shape and those elements.
template <class T, class F>
void check_elements(const Array& array, const Shape& shape, F f) {
  REQUIRE(array.shape() == shape);
  REQUIRE(array.dtype() == kn::dtype_of<T>);
  const std::vector<T> got = array.to_vector<T>(), want = filled<T>(shape, f).template to_vector<T>();
  CHECK(got == want);
}

int number(int i, int j, int k) { return 100 * i + 10 * j + k; }

}  // namespace

TEST_CASE("strides of either sign, on one axis and on two") {
  on_each_device([] {
    const Array x = filled<float>({9, 14}, number);
    check_elements<float>(x(slice(none, none, -1)) - x, {9, 14}, [](int i, int, int) { return 100 * (8 - 2 * i); });
    check_elements<float>(x(all, slice(none, none, 3)) + x(all, slice(13, none, -3)), {9, 5},
                          [](int i, int j, int) { return 200 * i + 10 * (3 * j + 13 - 3 * j); });
    check_elements<float>(-x(slice(7, 0, -3), slice(2, 11, 4)), {3, 3},
                          [](int i, int j, int) { return -(100 * (7 - 3 * i) + 10 * (2 + 4 * j)); });
    check_elements<float>(kn::square(x(4)), {14}, [](int j, int, int) { return (400 + 10 * j) * (400 + 10 * j); });
    check_elements<float>(kn::abs(x(slice(none, none, -2), -1)), {5},
                          [](int i, int, int) { return 100 * (8 - 2 * i) + 130; });
  });
}

TEST_CASE("every start of a slice, so that vectors begin at every alignment") {
  on_each_device([] {
    const Array x = filled<float>({100}, [](int i, int, int) { return i; });
    for (int start = 0; start <= 17; ++start) {
      check_elements<float>(x(slice(start, none)) * 2, {100 - start}, [&](int i, int, int) { return 2 * (start + i); });
      check_elements<float>(x(slice(start, 50)) + x(slice(50 - start, none))(slice(0, 50 - start)), {50 - start},
                            [&](int i, int, int) { return 50 + 2 * i; });
    }
  });
}

TEST_CASE("permuted axes beside contiguous ones") {
  on_each_device([] {
    const Array x = filled<std::int32_t>({3, 5, 7}, number);
    const Array y = filled<std::int32_t>({7, 3, 5}, [](int i, int j, int k) { return i - j * k; });
    check_elements<std::int32_t>(kn::permute_dims(x, {2, 0, 1}) + y, {7, 3, 5},
                                 [](int i, int j, int k) { return number(j, k, i) + i - j * k; });
    check_elements<std::int32_t>(x.mT() - 1, {3, 7, 5}, [](int i, int j, int k) { return number(i, k, j) - 1; });
    check_elements<std::int32_t>(kn::flip(kn::permute_dims(x, {1, 2, 0})) * 3, {5, 7, 3},
                                 [](int i, int j, int k) { return 3 * number(2 - k, 4 - i, 6 - j); });
  });
}

TEST_CASE("broadcast operands: rows, columns, planes, arrays without axes, scalars") {
  on_each_device([] {
    const Array row = filled<float>({7}, [](int i, int, int) { return i; });
    const Array column = filled<float>({5, 1}, [](int i, int, int) { return 10 * i; });
    const Array planes = filled<float>({3, 1, 1}, [](int i, int, int) { return 100 * i; });
    const Array scalar = kn::asarray(1000.0);
    REQUIRE(scalar.ndim() == 0);
    check_elements<float>(row + column, {5, 7}, [](int i, int j, int) { return 10 * i + j; });
    check_elements<float>(column - row, {5, 7}, [](int i, int j, int) { return 10 * i - j; });
    check_elements<float>(planes + column + row + scalar, {3, 5, 7},
                          [](int i, int j, int k) { return number(i, j, k) + 1000; });
    check_elements<float>(scalar * row, {7}, [](int i, int, int) { return 1000 * i; });
    check_elements<float>(kn::broadcast_to(row, {5, 7}) * 2, {5, 7}, [](int, int j, int) { return 2 * j; });
    check_elements<float>(kn::broadcast_to(column(slice(none, none, -1)), {5, 7}) + row, {5, 7},
                          [](int i, int j, int) { return 10 * (4 - i) + j; });
    check_elements<float>(kn::expand_dims(row, 1) + row, {7, 7}, [](int i, int j, int) { return i + j; });
  });
}

TEST_CASE("no axes, no elements, one element") {
  on_each_device([] {
    const Array none_at_all = kn::zeros({0}), plane = kn::zeros({3, 0, 2}), one = kn::full({1, 1}, 4.0);
    check_elements<float>(kn::asarray(3.0) + 1, {}, [](int, int, int) { return 4; });
    check_elements<float>(none_at_all + 1, {0}, number);
    check_elements<float>(kn::exp(plane), {3, 0, 2}, number);
    check_elements<float>(none_at_all + one, {1, 0}, number);
    check_elements<float>(plane + kn::zeros({3, 1, 2}), {3, 0, 2}, number);
    check_elements<float>(kn::sqrt(one), {1, 1}, [](int, int, int) { return 2; });
    CHECK((kn::asarray(3.0) + kn::asarray(4.0)).item<float>() == 7.0f);
  });
}

TEST_CASE("every size around the widths of vectors and chunks") {
  on_each_device([] {
    std::vector<int> sizes = {63, 64, 65, 127, 129, 255, 257, 1000, 1023, 1025, 4099, 65537};
    for (int size = 1; size <= 40; ++size) sizes.push_back(size);
    for (const int size : sizes) {
      CAPTURE(size);
      const Array x = filled<float>({size}, [](int i, int, int) { return i; });
      check_elements<float>(x * 0.5, {size}, [](int i, int, int) { return 0.5 * i; });
    }
  });
}

TEST_CASE("narrow and wide types through strides") {
  on_each_device([] {
    const auto turned = [](int i, int, int) { return 20 - i; };
    check_elements<std::int8_t>(filled<std::int8_t>({20}, [](int i, int, int) { return i; })(slice(none, none, -1)) + 1,
                                {20}, turned);
    check_elements<std::uint64_t>(
        filled<std::uint64_t>({20}, [](int i, int, int) { return i; })(slice(none, none, -1)) + 1, {20}, turned);
    const std::vector<kn::float16_t> halves(30, kn::float16_t(1.5f));
    const auto doubled =
        (kn::asarray(halves)(slice(none, none, 3)) + kn::asarray(halves)(slice(none, 10))).to_vector<float>();
    CHECK(doubled == std::vector<float>(10, 3.0f));
    std::vector<std::complex<float>> complex;
    for (int i = 0; i < 12; ++i) complex.emplace_back(float(i), float(-i));
    const auto product = kn::conj(kn::asarray(complex)(slice(none, none, -4))).to_vector<std::complex<float>>();
    CHECK(product == std::vector<std::complex<float>>{{11, 11}, {7, 7}, {3, 3}});
    const std::vector<bool> flags = {true, false, false, true, true, false};
    const auto inverted = kn::logical_not(kn::asarray(flags)(slice(none, none, -2))).to_vector<bool>();
    CHECK(inverted == std::vector<bool>{true, false, true});
  });
}

// Some drivers' vector functions go wrong in lanes beside a huge or infinite one.
TEST_CASE("sin, cos and tan of small numbers beside huge ones") {
  on_each_device([] {
    for (const float huge : {1e8f, 3e20f, std::numeric_limits<float>::infinity()}) {
      for (std::size_t at = 0; at < 16; ++at) {
        std::vector<float> values(32, 0.001f);
        values[at] = huge;
        const Array x = kn::asarray(values);
        const Array s = kn::sin(x), c = kn::cos(x), t = kn::tan(x),
                    h = kn::sinh(kn::multiply(x, std::complex<float>(0, 1)));
        kn::eval(s, c, t, h);
        const auto sines = s.to_vector<float>(), cosines = c.to_vector<float>(), tangents = t.to_vector<float>();
        const auto turned = h.to_vector<std::complex<float>>();
        for (std::size_t i = 0; i < values.size(); ++i) {
          if (i == at) continue;
          CHECK(std::abs(sines[i] - std::sin(0.001f)) < 1e-9f);
          CHECK(std::abs(cosines[i] - std::cos(0.001f)) < 1e-6f);
          CHECK(std::abs(tangents[i] - std::tan(0.001f)) < 1e-9f);
          CHECK(std::abs(turned[i].imag() - std::sin(0.001f)) < 1e-9f);
        }
      }
    }
  });
}
