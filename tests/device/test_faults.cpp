// SPDX-License-Identifier: Apache-2.0
// take, and what only the device notices: an index out of range shows where a result that depends on it is observed,
// and nowhere else.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::check_array;
using kn::test::on_each_device;

namespace {

template <class F>
std::string index_error(F f) {
  try {
    f();
  } catch (const kn::IndexError& error) {
    return error.what();
  }
  return "no IndexError";
}

}  // namespace

TEST_CASE("take picks along any axis, of any layout and type") {
  on_each_device([] {
    const std::int64_t sizes[] = {3, 4, 5};
    const Array x = kn::reshape(kn::arange(60), {3, 4, 5});
    const std::vector<std::int64_t> picks = {2, 0, -1, 1, 1, -3};
    const Array indices = kn::asarray(picks, {2, 3});
    for (int axis = -3; axis < 3; ++axis) {
      CAPTURE(axis);
      const int a = axis < 0 ? axis + 3 : axis;
      kn::Shape shape;
      for (int i = 0; i < a; ++i) shape.push_back(sizes[i]);
      shape.push_back(2);
      shape.push_back(3);
      for (int i = a + 1; i < 3; ++i) shape.push_back(sizes[i]);
      std::vector<std::int64_t> expected;
      std::int64_t outer = 1, inner = 1;
      for (int i = 0; i < a; ++i) outer *= sizes[i];
      for (int i = a + 1; i < 3; ++i) inner *= sizes[i];
      for (std::int64_t o = 0; o < outer; ++o) {
        for (const std::int64_t pick : picks) {
          const std::int64_t at = pick < 0 ? pick + sizes[a] : pick;
          for (std::int64_t i = 0; i < inner; ++i) expected.push_back((o * sizes[a] + at) * inner + i);
        }
      }
      check_array<std::int64_t>(kn::take(x, indices, {.axis = axis}), shape, expected);
      // The same of an expression, of views and of other types.
      check_array<std::int64_t>(kn::take(x * 2 - x, indices + 0, {.axis = axis}), shape, expected);
      const Array turned = kn::permute_dims(kn::permute_dims(x, {2, 1, 0}).astype(kn::complex64), {2, 1, 0});
      check_array<std::int64_t>(kn::real(kn::take(turned, indices.astype(kn::int8), {.axis = axis})).astype(kn::int64),
                                shape, expected);
      check_array<std::int64_t>(kn::take(x.astype(kn::float16), indices, {.axis = axis}).astype(kn::int64), shape,
                                expected);
    }
    check_array<std::int64_t>(kn::take(x, kn::array({59, -60})), {2}, {59, 0});
    check_array<std::int64_t>(kn::take(x, kn::asarray(std::vector<int>{})), {0}, {});
    check_array<std::int64_t>(kn::take(x, kn::asarray(std::uint8_t{7})), {}, {7});
  });
}

TEST_CASE("of positions that are known to be in range no word is read, however long a chain is") {
  on_each_device([] {
    constexpr std::int64_t states = 5, steps = 40;
    std::vector<Array> back;
    for (std::int64_t s = 0; s < steps; ++s) {
      const Array table = kn::reshape(kn::arange(states * states) * (s + 3) % 7, {states, states}).eval();
      back.push_back(kn::argmax(table, 0));
    }
    std::int64_t at = 2;
    Array chain = kn::argmax(kn::asarray(std::vector<float>{0, 1, 2, 1, 0}), 0);
    for (const Array& each : back) {
      chain = kn::take_along_axis(each, kn::reshape(chain, {1}), {.axis = 0})(0);
      at = each.to_vector<std::int64_t>()[static_cast<std::size_t>(at)];
    }
    kn::profile::Session session;
    chain.eval();
    kn::synchronize();
    session.stop();
    for (const kn::profile::Row& row : session.rows()) CHECK(row.name != "device to host");
    CHECK(chain.item<std::int64_t>() == at);
    // What is only nearly so is looked at, and of a wrong position all that follows is wrong.
    const Array x = kn::arange(10.0F);
    constexpr const char* wrong = "[take] index 10 is out of range for axis 0 of size 10; it can be -10 to 9";
    CHECK(index_error([&] { kn::take(x, kn::arange(11) % 11).to_vector<float>(); }) == wrong);
    CHECK(index_error([&] { kn::take(x, kn::take(kn::arange(10), kn::arange(11))).to_vector<float>(); }) == wrong);
    CHECK(kn::take(x, kn::arange(10) % 10 - 10).to_vector<float>() == x.to_vector<float>());
  });
}

