// SPDX-License-Identifier: Apache-2.0
// Arrays of more than 2^32 elements, whose positions fit no 32-bit integer. They need a card with the memory; a device
// that has not enough, or refuses buffers of that size, must say so.
#include <doctest/doctest.h>
#include <koine/async.hpp>
#include <koine/koine.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/big.hpp"
#include "support/devices.hpp"
#include "support/inner.hpp"

namespace kn = koine;
using kn::Array;
using kn::slice;
using kn::test::differing;
using kn::test::has;
using kn::test::in_parts;
using kn::test::message_of;
using kn::test::on_large_devices;
using kn::test::pattern;
using kn::test::two31;
using kn::test::two32;

namespace {

constexpr std::int64_t big = two32 + 3, rows = 7, columns = big / rows;
static_assert(rows * columns == big);

const std::vector<std::uint8_t>& patterns() {
  static const std::vector<std::uint8_t> values = [] {
    std::vector<std::uint8_t> made(big);
    in_parts(big, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) made[i] = pattern(i);
    });
    return made;
  }();
  return values;
}

}  // namespace

TEST_CASE("what does not fit in one buffer is refused with a sentence before the driver is asked") {
  kn::test::on_each_device([] {
    const std::uint64_t largest = kn::test::facts_of().largest_buffer;
    const auto elements = static_cast<std::int64_t>(largest / 4) + 1;
    const Array x = kn::ones({elements});  // pending: nothing of that size is asked for yet
    const std::uint64_t before = kn::memory_stats(kn::default_device()).in_use;
    const std::string text = message_of<kn::OutOfMemory>([&] { (x + 1).eval(); });
    CAPTURE(text);
    CHECK(text.starts_with("[add] "));
    CHECK(has(text, kn::test::bytes_text(largest)));
    CHECK(has(text, "at once"));
    CHECK(kn::memory_stats(kn::default_device()).in_use == before);
    // Where no memory of that size is needed it goes on working.
    CHECK(x(-1).item<float>() == 1.0f);
    CHECK(x(slice(-3, kn::none)).to_vector<float>() == std::vector<float>(3, 1.0f));
    CHECK(kn::max(x).item<float>() == 1.0f);
  });
}

TEST_CASE("elements past 2^32, one after another and from the end") {
  on_large_devices(big, [] {
    const Array x = kn::asarray(patterns());
    REQUIRE(x.size() == big);
    CHECK(differing((x * 3 + 1).to_vector<std::uint8_t>(), big,
                    [](std::int64_t i) { return static_cast<std::uint8_t>(pattern(i) * 3 + 1); }) == "");
    CHECK(differing((x ^ x(slice(kn::none, kn::none, -1))).to_vector<std::uint8_t>(), big,
                    [](std::int64_t i) { return static_cast<std::uint8_t>(pattern(i) ^ pattern(big - 1 - i)); }) == "");
    // The positions themselves, made on the device and never stored as 64-bit numbers.
    const Array i = kn::arange(big);
    const Array made = i ^ (i >> 8) ^ (i >> 16) ^ (i >> 24) ^ ((i >> 32) * 37);
    CHECK(differing(made.astype(kn::uint8).to_vector<std::uint8_t>(), big, pattern) == "");
    CHECK(kn::all((made & 255) == x).item<bool>());
    CHECK(i(-1).item<std::int64_t>() == big - 1);
  });
}

TEST_CASE("a few elements that lie far apart") {
  on_large_devices(big, [] {
    const Array x = kn::asarray(patterns());
    for (const std::int64_t step : {std::int64_t{1} << 20, two31 - 1, two31 + 1, two32 - 1, -(two31 + 1)}) {
      CAPTURE(step);
      const Array part = x(slice(kn::none, kn::none, step));
      const std::int64_t first = step > 0 ? 0 : big - 1;
      const std::vector<std::uint8_t> got = (part + 1).to_vector<std::uint8_t>();
      CHECK(differing(got, part.size(),
                      [&](std::int64_t i) { return static_cast<std::uint8_t>(pattern(first + i * step) + 1); }) == "");
      std::uint64_t sum = 0;
      for (std::int64_t i = 0; i < part.size(); ++i) sum += pattern(first + i * step);
      CHECK(kn::sum(part).item<std::uint64_t>() == sum);
    }
    const std::vector<std::int64_t> at = {0, two31 - 1, two31, two32 - 1, two32, big - 1, -1, -big};
    CHECK(differing(kn::take(x, kn::asarray(at)).to_vector<std::uint8_t>(), 8,
                    [&](std::int64_t i) { return pattern(at[i] < 0 ? at[i] + big : at[i]); }) == "");
    std::ostringstream text;
    text << x;
    CHECK(has(text.str(), std::to_string(pattern(big - 1)) + "]"));
  });
}

