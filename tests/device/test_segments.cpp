// SPDX-License-Identifier: Apache-2.0
// Reductions by ids, and bincount's weights: against plain loops, sums against exact ones.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::check_array;
using kn::test::has;
using kn::test::ids_below;
using kn::test::message_of;
using kn::test::on_each_device;

namespace {

using V = std::vector<std::int64_t>;

/// The exact sum of doubles as numbers that do not overlap, the largest last (Shewchuk, 1997).
class ExactSum {
 public:
  void add(double x) {
    std::size_t kept = 0;
    for (double part : parts_) {
      if (std::fabs(x) < std::fabs(part)) std::swap(x, part);
      const double high = x + part, low = part - (high - x);
      if (low != 0) parts_[kept++] = low;
      x = high;
    }
    parts_.resize(kept);
    parts_.push_back(x);
  }
  double value() const {
    double sum = 0;
    for (const double part : parts_) sum += part;
    return sum;
  }

 private:
  std::vector<double> parts_;
};

/// Numbers of all sizes that the exponent's spread names, about as many below zero.
template <class T>
std::vector<T> spread(std::size_t count, int exponents, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(count);
  for (T& value : values) {
    const double part = static_cast<double>(static_cast<std::int64_t>(random()) >> 10) * 0x1p-53;
    const int exponent =
        exponents == 0 ? 0 : static_cast<int>(random() % static_cast<unsigned>(exponents)) - exponents / 2;
    value = T(static_cast<float>(std::ldexp(part, exponent)));
    if constexpr (std::is_same_v<T, double>) value = std::ldexp(part, exponent);
  }
  return values;
}

/// Half a unit in the last place of T around x.
template <class T>
double half_unit(double x) {
  const int digits = std::is_same_v<T, double>          ? 53
                     : std::is_same_v<T, float>         ? 24
                     : std::is_same_v<T, kn::float16_t> ? 11
                                                        : 8;
  const int least = std::is_same_v<T, double>          ? -1074
                    : std::is_same_v<T, float>         ? -149
                    : std::is_same_v<T, kn::float16_t> ? -24
                                                       : -133;
  const int unit = x == 0 ? least : std::max(std::ilogb(x) - digits + 1, least);
  return std::ldexp(0.5, unit);
}

/// Sums of every group within half a unit, or what the algorithm may leave out of that many.
template <class T>
void check_sums(std::int64_t count, std::int64_t groups, int exponents) {
  CAPTURE(kn::name(kn::dtype_of<T>));
  CAPTURE(count);
  CAPTURE(groups);
  CAPTURE(exponents);
  if (!kn::test::computes(kn::dtype_of<T>)) return;
  const auto values = spread<T>(static_cast<std::size_t>(count), exponents, 5);
  const auto ids = ids_below(groups, values.size(), 6);
  std::vector<ExactSum> want(static_cast<std::size_t>(groups));
  std::vector<double> largest(want.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto id = static_cast<std::size_t>(ids[i]);
    const double value =
        static_cast<double>(static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(values[i]));
    want[id].add(value);
    largest[id] = std::max(largest[id], std::fabs(value));
  }
  const Array sums = kn::segment_sum(kn::asarray(values), kn::asarray(ids), {.count = groups});
  REQUIRE(sums.dtype() == kn::dtype_of<T>);
  const auto got = sums.astype(std::is_same_v<T, double> ? kn::float64 : kn::float32);
  const auto numbers = std::is_same_v<T, double> ? got.template to_vector<double>() : [&] {
    const auto floats = got.template to_vector<float>();
    return std::vector<double>(floats.begin(), floats.end());
  }();
  const double left_out = static_cast<double>(count) * (std::is_same_v<T, double> ? 0x1p-91 : 0x1p-60);
  int wrong = 0;
  for (std::size_t k = 0; k < want.size(); ++k) {
    ExactSum error = want[k];
    error.add(-numbers[k]);
    if (!(std::fabs(error.value()) <= half_unit<T>(want[k].value()) + left_out * largest[k]) && wrong++ < 3) {
      FAIL_CHECK("group " << k << ": " << numbers[k] << ", exactly " << want[k].value());
    }
  }
}

/// How many sums are further than half a unit, and what may be left out, from the exact ones.
int wrong_sums(const std::vector<ExactSum>& want, const std::vector<float>& got, double left_out) {
  int wrong = 0;
  for (std::size_t k = 0; k < want.size(); ++k) {
    ExactSum error = want[k];
    error.add(-static_cast<double>(got[k]));
    wrong += !(std::fabs(error.value()) <= half_unit<float>(want[k].value()) + left_out);
  }
  return wrong;
}

template <class T>
std::vector<T> reversed(std::vector<T> values) {
  std::reverse(values.begin(), values.end());
  return values;
}

}  // namespace

