// SPDX-License-Identifier: Apache-2.0
// Operands that lie apart in memory and are read many times, which a CPU copies in the order of its vectors first,
// beside a reference that finds each element by plain index arithmetic.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "support/devices.hpp"
#include "support/small_numbers.hpp"

namespace kn = koine;
using kn::all;
using kn::Array;
using kn::newaxis;
using kn::Shape;
using kn::slice;
using kn::test::numbers;
using kn::test::on_each_device;
using kn::test::value_at;

namespace {

/// Of many points and few, and of their coordinates.
constexpr std::int64_t many = 431, few = 211, coordinates = 5;
double many_at(std::int64_t point, std::int64_t c) { return value_at(point * coordinates + c); }
double few_at(std::int64_t point, std::int64_t c) { return value_at(point * coordinates + c + 7); }

Array few_points(kn::DType type) {
  return numbers({few * coordinates + 7}, type)(slice(7, kn::none)).reshape({few, coordinates});
}

}  // namespace

TEST_CASE("columns that are broadcast along many rows are read like others") {
  on_each_device(kn::float64, [] {
    for (const kn::DType type : {kn::float32, kn::float64, kn::int16}) {
      CAPTURE(type);
      const Array x = numbers({many, coordinates}, type), y = few_points(type);
      const std::vector<double> found = (x(all, newaxis, 3) + y(all, 1) * 2).to_vector<double>();
      // In the other order, by steps backwards.
      const Array back = kn::flip(x, {.axis = 0});
      const std::vector<double> turned = (back(all, 3) - y(all, newaxis, 0)).to_vector<double>();
      std::vector<double> wanted, wanted_turned;
      for (std::int64_t a = 0; a < many; ++a) {
        for (std::int64_t b = 0; b < few; ++b) wanted.push_back(many_at(a, 3) + few_at(b, 1) * 2);
      }
      for (std::int64_t b = 0; b < few; ++b) {
        for (std::int64_t a = 0; a < many; ++a) wanted_turned.push_back(many_at(many - 1 - a, 3) - few_at(b, 0));
      }
      CHECK(found == wanted);
      CHECK(turned == wanted_turned);
    }
  });
}

TEST_CASE("columns that are folded with each of many others are read like others") {
  on_each_device(kn::float64, [] {
    const Array x = numbers({many, coordinates}, kn::float32), y = few_points(kn::float32);
    // The largest for each of the many, and for each of the few.
    const auto value = [&](std::int64_t a, std::int64_t b) { return many_at(a, 4) * 3 - few_at(b, 2) * many_at(a, 0); };
    const Array values = x(all, newaxis, 4) * 3 - y(all, 2) * x(all, newaxis, 0);
    std::vector<double> of_many(many, -1e9), of_few(few, -1e9);
    for (std::int64_t a = 0; a < many; ++a) {
      for (std::int64_t b = 0; b < few; ++b) {
        of_many[std::size_t(a)] = std::max(of_many[std::size_t(a)], value(a, b));
        of_few[std::size_t(b)] = std::max(of_few[std::size_t(b)], value(a, b));
      }
    }
    CHECK(kn::max(values, 1).to_vector<double>() == of_many);
    CHECK(kn::max(values, 0).to_vector<double>() == of_few);
  });
}

TEST_CASE("rows that are folded with each of many others are read like others") {
  on_each_device(kn::float64, [] {
    for (const kn::DType type : {kn::int32, kn::float64}) {
      CAPTURE(type);
      const Array x = numbers({many, coordinates}, type), y = few_points(type);
      std::vector<double> wanted;
      for (std::int64_t b = 0; b < few; ++b) {
        for (std::int64_t a = 0; a < many; ++a) {
          double sum = 0;
          for (std::int64_t c = 0; c < coordinates; ++c) sum += many_at(a, c) * few_at(b, c);
          wanted.push_back(sum);
        }
      }
      CHECK(kn::sum(y(all, newaxis) * x, 2).to_vector<double>() == wanted);
      // The few in the same memory as the many, of which parts are read in two ways.
      const Array part = x(slice(0, 200));
      wanted.clear();
      for (std::int64_t a = 0; a < 200; ++a) {
        for (std::int64_t b = 0; b < many; ++b) {
          double most = 0;
          for (std::int64_t c = 0; c < coordinates; ++c) most = std::max(most, std::abs(many_at(a, c) - many_at(b, c)));
          wanted.push_back(most);
        }
      }
      CHECK(kn::max(kn::abs(part(all, newaxis) - x), 2).to_vector<double>() == wanted);
    }
  });
}

