// SPDX-License-Identifier: Apache-2.0
// Loops whose rounds store a value that the next round reads through views, beside plain C++: what reads it in place is
// computed in the kernel that stores it.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/devices.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::all;
using kn::Array;
using kn::none;
using kn::slice;
using kn::test::on_each_device;

namespace {

bool on_card() { return kn::default_device().type() == kn::DeviceType::gpu; }

std::vector<float> counted(std::size_t count, int period) {
  std::vector<float> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(static_cast<float>(static_cast<int>(i * 7919 % 1009) % period));
  return values;
}

void check(const Array& result, const std::vector<float>& expected) {
  const std::vector<float> values = result.to_vector<float>();
  REQUIRE(values.size() == expected.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < values.size(); ++i) wrong += values[i] != expected[i];
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("the largest of each row is found where the rows are stored that the next round reads shifted") {
  on_each_device([] {
    constexpr std::int64_t rows = 40, columns = 640, rounds = 6;
    const std::vector<float> start = counted(rows * columns, 17);
    const Array x = kn::asarray(start, {rows, columns});
    Array h = x, best = kn::zeros({rows}, {.dtype = kn::float32});
    best.eval();
    const auto work = kn::test::work_of([&] {
      for (std::int64_t round = 0; round < rounds; ++round) {
        h = kn::maximum(2 * h(all, slice(1, none)) - h(all, slice(0, -1)), -3) / 2;
        best = kn::maximum(best, kn::max(h, {.axis = 1}));
      }
      kn::eval({best, h});
    });
    // On a card a kernel for each round, and one for what is made of their results; a CPU takes reductions apart.
    CHECK(work.kernels <= (on_card() ? rounds : 2 * rounds) + 1);

    std::vector<float> now = start, most(rows, 0.0F);
    std::size_t width = columns;
    for (std::int64_t round = 0; round < rounds; ++round) {
      std::vector<float> next;
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j + 1 < width; ++j) {
          const float value = std::max(2 * now[i * width + j + 1] - now[i * width + j], -3.0F) / 2;
          next.push_back(value);
          most[i] = std::max(most[i], value);
        }
      }
      now = next;
      --width;
    }
    check(best, most);
    check(h, now);
  });
}

TEST_CASE("what is repeated is read where it lies, if it is made of rolls") {
  on_each_device([] {
    constexpr std::size_t n = 24;
    const std::vector<float> coarse = counted(n * n, 13), fine = counted(4 * n * n, 11);
    const Array e = kn::asarray(coarse, {n, n}), u = kn::asarray(fine, {2 * n, 2 * n});
    Array smooth, result;
    const auto work = kn::test::work_of([&] {
      smooth = 2 * e + kn::roll(e, 1, 0) + kn::roll(e, -1, 1);
      result = 3 * u + kn::repeat(kn::repeat(smooth, 2, 0), 2, 1);
      result.eval();
    });
    CHECK(work.kernels <= (on_card() ? 2 : 3));  // a CPU reads no rows of two elements
    std::vector<float> expected;
    for (std::size_t i = 0; i < 2 * n; ++i) {
      for (std::size_t j = 0; j < 2 * n; ++j) {
        const std::size_t a = i / 2, b = j / 2;
        expected.push_back(3 * fine[i * 2 * n + j] + 2 * coarse[a * n + b] + coarse[(a + n - 1) % n * n + b] +
                           coarse[a * n + (b + 1) % n]);
      }
    }
    check(result, expected);
  });
}

TEST_CASE("kernels of one evaluation share constants, however often it comes") {
  on_each_device([] {
    constexpr std::size_t rows = 64, columns = 96;
    const std::vector<float> values = counted(rows * columns, 19);
    const Array x = kn::asarray(values, {rows, columns});
    // A plan that comes again runs each kernel before the next one is prepared.
    for (int time = 0; time < 6; ++time) {
      CAPTURE(time);
      const Array down = kn::sum(x * 3 + 5, {.axis = 0}), across = kn::sum(kn::abs(x * 3 - 5), {.axis = 1}),
                  turned = x.T() * 3 + 5;
      kn::eval({down, across, turned});
      std::vector<float> sums(columns, 0), distances(rows, 0), others(rows * columns);
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
          const float value = values[i * columns + j] * 3;
          sums[j] += value + 5;
          distances[i] += std::abs(value - 5);
          others[j * rows + i] = value + 5;
        }
      }
      check(down, sums);
      check(across, distances);
      check(turned, others);
    }
  });
}

TEST_CASE("parts of one array are read, and written, wherever they lie in it") {
  on_each_device([] {
    constexpr std::size_t n = 50;
    const std::vector<float> values = counted(n * n, 23);
    const Array x = kn::asarray(values, {n, n});
    const auto part = [&](std::int64_t i, std::int64_t j) { return x(slice(i, i + 48), slice(j, j + 48)); };
    const Array result = kn::stack({part(0, 1) + part(1, 0), part(2, 1) - part(1, 2), part(1, 1) * part(0, 0)}, 1);
    std::vector<float> expected;
    const auto at = [&](std::size_t i, std::size_t j) { return values[i * n + j]; };
    for (std::size_t i = 0; i < 48; ++i) {
      for (int which = 0; which < 3; ++which) {
        for (std::size_t j = 0; j < 48; ++j) {
          expected.push_back(which == 0   ? at(i, j + 1) + at(i + 1, j)
                             : which == 1 ? at(i + 2, j + 1) - at(i + 1, j + 2)
                                          : at(i + 1, j + 1) * at(i, j));
        }
      }
    }
    check(result, expected);
  });
}
