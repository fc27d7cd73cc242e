// SPDX-License-Identifier: Apache-2.0
// Sums by ids that the host makes of integers, against sums in 128 bits, which the compiler rounds.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;

namespace {

__extension__ typedef __int128 Wide;

/// Which integers values are multiples by.
enum class Numbers { few_digits, many_digits, all_digits, one_small, one_large };
constexpr Numbers all_numbers[] = {Numbers::few_digits, Numbers::many_digits, Numbers::all_digits, Numbers::one_small,
                                   Numbers::one_large};

template <class T>
std::vector<std::int64_t> drawn(Numbers numbers, std::size_t count) {
  constexpr int digits = std::numeric_limits<T>::digits;
  std::mt19937_64 random(3);
  std::vector<std::int64_t> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto few = static_cast<std::int64_t>(random() >> (65 - digits)), large = std::int64_t{1} << (digits - 1);
    const std::int64_t sign = i % 5 == 0 ? -1 : 1;
    // Those that look at some values do not look at number 1.
    switch (numbers) {
      case Numbers::few_digits: result[i] = sign * few; break;
      case Numbers::many_digits: result[i] = sign * (few << (53 - digits)); break;
      case Numbers::all_digits: result[i] = sign * (i % 97 == 5 ? few | 1 : (few | large) << (62 - digits)); break;
      case Numbers::one_small:
        result[i] = i == 0 ? 0 : i == 1 ? (2 * large - 1) << 5 : sign * (few << (62 - digits));
        break;
      case Numbers::one_large: result[i] = i == 1 ? few << (62 - digits) : sign * few; break;
    }
  }
  return result;
}

template <class T, class Number>
T value_of(Number number) {
  return std::ldexp(static_cast<T>(number), -40);
}
template <class T>
std::vector<T> values_of(const std::vector<std::int64_t>& numbers) {
  std::vector<T> values(numbers.size());
  std::transform(numbers.begin(), numbers.end(), values.begin(), value_of<T, std::int64_t>);
  return values;
}

struct Case {
  std::size_t rows, inner, groups;
  bool sorted;
};

template <class T>
void check(const Array& sums, const std::vector<T>& want) {
  const auto got = sums.to_vector<T>();
  REQUIRE(got.size() == want.size());
  int wrong = 0;
  for (std::size_t k = 0; k < want.size(); ++k) {
    if (std::memcmp(&got[k], &want[k], sizeof(T)) != 0 && wrong++ < 2) {
      FAIL_CHECK("entry " << k << ": " << got[k] << ", not " << want[k]);
    }
  }
}

template <class T>
void check_case(const Case& c, Numbers numbers) {
  CAPTURE(kn::name(kn::dtype_of<T>));
  CAPTURE(c.rows);
  CAPTURE(c.inner);
  CAPTURE(c.groups);
  CAPTURE(c.sorted);
  CAPTURE(static_cast<int>(numbers));
  const std::size_t entries = c.groups * c.inner;
  const auto terms = drawn<T>(numbers, c.rows * c.inner);
  std::mt19937_64 random(4);
  std::vector<std::int64_t> ids(c.rows);
  // None of the first group, the first two of the second, and many of one.
  for (auto& id : ids) {
    id = static_cast<std::int64_t>(random() % 2 == 0 ? c.groups / 2 : 2 + random() % (c.groups - 2));
  }
  if (c.sorted) std::sort(ids.begin(), ids.end());
  ids[0] = ids[1] = 1;
  std::vector<Wide> totals(entries);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    totals[static_cast<std::size_t>(ids[i / c.inner]) * c.inner + i % c.inner] += terms[i];
  }
  const auto shape_of = [&](std::size_t rows) {
    const auto length = static_cast<std::int64_t>(rows), inner = static_cast<std::int64_t>(c.inner);
    return inner == 1 ? kn::Shape{length} : kn::Shape{length, inner};
  };
  const auto groups = static_cast<std::int64_t>(c.groups);
  const Array x = kn::asarray(values_of<T>(terms), shape_of(c.rows)), which = kn::asarray(ids, kn::int32);
  std::vector<T> want(entries);
  std::transform(totals.begin(), totals.end(), want.begin(), value_of<T, Wide>);
  check(kn::segment_sum(x, which, {.count = groups}), want);

  // Positions that count from the end. Where nothing is added, a number stays what it was.
  const auto there = drawn<T>(Numbers::one_small, entries);
  std::vector<T> start = values_of<T>(there);
  std::fill_n(start.begin(), c.inner, -T{0});
  for (std::size_t k = 0; k < entries; ++k) want[k] = totals[k] == 0 ? start[k] : value_of<T>(totals[k] + there[k]);
  for (std::size_t i = 0; i < ids.size(); i += 3) ids[i] -= groups;
  Array sums = kn::asarray(start, shape_of(c.groups));
  sums.at(kn::asarray(ids)).add(x);
  check(sums, want);
}

template <class T>
void check_all() {
  // More groups than 2^16 have totals in 32 bits first. Of more than 2^19 entries rows are brought in order first; of
  // short rows, of more than 2^21.
  for (const Case& c : {Case{20'011, 1, 10, false}, Case{20'011, 1, 10, true}, Case{3'000, 3, 50, false},
                        Case{3'000, 21, 50, false}, Case{90, 513, 7, false}, Case{40'000, 1, 70'000, false},
                        Case{40'000, 1, 70'000, true}, Case{3'001, 21, 25'001, false}}) {
    for (const Numbers numbers : all_numbers) check_case<T>(c, numbers);
  }
  check_case<T>({40'000, 1, 2'100'001, false}, Numbers::all_digits);
  check_case<T>({20'011, 3, 700'001, true}, Numbers::many_digits);
}

}  // namespace

TEST_CASE("sums by ids of integers in 32 and 64 bits, with what they carry") {
  check_all<float>();
  if (kn::test::computes(kn::float64)) check_all<double>();

  // One value for all rows, of which some name no group.
  const std::vector<std::int64_t> ids{0, 2, 2, 0, 2};
  Array x = kn::asarray(std::vector<float>{0.5F, -0.0F, 0x1p30F});
  x.at(kn::asarray(ids)).add(0.1F);
  const double tenth = 0.1F;
  CHECK(x.to_vector<float>() ==
        std::vector<float>{static_cast<float>(0.5 + 2 * tenth), -0.0F, static_cast<float>(0x1p30 + 3 * tenth)});
}
