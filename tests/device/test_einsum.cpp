// SPDX-License-Identifier: Apache-2.0
// einsum of random subscripts against loops over all letters, with operands lying in memory in every way; how much of
// it is views, and the order of products.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/inner.hpp"

namespace kn = koine;
using kn::Array;
using kn::Shape;
using kn::test::check_array;
using kn::test::numbered;
using kn::test::on_each_device;

namespace {

/// An operand as loops see it.
struct Plain {
  std::string letters;
  Shape shape;
  std::vector<std::int64_t> values;
};

/// The sum over all letters that are not in `result`; an axis of size one stands still.
std::vector<std::int64_t> plain_einsum(const std::vector<Plain>& operands, const std::string& result, Shape& shape) {
  std::map<char, std::int64_t> sizes;
  for (const Plain& operand : operands) {
    for (std::size_t axis = 0; axis < operand.letters.size(); ++axis) {
      auto& size = sizes.emplace(operand.letters[axis], 1).first->second;
      if (operand.shape[axis] != 1) size = operand.shape[axis];
    }
  }
  std::string letters = result;
  shape = Shape();
  for (const char letter : result) shape.push_back(sizes[letter]);
  Shape domain = shape;
  for (const auto& [letter, size] : sizes) {
    if (result.find(letter) != result.npos) continue;
    letters += letter;
    domain.push_back(size);
  }
  std::vector<std::int64_t> values(static_cast<std::size_t>(shape.elements()));
  kn::test::each_position(domain, [&](const Shape& position) {
    std::int64_t product = 1;
    for (const Plain& operand : operands) {
      Shape at = operand.shape;
      for (std::size_t axis = 0; axis < at.size(); ++axis) {
        at[axis] = operand.shape[axis] == 1 ? 0 : position[letters.find(operand.letters[axis])];
      }
      product *= operand.values[static_cast<std::size_t>(kn::test::number_of(at, operand.shape))];
    }
    std::int64_t to = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) to = to * shape[axis] + position[axis];
    values[static_cast<std::size_t>(to)] += product;
  });
  return values;
}

}  // namespace

TEST_CASE("random subscripts") {
  on_each_device([] {
    std::mt19937 random(11);
    const auto below = [&](std::size_t end) { return random() % end; };
    const std::int64_t sizes[] = {1, 2, 3, 7, 2, 5};
    for (int round = 0; round < (kn::test::without_variants() ? 16 : 24); ++round) {
      std::map<char, std::int64_t> size;
      for (const char letter : std::string("abcdefg")) size[letter] = sizes[below(6)];
      if (round % 8 == 7) size['b'] = 0;
      std::vector<Plain> operands(1 + below(4));
      std::vector<Array> arrays;
      std::string subscripts, known;
      for (Plain& operand : operands) {
        const std::size_t axes = below(operands.size() > 2 ? 4 : 5);
        for (std::size_t axis = 0; axis < axes; ++axis) {
          const char letter = "abcdefg"[below(7)];
          const bool repeated = operand.letters.find(letter) != std::string::npos;
          operand.letters += letter;
          // Of size one where the rest broadcasts.
          operand.shape.push_back(!repeated && below(8) == 0 ? 1 : size[letter]);
          const std::size_t first = operand.letters.find(letter);
          operand.shape[axis] = operand.shape[first];
          if (known.find(letter) == std::string::npos) known += letter;
        }
        for (std::int64_t i = 0; i < operand.shape.elements(); ++i) {
          operand.values.push_back(static_cast<std::int64_t>(below(9)) - 4);
        }
        arrays.push_back(kn::test::laid_out(kn::asarray(operand.values, operand.shape), random()));
        subscripts += (arrays.size() == 1 ? "" : ",") + operand.letters;
      }
      std::shuffle(known.begin(), known.end(), random);
      const std::string result = known.substr(0, below(std::min<std::size_t>(known.size(), 4) + 1));
      subscripts += "->" + result;
      CAPTURE(subscripts);
      Shape shape;
      const auto want = plain_einsum(operands, result, shape);
      check_array(kn::einsum(subscripts, arrays), shape, want);
    }
  });
}