TEST_CASE("results of more than 2^32 elements from a row and a column") {
  constexpr std::int64_t m = 65'537, n = 65'543;
  static_assert(m * n > two32);
  on_large_devices(m * n, [] {
    std::vector<std::uint8_t> a(m), b(n);
    for (std::int64_t i = 0; i < m; ++i) a[i] = pattern(i * 7919);
    for (std::int64_t i = 0; i < n; ++i) b[i] = pattern(i * 104'729);
    const Array table = kn::reshape(kn::asarray(a), {m, 1}) * 5 + kn::asarray(b);
    CHECK(differing(table.to_vector<std::uint8_t>(), m * n,
                    [&](std::int64_t i) { return static_cast<std::uint8_t>(a[i / n] * 5 + b[i % n]); }) == "");
    const Array turned = table.T() + 1;
    CHECK(differing(turned.to_vector<std::uint8_t>(), m * n,
                    [&](std::int64_t i) { return static_cast<std::uint8_t>(a[i % m] * 5 + b[i / m] + 1); }) == "");
  });
}

TEST_CASE("reductions of more than 2^32 elements, whole and along an axis") {
  on_large_devices(big, [] {
    const std::vector<std::uint8_t>& values = patterns();
    Array x = kn::asarray(values);
    std::uint64_t sum = 0;
    std::vector<std::uint64_t> by_row(rows), by_place(rows);
    for (std::int64_t i = 0; i < big; ++i) {
      sum += values[i];
      by_row[i / columns] += values[i];
      by_place[i % rows] += values[i];
    }
    CHECK(kn::sum(x).item<std::uint64_t>() == sum);
    const double mean = static_cast<double>(sum) / static_cast<double>(big);
    CHECK(kn::mean(x.astype(kn::float32)).item<double>() == doctest::Approx(mean).epsilon(1e-6));

    const Array flat = kn::reshape(x, {rows, columns}), tall = kn::reshape(x, {columns, rows});
    CHECK(kn::sum(flat, {.axis = 1}).to_vector<std::uint64_t>() == by_row);
    CHECK(kn::sum(tall, {.axis = 0}).to_vector<std::uint64_t>() == by_place);
    CHECK(differing(kn::sum(flat, {.axis = 0, .dtype = kn::uint32}).to_vector<std::uint32_t>(), columns,
                    [&](std::int64_t j) {
                      std::uint32_t expected = 0;
                      for (std::int64_t i = 0; i < rows; ++i) expected += values[i * columns + j];
                      return expected;
                    }) == "");
    CHECK(differing(kn::max(tall, {.axis = 1}).to_vector<std::uint8_t>(), columns, [&](std::int64_t j) {
            return *std::max_element(values.begin() + j * rows, values.begin() + (j + 1) * rows);
          }) == "");

    // One element of its own value, past 2^32.
    Array zeros = kn::zeros({big}, {.dtype = kn::uint8});
    zeros(two32 + 1) = 200;
    CHECK(kn::argmax(zeros).item<std::int64_t>() == two32 + 1);
    CHECK(kn::sum(zeros).item<std::uint64_t>() == 200);
    CHECK(kn::max(zeros).item<int>() == 200);
    CHECK(kn::argmax(kn::reshape(zeros, {rows, columns}), {.axis = 1}).to_vector<std::int64_t>().back() ==
          two32 + 1 - (rows - 1) * columns);
  });
}

TEST_CASE("assignment to parts of an array of more than 2^32 elements") {
  on_large_devices(big, [] {
    std::vector<std::uint8_t> expected = patterns();
    Array x = kn::asarray(expected);
    x(-1) = 77;
    expected[big - 1] = 77;
    x(slice(two31 - 4, two31 + 4)) = 11;
    std::fill(expected.begin() + two31 - 4, expected.begin() + two31 + 4, std::uint8_t{11});
    x(slice(two32 - 3, two32 + 2)) = kn::asarray(std::vector<std::uint8_t>{1, 2, 3, 4, 5});
    for (std::int64_t i = 0; i < 5; ++i) expected[two32 - 3 + i] = static_cast<std::uint8_t>(i + 1);
    constexpr std::int64_t step = (1 << 20) + 1;
    x(slice(5, kn::none, step)) += 3;
    for (std::int64_t i = 5; i < big; i += step) expected[i] = static_cast<std::uint8_t>(expected[i] + 3);
    x(slice(0, 1000)) = x(slice(two32 - 997, kn::none));  // from past 2^32 to the front
    std::copy_n(expected.begin() + two32 - 997, 1000, expected.begin());
    CHECK(differing(x.to_vector<std::uint8_t>(), big, [&](std::int64_t i) { return expected[i]; }) == "");
    // Half of it onto the other half, overlapping by three.
    x(slice(two31, kn::none)) = x(slice(0, two31 + 3));
    std::copy_backward(expected.begin(), expected.begin() + two31 + 3, expected.end());
    CHECK(differing(x.to_vector<std::uint8_t>(), big, [&](std::int64_t i) { return expected[i]; }) == "");
  });
}

TEST_CASE("matrix products of more than 2^31 results") {
  constexpr std::int64_t m = 46'349, n = 46'351, k = 3;
  static_assert(m * n > two31);
  on_large_devices(4 * m * n, [] {
    // Small whole numbers, so that float32 is exact.
    const auto a = [](std::int64_t i, std::int64_t d) { return static_cast<float>((i * (d + 1)) % 113); };
    const auto b = [](std::int64_t d, std::int64_t j) { return static_cast<float>((j * (d + 3)) % 127); };
    std::vector<float> left, right;
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t d = 0; d < k; ++d) left.push_back(a(i, d));
    for (std::int64_t d = 0; d < k; ++d)
      for (std::int64_t j = 0; j < n; ++j) right.push_back(b(d, j));
    const auto value = [&](std::int64_t i, std::int64_t j) {
      return left[i * k] * right[j] + left[i * k + 1] * right[n + j] + left[i * k + 2] * right[2 * n + j];
    };
    const Array product = kn::matmul(kn::asarray(left, {m, k}), kn::asarray(right, {k, n}));
    CHECK(differing(product.to_vector<float>(), m * n, [&](std::int64_t i) { return value(i / n, i % n); }) == "");
    CHECK((product(m - 1, n - 1) + 1).item<float>() == value(m - 1, n - 1) + 1);
  });
}