TEST_CASE("sums of reals are exact, whatever their sizes") {
  on_each_device([] {
    for (const std::int64_t groups : {1, 7, 1000, 20'000}) {
      check_sums<float>(30'011, groups, 0);
      check_sums<float>(30'011, groups, 60);
      check_sums<float>(30'011, groups, 250);
    }
    check_sums<float>(400'000, 11, 40);
    // So many that cards sort them by buckets of ids first; most groups have none of the second.
    check_sums<float>(300'007, 50'000, 250);
    check_sums<float>(262'144, 3'000'000, 60);
    check_sums<double>(30'011, 5, 0);
    check_sums<double>(30'011, 900, 1900);
    check_sums<double>(30'011, 5000, 100);
    check_sums<kn::float16_t>(3001, 100, 24);
    check_sums<kn::bfloat16_t>(3001, 100, 200);
    // So few that a card's group does all of it alone.
    for (const std::int64_t groups : {1, 7, 1000}) {
      check_sums<float>(1003, groups, 250);
      check_sums<double>(1003, groups, 1900);
    }
  });
}

TEST_CASE("the order of the rows does not count") {
  on_each_device([] {
    const auto values = spread<float>(100'003, 120, 1);
    const auto ids = ids_below(50, values.size(), 2);
    const auto sum = [](const auto& x, const auto& names) {
      return kn::segment_sum(kn::asarray(x), kn::asarray(names), {.count = 50}).template to_vector<float>();
    };
    const auto forth = sum(values, ids), back = sum(reversed(values), reversed(ids));
    CHECK(std::memcmp(forth.data(), back.data(), forth.size() * sizeof(float)) == 0);
  });
}

TEST_CASE("many values and groups: what they are added to, one group that has most, and ids of none") {
  on_each_device([] {
    constexpr std::int64_t count = 280'000, groups = 70'001;
    auto values = spread<float>(count, 20, 7);
    auto ids = ids_below(groups, values.size(), 8);
    for (std::size_t i = 0; i < ids.size(); i += 2) ids[i] = 300;
    std::vector<float> start = spread<float>(groups, 40, 9);
    start[0] = -0.0F;
    std::vector<ExactSum> want(groups);
    for (std::size_t k = 0; k < want.size(); ++k) want[k].add(start[k]);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] == 0) ids[i] = 1;
      want[static_cast<std::size_t>(ids[i])].add(values[i]);
    }
    Array x = kn::asarray(start);
    x.at(kn::asarray(ids)).add(kn::asarray(values));
    const auto got = x.to_vector<float>();
    CHECK(std::signbit(got[0]));
    CHECK(wrong_sums(want, got, 0x1p-30) == 0);
    for (const std::int32_t wrong : {-1, static_cast<std::int32_t>(groups)}) {
      ids[1000] = wrong;
      const Array sums = kn::segment_sum(kn::asarray(values), kn::asarray(ids), {.count = groups});
      CHECK(
          has(message_of<kn::IndexError>([&] { sums.to_vector<float>(); }), "id " + std::to_string(wrong) + " is out"));
    }
  });
}

TEST_CASE("many values of many groups, whose exponents are near each other or far apart") {
  on_each_device([] {
    constexpr std::int64_t count = 70'001, groups = 20'011;
    for (const int exponents : {0, 14, 60}) check_sums<float>(count, groups, exponents);
    check_sums<kn::float16_t>(count, groups, 0);
    check_sums<kn::bfloat16_t>(count, groups, 12);
    // Of so few groups a CPU has several tables.
    for (const int exponents : {4, 30, 60}) check_sums<float>(200'001, 1'009, exponents);

    // One value far below the others, in a group of its own, changes no bit of the other groups, and neither does one
    // that is not finite; they are added to an array, or to nothing.
    for (const int exponents : {0, 14}) {
      CAPTURE(exponents);
      auto values = spread<float>(count, exponents, 3);
      auto ids = ids_below(groups - 1, values.size(), 4);
      ids[7] = groups - 1;
      const std::vector<float> start = spread<float>(groups, 8, 5);
      const auto sums = [&](float last, bool added) {
        values[7] = last;
        if (!added) return kn::segment_sum(kn::asarray(values), kn::asarray(ids), {.count = groups}).to_vector<float>();
        Array x = kn::asarray(start);
        x.at(kn::asarray(ids)).add(kn::asarray(values));
        return x.to_vector<float>();
      };
      for (const bool added : {false, true}) {
        const auto near = sums(0.5F, added);
        CHECK(near.back() == (added ? 0.5F + start.back() : 0.5F));
        for (const float last : {0.0F, 0x1p-140F, 0x1p-60F, std::numeric_limits<float>::infinity()}) {
          CAPTURE(last);
          const auto far = sums(last, added);
          CHECK(std::memcmp(near.data(), far.data(), (groups - 1) * sizeof(float)) == 0);
          CHECK(far.back() == (added ? last + start.back() : last));
        }
      }
    }
    const Array none = kn::segment_sum(kn::zeros({count}), kn::asarray(ids_below(groups, count, 4)), {.count = groups});
    check_array(none, {groups}, std::vector<float>(groups));
  });
}

TEST_CASE("many rows of many columns, added to an array: most of one group, and none of another") {
  on_each_device([] {
    constexpr std::int64_t rows = 8'211, inner = 67, groups = 601;
    constexpr int most_near = 36;
    // Half to one times a power of two that falls from column to column.
    const auto near = [&](float value, std::size_t at) {
      int exponent = 0;
      const float part = std::frexp(value == 0 ? 0.5F : value, &exponent);
      return std::ldexp(part, -(static_cast<int>(at % inner) % most_near));
    };
    std::vector<float> start = spread<float>(groups * inner, 9, 5);
    for (std::size_t k = 0; k < start.size(); ++k) start[k] = near(start[k], k);
    auto ids = ids_below(groups - 1, rows, 6);
    for (std::size_t row = 0; row < rows; row += 3) ids[row] = 17;
    std::vector<std::int64_t> positions(ids.begin(), ids.end());
    for (std::size_t row = 0; row < rows; row += 2) positions[row] -= groups;  // from the end
    for (const int exponents : {most_near, 60}) {
      CAPTURE(exponents);
      const bool exact = exponents == most_near;  // no bit is lost beside the largest of all
      auto values = spread<float>(rows * inner, exponents, 7);
      for (std::size_t i = 0; exact && i < values.size(); ++i) values[i] = near(values[i], i);
      std::vector<ExactSum> want(groups * inner);
      for (std::size_t k = 0; k < want.size(); ++k) want[k].add(start[k]);
      for (std::size_t i = 0; i < values.size(); ++i) {
        want[static_cast<std::size_t>(ids[i / inner]) * inner + i % inner].add(values[i]);
      }
      Array x = kn::asarray(start, {groups, inner});
      x.at(kn::asarray(positions)).add(kn::asarray(values, {rows, inner}));
      const auto got = x.to_vector<float>();
      CHECK(wrong_sums(want, got, exact ? 0 : 0x1p-30) == 0);
      auto wrong = ids;
      wrong[rows / 2] = groups;
      const Array sums = kn::segment_sum(kn::asarray(values, {rows, inner}), kn::asarray(wrong), {.count = groups});
      CHECK(has(message_of<kn::IndexError>([&] { sums.to_vector<float>(); }),
                "id " + std::to_string(groups) + " is out"));
      constexpr std::int64_t none = (groups - 1) * inner;
      CHECK(std::memcmp(got.data() + none, start.data() + none, inner * sizeof(float)) == 0);
    }
  });
}

TEST_CASE("infinities and NaN stay in their groups") {
  on_each_device([] {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> values{1, infinity, 2, -infinity, infinity, 5, kn::nan, 3e38f, 3e38f, -infinity, 1, 0};
    const Array ids = kn::array({0, 1, 1, 2, 3, 4, 4, 5, 5, 3, 7, 7});
    const auto sums = kn::segment_sum(kn::asarray(values), ids).to_vector<float>();
    REQUIRE(sums.size() == 8);
    CHECK(sums[0] == 1);
    CHECK(sums[1] == infinity);
    CHECK(sums[2] == -infinity);
    CHECK(std::isnan(sums[3]));
    CHECK(std::isnan(sums[4]));
    CHECK(sums[5] == infinity);
    CHECK(sums[6] == 0);
    CHECK(sums[7] == 1);
    const auto most = kn::segment_max(kn::asarray(values), ids).to_vector<float>();
    const auto least = kn::segment_min(kn::asarray(values), ids).to_vector<float>();
    CHECK(most[3] == infinity);
    CHECK(least[3] == -infinity);
    CHECK(std::isnan(most[4]));
    CHECK(std::isnan(least[4]));
    CHECK(most[6] == -infinity);
    CHECK(least[6] == infinity);
    const auto means = kn::segment_mean(kn::asarray(values), ids).to_vector<float>();
    CHECK(means[7] == 0.5f);
    CHECK(std::isnan(means[6]));
  });
}

TEST_CASE("integers of every type, for values and for ids") {
  on_each_device([] {
    const V x = {3, 1, 100, 7, 5, 120}, ids = {2, 0, 2, 0, 3, 2};
    for (const kn::DType type : kn::test::usual_and(
             {kn::uint8, kn::int32}, {kn::int8, kn::int16, kn::uint16, kn::uint32, kn::int64, kn::uint64})) {
      CAPTURE(kn::name(type));
      const Array v = kn::asarray(x, type).eval(), w = kn::asarray(ids, type).eval();
      CHECK(kn::segment_sum(v, w).dtype() == kn::sum(v).dtype());
      check_array<std::int64_t>(kn::segment_sum(v, w), {4}, V{8, 0, 223, 5});
      check_array<std::int64_t>(kn::segment_prod(v, w), {4}, V{7, 1, 36000, 5});
      check_array<std::int64_t>(kn::segment_max(v, w)({0, 2, 3}), {3}, V{7, 120, 5});
      check_array<std::int64_t>(kn::segment_min(v, w)({0, 2, 3}), {3}, V{1, 3, 5});
      check_array<std::int64_t>(kn::segment_count(w), {4}, V{2, 0, 3, 1});
      CHECK(kn::segment_mean(v, w)(2).item<float>() == 223.0f / 3);
      CHECK(kn::segment_min(v, w)(1).item<std::uint64_t>() == static_cast<std::uint64_t>(kn::iinfo(type).max));
    }
    const Array truth = kn::array({true, false, true, false});
    check_array<std::int64_t>(kn::segment_sum(truth, kn::array({0, 0, 0, 1})), {2}, V{2, 0});
    check_array<bool>(kn::segment_max(truth, kn::array({0, 0, 0, 1}), {.count = 3}), {3}, {true, false, false});
    check_array<bool>(kn::segment_min(truth, kn::array({0, 2, 0, 1}), {.count = 4}), {4}, {true, false, false, true});
  });
}

TEST_CASE("means of integers round once") {
  on_each_device([] {
    const std::int64_t large = std::numeric_limits<std::int64_t>::max();
    const Array x = kn::asarray(V{large, large, large - 2, -5, 4, -5});
    const auto got = kn::segment_mean(x, kn::array({0, 0, 0, 1, 1, 1})).to_vector<float>();
    CHECK(got[0] == static_cast<float>(large));
    CHECK(got[1] == -2.0f);
  });
}

TEST_CASE("rows, complex numbers, and 64 bits") {
  on_each_device([] {
    constexpr std::int64_t rows = 4001, inner = 5, groups = 37;
    const auto ids = ids_below(groups, rows, 3);
    std::vector<std::int64_t> values(rows * inner), sums(groups * inner),
        most(groups * inner, std::numeric_limits<std::int64_t>::min());
    std::mt19937_64 random(4);
    for (auto& value : values) value = static_cast<std::int64_t>(random());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto at = static_cast<std::size_t>(ids[i / inner]) * inner + i % inner;
      sums[at] =
          static_cast<std::int64_t>(static_cast<std::uint64_t>(sums[at]) + static_cast<std::uint64_t>(values[i]));
      most[at] = std::max(most[at], values[i]);
    }
    const Array x = kn::asarray(values, {rows, inner}), which = kn::asarray(ids);
    check_array<std::int64_t>(kn::segment_sum(x, which, {.count = groups}), {groups, inner}, sums);
    check_array<std::int64_t>(kn::segment_max(x, which, {.count = groups}), {groups, inner}, most);
    // Of views that do not lie in order.
    check_array<std::int64_t>(kn::segment_sum(kn::flip(x, 0), kn::flip(which), {.count = groups}), {groups, inner},
                              sums);
    const Array z = kn::asarray(std::vector<std::complex<float>>{{1, 2}, {3, 4}, {5, -6}});
    check_array<std::complex<float>>(kn::segment_sum(z, kn::array({1, 0, 1})), {2}, {{3, 4}, {6, -4}});
    check_array<std::complex<float>>(kn::segment_prod(z, kn::array({1, 0, 1})), {2}, {{3, 4}, {17, 4}});
    CHECK(kn::segment_mean(z, kn::array({1, 0, 1}))(1).item<std::complex<float>>() == std::complex<float>(3, -2));
    if (!kn::test::computes(kn::float64)) return;
    const auto doubles = spread<double>(rows, 400, 9);
    std::vector<double> least(groups, std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < doubles.size(); ++i) {
      auto& at = least[static_cast<std::size_t>(ids[i])];
      at = std::min(at, doubles[i]);
    }
    check_array<double>(kn::segment_min(kn::asarray(doubles), which, {.count = groups}), {groups}, least);
  });
}

TEST_CASE("products of long and of many runs") {
  on_each_device([] {
    constexpr std::size_t count = 70'001;
    for (const std::int64_t groups : {1, 3, 40, 30'000}) {
      CAPTURE(groups);
      const auto ids = ids_below(groups, count, 8);
      std::vector<float> values(count);
      std::vector<float> want(static_cast<std::size_t>(groups), 1);
      std::mt19937_64 random(2);
      // Powers of two, as many up as down in each group, so that every order is exact.
      std::vector<int> turns(want.size());
      for (std::size_t i = 0; i < count; ++i) {
        const auto id = static_cast<std::size_t>(ids[i]);
        values[i] = turns[id]++ % 2 == 0 ? (random() % 2 ? 2.0f : -2.0f) : 0.5f;
        want[id] *= values[i];
      }
      const Array x = kn::asarray(values), which = kn::asarray(ids);
      check_array<float>(kn::segment_prod(x, which, {.count = groups}), {groups}, want);
      const Array order = kn::argsort(which);
      check_array<float>(
          kn::segment_prod(kn::take(x, order), kn::take(which, order), {.count = groups, .sorted = true}), {groups},
          want);
    }
    const Array rows = kn::asarray(std::vector<float>{1, 2, 3, 4, 5, 6}, {3, 2});
    check_array<float>(kn::segment_prod(rows, kn::array({1, 0, 1}), {.count = 3}), {3, 2}, {3, 4, 5, 12, 1, 1});
    CHECK(has(message_of<kn::IndexError>([&] {
                kn::segment_prod(rows, kn::array({1, 0, 1}), {.sorted = true}).eval();
                kn::segment_prod(rows, kn::array({1, 0, 1}), {.sorted = true}).to_vector<float>();
              }),
              "[segment_prod] id 0 stands behind a larger one"));
  });
}

TEST_CASE("no rows, no groups, and ids that name none") {
  on_each_device([] {
    const Array none = kn::zeros({0, 3}), nobody = kn::zeros({0}, {.dtype = kn::int32});
    CHECK(kn::segment_sum(none, nobody).shape() == kn::Shape{0, 3});
    check_array<float>(kn::segment_sum(none, nobody, {.count = 2}), {2, 3}, std::vector<float>(6));
    check_array<float>(kn::segment_prod(none, nobody, {.count = 1}), {1, 3}, {1, 1, 1});
    check_array<std::int64_t>(kn::segment_count(nobody, {.count = 2}), {2}, V{0, 0});
    const Array x = kn::ones({3});
    for (const std::int64_t wrong : {-1, 2}) {
      const Array sums = kn::segment_sum(x, kn::asarray(V{0, wrong, 1}), {.count = 2});
      CHECK(message_of<kn::IndexError>([&] { sums.to_vector<float>(); }) ==
            "[segment_sum] id " + std::to_string(wrong) + " is out of range; with a count of 2 ids can be 0 to 1");
    }
    CHECK(has(message_of<kn::IndexError>([&] {
                kn::segment_max(x, kn::array({0, 5, 1}), {.count = 2}).to_vector<float>();
              }),
              "id 5"));
    CHECK(has(message_of<kn::IndexError>([&] {
                kn::segment_prod(x, kn::array({0, 5, 1}), {.count = 2}).to_vector<float>();
              }),
              "id 5"));
  });
}

TEST_CASE("bincount adds weights") {
  on_each_device([] {
    const Array x = kn::array({0, 2, 2, 0});
    check_array<float>(kn::bincount(x, {.weights = kn::array({0.5, 1.0, 2.0, 4.0})}), {3}, {4.5, 0, 3});
    check_array<std::int64_t>(kn::bincount(x, {.weights = kn::array({1, 2, 3, 4}), .minlength = 4}), {4},
                              V{5, 0, 5, 0});
    CHECK_THROWS_AS(kn::bincount(x, {.weights = kn::ones({3})}), kn::ShapeError);
  });
}
