// SPDX-License-Identifier: Apache-2.0
// Words of random streams and uniform numbers in vectors of each set of instructions, against Random123.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/instructions.hpp"
#include "host/random_lanes.hpp"
#include "support/random_reference.hpp"

namespace {

using namespace koine;

constexpr std::uint64_t seed = 0x1234567890abcdef;
// Numbers of vectors and of none, and a block whose number needs more than 32 bits.
constexpr std::uint64_t first_blocks[] = {0, 3, 0xffffffff0};
constexpr std::size_t blocks = 37;

void check(const host::RandomLanes& lanes) {
  for (const std::uint64_t first : first_blocks) {
    CAPTURE(first);
    std::vector<std::uint64_t> words(2 * blocks);
    lanes.words(words.data(), first, seed, blocks);
    for (std::size_t k = 0; k < words.size(); ++k) REQUIRE(words[k] == test::two_words(2 * first + k, seed));

    for (const int digits : {8, 11, 24}) {
      std::vector<float> numbers(4 * blocks);
      lanes.uniform_floats(numbers.data(), words.data(), numbers.size(), {digits, -2, 5, 2.75f});
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        const float drawn = test::uniform<float>(4 * first + k, seed, digits);
        REQUIRE(numbers[k] == std::min(std::fma(drawn, 5.0f, -2.0f), 2.75f));
      }
    }
    std::vector<double> numbers(2 * blocks);
    lanes.uniform_doubles(numbers.data(), words.data(), numbers.size(), {53, 0.1, 0.3, 0.375});
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const double drawn = test::uniform<double>(2 * first + k, seed, 53);
      REQUIRE(numbers[k] == std::min(std::fma(drawn, 0.3, 0.1), 0.375));
    }
  }
}

}  // namespace

TEST_CASE("random numbers in vectors are the same by every set of instructions") {
  check(host::random_plain);
  if (host::instructions() >= host::Instructions::avx2) check(host::random_avx2);
  if (host::instructions() >= host::Instructions::avx512) check(host::random_avx512);
}