TEST_CASE("take of many elements") {
  on_each_device([] {
    constexpr std::int64_t n = 300'000;
    const Array x = kn::arange(n) * 3;
    const Array picked = kn::take(x, (kn::arange(n) * 7919) % n);
    const auto values = picked.to_vector<std::int64_t>();
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < n; ++i) wrong += values[static_cast<std::size_t>(i)] != i * 7919 % n * 3;
    CHECK(wrong == 0);
  });
}

TEST_CASE("an index out of range is an error of what depends on it") {
  on_each_device([] {
    const Array x = kn::arange(10), good = kn::take(x, kn::array({1, 2}));
    const Array bad = kn::take(x, kn::array({1, 10}));
    CHECK_NOTHROW(bad.eval());
    CHECK_NOTHROW(kn::synchronize());
    const std::string text = "[take] index 10 is out of range for axis 0 of size 10; it can be -10 to 9";
    CHECK(index_error([&] { (void)bad.to_vector<int>(); }) == text);
    // Now and each time, also of what was made of it, however it was made.
    CHECK(index_error([&] { (void)bad.to_vector<int>(); }) == text);
    CHECK(index_error([&] { (void)kn::sum(bad * 2 + good).item<int>(); }) == text);
    CHECK(index_error([&] { (void)bad(0).item<int>(); }) == text);
    CHECK(index_error([&] { (void)kn::take(bad, kn::array({0})).item<int>(); }) == text);
    CHECK(index_error([&] { (void)kn::matmul(bad, good).item<int>(); }) == text);
    CHECK(index_error([&] {
            std::ostringstream out;
            out << bad;
          }) == text);
    Array target = kn::zeros({4}, {.dtype = kn::int64});
    target(kn::slice(0, 2)) = bad;
    CHECK(index_error([&] { (void)target.to_vector<int>(); }) == text);
    // The rest is as good as ever.
    CHECK(good.to_vector<int>() == std::vector<int>{1, 2});
    CHECK(kn::sum(x).item<int>() == 45);
    CHECK(index_error([&] { (void)kn::take(x, kn::array({-11})).item<int>(); }) ==
          "[take] index -11 is out of range for axis 0 of size 10; it can be -10 to 9");
    CHECK(index_error([&] { (void)kn::take(x, kn::asarray(std::vector<std::uint64_t>{~0ull})).item<int>(); }) ==
          "[take] index 9223372036854775807 is out of range for axis 0 of size 10; it can be -10 to 9");
    CHECK(index_error([&] { (void)kn::take(kn::zeros({0}), kn::array({0})).item<int>(); }) ==
          "[take] index 0 is out of range for axis 0 of size 0");
  });
}

TEST_CASE("a product knows nothing of what is wrong with others that were computed before") {
  on_each_device([] {
    for (const std::int64_t size : {200, 500, 700, 1000}) {
      CAPTURE(size);
      const Array ones = kn::ones({size, size}).eval();
      const Array bad = kn::matmul(kn::take(ones, kn::full({size}, size), {.axis = 0}), ones).eval();
      const Array good = kn::matmul(ones, ones).eval();
      CHECK(kn::all(good == static_cast<double>(size)).item<bool>());
      CHECK(index_error([&] { (void)bad(0, 0).item<float>(); }) != "no IndexError");
      CHECK(kn::all(kn::matmul(good, ones) == static_cast<double>(size * size)).item<bool>());
    }
  });
}

TEST_CASE("memory of a reported word is clean when it is used again") {
  on_each_device([] {
    const Array x = kn::arange(10);
    for (int i = 0; i < 20; ++i) {
      CHECK(index_error([&] { (void)kn::take(x, kn::full({1}, 100 + i)).item<int>(); }) != "no IndexError");
      CHECK(kn::take(x, kn::full({1}, 3)).item<int>() == 3);
    }
  });
}

TEST_CASE("a long chain of takes holds few words") {
  on_each_device([] {
    Array x = kn::arange(10).eval();
    const Array shift = ((kn::arange(10) + 1) % 10).eval();
    const std::uint64_t before = kn::memory_stats(kn::default_device()).in_use;
    for (int i = 0; i < 205; ++i) x = kn::take(x, shift).eval();
    CHECK(kn::memory_stats(kn::default_device()).in_use <= before + 64 * 256);
    check_array<int>(x, {10}, {5, 6, 7, 8, 9, 0, 1, 2, 3, 4});
  });
}

TEST_CASE("arguments that cannot be right are refused at the call") {
  const Array x = kn::zeros({2, 3});
  CHECK_THROWS_WITH_AS(kn::take(x, kn::zeros({2})), "[take] indices are float32; they must be integers",
                       kn::DTypeError);
  CHECK_THROWS_AS(kn::take(x, kn::array({0}), {.axis = 2}), kn::IndexError);
  CHECK_THROWS_AS(kn::take(x, kn::array({0}), {.axis = {0, 1}}), kn::ValueError);
}