TEST_CASE("a sum of one operand is not rounded before the product") {
  on_each_device([] {
    // Sums of 260 and 257, of which bfloat16 makes 260 and 256.
    std::vector<float> values(2 * 257, 1.0F);
    values[0] = 4;
    const Array x = kn::asarray(values, {2, 257}, kn::bfloat16);
    const Array y = kn::asarray(std::vector<float>{1, -1}, {2, 1}, kn::bfloat16);
    check_array<float>(kn::einsum("ij,ij->", {x, y}), {}, {3});
    check_array<float>(kn::einsum("ij,ik->k", {x, y}), {1}, {3});
    CHECK(kn::einsum("ij,ij->", {x, y}).dtype() == kn::bfloat16);
  });
}

TEST_CASE("one operand gives views") {
  on_each_device([] {
    const Array x = numbered({4, 4, 3});
    const auto shares = [&](const Array& part) { return kn::test::memory_of(part.eval()) == kn::test::memory_of(x); };
    CHECK(shares(kn::einsum("iij->ji", {x})));
    CHECK(shares(kn::einsum("ijk->kji", {x})));
    // Of what is pending, only the diagonal is computed.
    const Array pending = x * 2 + 1, trace = kn::einsum("iij->j", {pending});
    check_array<std::int32_t>(trace, {3}, {184, 192, 200});
    CHECK_FALSE(kn::test::is_computed(pending));
    // A view that reads some elements twice is not written through.
    Array diagonal = kn::einsum("iij->ij", {x});
    diagonal(0) = -1;
    check_array<std::int32_t>(diagonal, {4, 3}, {-1, -1, -1, 15, 16, 17, 30, 31, 32, 45, 46, 47});
    CHECK(x(0, 0, 0).item<int>() == 0);
  });
}

TEST_CASE("products in an order that keeps results small") {
  on_each_device([] {
    // From the left these would need 2^40 elements.
    const std::int64_t n = 1 << 20;
    const Array tall = kn::ones({n, 2}, {.dtype = kn::int64}), flat = kn::ones({2, n}, {.dtype = kn::int64});
    CHECK(kn::sum(kn::einsum("ij,jk,kl->il", {tall, flat, tall})).item<std::int64_t>() == 4 * n * n);
    CHECK(kn::sum(kn::einsum("ij,jk,kl->il", {flat, tall, flat})).item<std::int64_t>() == 4 * n * n);
    const Array v = kn::ones({n}, {.dtype = kn::int64});
    CHECK(kn::einsum("i,j,i,j->", {v, v, v, v}).item<std::int64_t>() == n * n);
    CHECK(kn::einsum("i,j,k->", {v, v, v}).item<std::int64_t>() == n * n * n);
  });
}

TEST_CASE("a thousand operands are planned in no time") {
  on_each_device([] {
    const auto planned = [](const std::string& subscripts, const std::vector<Array>& operands) {
      const auto start = std::chrono::steady_clock::now();
      const Array product = kn::einsum(subscripts, operands);
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      CHECK(seconds.count() < 5);  // far less in a release build, and hours if all pairs were looked at again and again
      return product;
    };
    constexpr std::size_t count = 1000;
    std::string commas(count - 1, ','), vectors = "i", chain = "ab";
    std::vector<Array> scalars, ones, steps;
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t sign = i % 3 == 0 ? -1 : 1;
      scalars.push_back(kn::full({}, sign));
      ones.push_back(kn::full({5}, sign));
      steps.push_back(kn::asarray(std::vector<std::int64_t>{0, 1, -1, 0}, {2, 2}));
      if (i > 0) vectors += ",i";
      if (i > 0) chain += "," + std::string(1, static_cast<char>('a' + i % 20)) + static_cast<char>('a' + (i + 1) % 20);
    }
    CHECK(planned(commas + "->", scalars).item<std::int64_t>() == 1);  // 334 of them are negative
    CHECK(planned(vectors + "->", ones).item<std::int64_t>() == 5);
    CHECK(planned(vectors + "->i", ones).shape() == Shape{5});
    // Fifty times round twenty letters: the fifty steps between two letters meet element by element.
    check_array<std::int64_t>(planned(chain + "->a", steps), {2}, {1, 1});
  });
}

TEST_CASE("a chain under reproducible") {
  on_each_device([] {
    const kn::reproducible scope;
    const Array a = kn::reshape(kn::arange(6.0f), {2, 3}), b = kn::reshape(kn::arange(12.0f), {3, 4});
    check_array<float>(kn::einsum("ij,jk,k->i", {a, b, kn::ones({4})}), {2}, {98, 296});
  });
}