TEST_CASE("batches of matrix products of more than 2^31 results") {
  constexpr std::int64_t batch = 2051, side = 1024;
  static_assert(batch * side * side > two31);
  on_large_devices(4 * batch * side * side, [] {
    std::vector<float> left(batch * side), right(side);
    for (std::int64_t i = 0; i < batch * side; ++i) left[i] = static_cast<float>(i % 1009);
    for (std::int64_t i = 0; i < side; ++i) right[i] = static_cast<float>(i % 31);
    const Array product = kn::matmul(kn::asarray(left, {batch, side, 1}),
                                     kn::broadcast_to(kn::asarray(right, {1, 1, side}), {batch, 1, side}));
    CHECK(differing(product.to_vector<float>(), batch * side * side,
                    [&](std::int64_t i) { return left[i / side] * right[i % side]; }) == "");
  });
}

TEST_CASE("a dot product of more than 2^32 elements") {
  on_large_devices(big, [] {
    // uint8 wraps as the type does, whatever the order.
    const Array x = kn::asarray(patterns());
    std::uint8_t expected = 0;
    for (std::int64_t i = 0; i < big; ++i) expected = static_cast<std::uint8_t>(expected + pattern(i) * pattern(i));
    CHECK(kn::matmul(x, x).item<int>() == expected);
  });
}

TEST_CASE("transfers of more than 2^32 float32") {
  on_large_devices(4 * big, [] {
    const auto value = [](std::int64_t i) { return static_cast<float>(i % 16'777'213); };
    const Array x = (kn::arange(big) % 16'777'213).astype(kn::float32);
    std::vector<float> values(big);
    x.copy_to(values);
    CHECK(differing(values, big, value) == "");
    const Array back = kn::asarray(values);
    CHECK(kn::all(back == x).item<bool>());
    const std::vector<float> later = (back + 1).read_async<float>().get();
    CHECK(differing(later, big, [&](std::int64_t i) { return value(i) + 1; }) == "");
  });
}

TEST_CASE("more than 2^32 random numbers are one stream") {
  on_large_devices(2 * big, [] {
    const Array x = kn::random::Generator(5).uniform({big}, {.dtype = kn::float16});
    for (const std::int64_t at : {std::int64_t{0}, two31 - 1, two32 - 2, two32 + 1}) {
      CAPTURE(at);
      const Array part = kn::random::Generator(5, static_cast<std::uint64_t>(at)).uniform({2}, {.dtype = kn::float16});
      CHECK(x(slice(at, at + 2)).to_vector<float>() == part.to_vector<float>());
    }
    // Each is one of 0/2048 to 2047/2048, so their mean is 2047/4096; the mean of so many strays by 0.29 / 2^16.
    CHECK(kn::mean(x.astype(kn::float32)).item<double>() == doctest::Approx(2047.0 / 4096).epsilon(3e-5));
  });
}