TEST_CASE("an operand that all rows share is read once, also where rows are no whole vectors") {
  on_each_device(kn::float64, [] {
    for (const kn::DType type : {kn::float32, kn::float64, kn::int16}) {
      for (const std::int64_t length : {3, 4, 7, 8, 11, 13, 15, 17, 29, 100, 131, 1023, 1025}) {
        CAPTURE(type);
        CAPTURE(length);
        // The last rows of the array, behind which there is no memory.
        const std::int64_t rows = 37;
        const Array x = numbers({rows + 1, length}, type)(slice(1, kn::none)), shared = numbers({length}, type);
        std::vector<double> most, least, last, total, most_beside;
        for (std::int64_t row = 0; row < rows; ++row) {
          double high = -1e9, low = 1e9;
          std::int64_t at = 0;
          total.push_back(0);
          most_beside.push_back(-1e9);
          for (std::int64_t i = 0; i < length; ++i) {
            const double value = value_at((row + 1) * length + i) - 2 * value_at(i);
            total.back() += value;
            most_beside.back() = std::max(most_beside.back(), value_at((row + 1) * length + i) - value_at(2 * i));
            if (value > high) at = i;
            high = std::max(high, value);
            low = std::min(low, value);
          }
          most.push_back(high);
          least.push_back(low);
          last.push_back(double(at));
        }
        const Array values = x - shared * 2;
        CHECK(kn::max(values, 1).to_vector<double>() == most);
        CHECK(kn::min(values, 1).to_vector<double>() == least);
        CHECK(kn::argmax(values, 1).to_vector<double>() == last);
        CHECK(kn::sum(values, 1).to_vector<double>() == total);
        const Array every_other = numbers({2 * length}, type)(slice(kn::none, kn::none, 2));
        CHECK(kn::max(x - every_other, 1).to_vector<double>() == most_beside);
      }
    }
  });
}

TEST_CASE("distances of each of many points from each, in loops of other kernels and reductions of their own") {
  on_each_device(kn::float64, [] {
    constexpr std::int64_t left = 263, right = 257, pairs = 2;
    // Up to 64 coordinates sums are loops of the kernel that reads them.
    for (const std::int64_t axes : {2, 16, 64, 100}) {
      CAPTURE(axes);
      const Array x = numbers({pairs, left, axes}, kn::float64), y = numbers({pairs, right, axes}, kn::float64);
      const Array apart = x(all, all, newaxis) - y(all, newaxis);
      std::vector<double> sums, nearest, most;
      for (std::int64_t pair = 0; pair < pairs; ++pair) {
        for (std::int64_t a = 0; a < left; ++a) {
          std::int64_t best = 0;
          for (std::int64_t b = 0; b < right; ++b) {
            double sum = 0, largest = 0;
            for (std::int64_t c = 0; c < axes; ++c) {
              const double distance = value_at((pair * left + a) * axes + c) - value_at((pair * right + b) * axes + c);
              sum += distance * distance;
              largest = std::max(largest, std::abs(distance));
            }
            sums.push_back(sum);
            most.push_back(largest);
            const auto line = sums.size() - std::size_t(b) - 1;
            if (sum < sums[line + std::size_t(best)]) best = b;
          }
          nearest.push_back(double(best));
        }
      }
      const Array squares = kn::sum(kn::square(apart), -1);
      CHECK((squares + 1 - 1).to_vector<double>() == sums);
      CHECK(squares.to_vector<double>() == sums);
      CHECK(kn::argmin(squares, -1).to_vector<double>() == nearest);
      CHECK(kn::max(kn::abs(apart), -1).to_vector<double>() == most);
      // The last axis of the one first, so that elements of both lie apart along it.
      const Array turned = kn::asarray(x.mT().to_vector<double>(), {pairs, axes, left}).mT();
      CHECK((kn::sum(kn::square(turned(all, all, newaxis) - y(all, newaxis)), -1) * 1).to_vector<double>() == sums);
    }
  });
}
