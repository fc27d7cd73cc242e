// SPDX-License-Identifier: Apache-2.0
// Reductions over a short axis, computed as loops inside the kernel that reads them.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/devices.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::all;
using kn::Array;
using kn::newaxis;
using kn::slice;
using kn::test::on_each_device;

namespace {

constexpr int points = 37, centres = 16, few = 8, axes = 5;

/// Points and centres beside their values.
struct Clouds {
  Array x, c;
  std::vector<float> xs, cs;

  Clouds() {
    kn::random::Generator random(3);
    x = random.uniform({points, axes});
    c = random.uniform({centres, axes});
    xs = x.to_vector<float>();
    cs = c.to_vector<float>();
  }
  float difference(int i, int j, int k) const { return xs[std::size_t(i * axes + k)] - cs[std::size_t(j * axes + k)]; }
  Array differences() const { return x(all, newaxis, all) - c; }
};

}  // namespace

TEST_CASE("distances between points with their argmin are one kernel") {
  on_each_device([] {
    const Clouds clouds;
    const Array d = clouds.differences();
    Array nearest;
    CHECK(kn::test::work_of([&] {
            nearest = kn::argmin(kn::sum(d * d, {.axis = 2}), {.axis = 1});
            nearest.eval();
          }).kernels == 1);
    // Of a part of the centres, too, which is less than a vector of a CPU, and the sums themselves.
    const Array part = d(all, slice(0, few));
    const Array sums = kn::sum(part * part, {.axis = 2}),
                of_few = kn::argmin(kn::sum(part * part, {.axis = 2}), {.axis = 1});
    const std::vector<float> got = sums.to_vector<float>();
    std::vector<std::int64_t> expected, expected_of_few;
    int wrong = 0;
    for (int i = 0; i < points; ++i) {
      int best = 0;
      float least = std::numeric_limits<float>::infinity();
      for (int j = 0; j < centres; ++j) {
        float sum = 0;
        for (int k = 0; k < axes; ++k) sum += clouds.difference(i, j, k) * clouds.difference(i, j, k);
        if (j < few) wrong += !(std::abs(got[std::size_t(i * few + j)] - sum) < 1e-5);
        if (sum < least) {
          least = sum;
          best = j;
        }
        if (j + 1 == few) expected_of_few.push_back(best);
      }
      expected.push_back(best);
    }
    CHECK(wrong == 0);
    CHECK(nearest.to_vector<std::int64_t>() == expected);
    CHECK(of_few.to_vector<std::int64_t>() == expected_of_few);
  });
}

TEST_CASE("short reductions of every kind inside element-wise kernels") {
  on_each_device([] {
    const Clouds clouds;
    const Array d = clouds.differences().eval(), whole = kn::astype(d * 10.0, kn::int32).eval();
    const auto one_kernel = [](const Array& x) { CHECK(kn::test::kernels_of(x) == 1); };
    const Array root = kn::sqrt(kn::sum(d * d, {.axis = 2})) + 1.0, product = kn::prod(d, {.axis = 2}) * 2.0;
    const Array most = kn::max(whole, {.axis = 2}) * 2, least = kn::min(whole, {.axis = 2}) * 2;
    const Array positive = kn::count_nonzero(d > 0.0, {.axis = 2}) + kn::arange(centres);
    const Array some = !kn::any(d > 0.7, {.axis = 2}), every = !kn::all(d > -0.7, {.axis = 2});
    for (const Array& x : {root, product, most, least, positive, some, every}) one_kernel(x);
    const auto roots = root.to_vector<float>(), products = product.to_vector<float>();
    const auto mosts = most.to_vector<int>(), leasts = least.to_vector<int>();
    const auto counts = positive.to_vector<std::int64_t>();
    const auto somes = kn::astype(some, kn::int32).to_vector<int>(),
               everies = kn::astype(every, kn::int32).to_vector<int>();
    for (int i = 0; i < points; ++i) {
      for (int j = 0; j < centres; ++j) {
        double sum = 0, times = 1;
        int highest = -100, lowest = 100, positives = 0, above = 0, inside = 0;
        for (int k = 0; k < axes; ++k) {
          const float e = clouds.difference(i, j, k);
          sum += double(e) * e;
          times *= e;
          highest = std::max(highest, static_cast<int>(e * 10.0f));
          lowest = std::min(lowest, static_cast<int>(e * 10.0f));
          positives += e > 0;
          above += e > 0.7f;
          inside += e > -0.7f;
        }
        const auto at = std::size_t(i * centres + j);
        CHECK(std::abs(roots[at] - (std::sqrt(sum) + 1)) < 1e-5);
        CHECK(std::abs(products[at] - 2 * times) < 1e-6);
        CHECK(mosts[at] == 2 * highest);
        CHECK(leasts[at] == 2 * lowest);
        CHECK(counts[at] == positives + j);
        CHECK(somes[at] == (above == 0));
        CHECK(everies[at] == (inside != axes));
      }
    }
  });
}

TEST_CASE("differences that two kernels read are computed in both, from what caches hold") {
  on_each_device([] {
    const Clouds clouds;
    const Array d = clouds.differences();
    const Array pull = 1.0 / (kn::sum(d * d, {.axis = 2}) + 0.1);
    Array force;
    CHECK(kn::test::work_of([&] {
            force = kn::sum(d * pull(all, all, newaxis), {.axis = 1});
            force.eval();
          }).kernels == 2);
    const auto forces = force.to_vector<float>();
    for (int i = 0; i < points; ++i) {
      double sums[axes] = {};
      for (int j = 0; j < centres; ++j) {
        double square = 0.1;
        for (int k = 0; k < axes; ++k) square += double(clouds.difference(i, j, k)) * clouds.difference(i, j, k);
        for (int k = 0; k < axes; ++k) sums[k] += clouds.difference(i, j, k) / square;
      }
      for (int k = 0; k < axes; ++k) CHECK(std::abs(forces[std::size_t(i * axes + k)] - sums[k]) < 1e-4);
    }
  });
}

TEST_CASE("short reductions of all pairs, stored, along each axis") {
  on_each_device([] {
    constexpr int rows = 21, columns = 300;  // long enough for a card to go down columns
    kn::random::Generator random(4);
    for (const int count : {3, 8}) {
      const Array x = random.uniform({rows, count}).eval(), y = random.uniform({columns, count}).eval();
      const auto xs = x.to_vector<float>(), ys = y.to_vector<float>();
      const Array last = x(all, newaxis, all) - y, first = x.T()(all, all, newaxis) - y.T()(all, newaxis, all);
      const Array middle = x(all, all, newaxis) - y.T();
      const std::vector<Array> squares = {kn::sum(last * last, {.axis = 2}), kn::sum(first * first, {.axis = 0}),
                                          kn::sum(middle * middle, {.axis = 1})};
      const Array most = kn::max(last, {.axis = 2}),
                  cosine = kn::sum(kn::cos(last) * x(all, newaxis, all), {.axis = 2});
      std::vector<std::vector<float>> got;
      for (const Array& each : squares) {
        CHECK(kn::test::kernels_of(each) == 1);
        got.push_back(each.to_vector<float>());
      }
      const auto mosts = most.to_vector<float>(), cosines = cosine.to_vector<float>();
      int wrong = 0;
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
          double sum = 0, turned = 0;
          float highest = -2;
          for (int k = 0; k < count; ++k) {
            const float a = xs[std::size_t(i * count + k)], e = a - ys[std::size_t(j * count + k)];
            sum += double(e) * e;
            turned += std::cos(double(e)) * a;
            highest = std::max(highest, e);
          }
          const auto at = std::size_t(i * columns + j);
          for (const auto& each : got) wrong += !(std::abs(each[at] - sum) < 1e-5);
          wrong += mosts[at] != highest || !(std::abs(cosines[at] - turned) < 1e-5);
        }
      }
      CHECK(wrong == 0);
    }
  });
}

TEST_CASE("sums over all others into the few coordinates of a point") {
  on_each_device([] {
    constexpr int count = 270, coordinates = 3;  // rows long enough for a card to go along them
    kn::random::Generator random(5);
    const Array x = random.uniform({count, coordinates}).eval(), weights = random.uniform({count, count}).eval();
    const Array apart = x(newaxis, all, all) - x(all, newaxis, all);
    const auto forces = kn::sum(apart * weights(all, all, newaxis), {.axis = 1}).to_vector<float>();
    const auto least = kn::min(apart * weights(all, all, newaxis), {.axis = 1}).to_vector<float>();
    const auto xs = x.to_vector<float>(), ws = weights.to_vector<float>();
    int wrong = 0;
    for (int i = 0; i < count; ++i) {
      for (int k = 0; k < coordinates; ++k) {
        double sum = 0;
        float lowest = 2;
        for (int j = 0; j < count; ++j) {
          const float term = (xs[std::size_t(j * coordinates + k)] - xs[std::size_t(i * coordinates + k)]) *
                             ws[std::size_t(i * count + j)];
          sum += term;
          lowest = std::min(lowest, term);
        }
        const auto at = std::size_t(i * coordinates + k);
        wrong += !(std::abs(forces[at] - sum) < 1e-4) || least[at] != lowest;
      }
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE("short reductions that are read otherwise are stored") {
  on_each_device([] {
    const Clouds clouds;
    // Read for every element of the row, in two places, through a reshape, by a product, and held.
    const Array share = clouds.x / kn::sum(clouds.x, {.axis = 1, .keepdims = true});
    const Array total = kn::sum(clouds.x, {.axis = 1});
    const Array twice = total + kn::flip(total), folded = kn::reshape(kn::sum(clouds.c, {.axis = 1}), {4, 4}) * 2.0;
    std::vector<float> sums, both;
    for (int i = 0; i < points; ++i) {
      double sum = 0;
      for (int k = 0; k < axes; ++k) sum += clouds.xs[std::size_t(i * axes + k)];
      sums.push_back(static_cast<float>(sum));
    }
    const auto shares = share.to_vector<float>(), twices = twice.to_vector<float>(), totals = total.to_vector<float>();
    for (int i = 0; i < points; ++i) {
      const auto at = std::size_t(i);
      for (int k = 0; k < axes; ++k) {
        CHECK(std::abs(shares[at * axes + std::size_t(k)] - clouds.xs[at * axes + std::size_t(k)] / sums[at]) < 1e-6);
      }
      CHECK(std::abs(totals[at] - sums[at]) < 1e-5);
      CHECK(std::abs(twices[at] - (sums[at] + sums[std::size_t(points - 1 - i)])) < 1e-5);
    }
    const auto folds = folded.to_vector<float>();
    for (int j = 0; j < centres; ++j) {
      double sum = 0;
      for (int k = 0; k < axes; ++k) sum += clouds.cs[std::size_t(j * axes + k)];
      CHECK(std::abs(folds[std::size_t(j)] - 2 * sum) < 1e-5);
    }
  });
}

TEST_CASE("short reductions of what is repeated along an axis, read under another shape") {
  on_each_device([] {
    const Clouds clouds;
    // The second operand has an element for each row of eight results: not one behind the other where these are a line.
    const Array x = clouds.x(slice(0, 32)), c = clouds.c(slice(0, few));
    const auto products = [&](bool keepdims) {
      return kn::sum(x(all, newaxis, all) * c, {.axis = 2, .keepdims = keepdims});
    };
    std::vector<double> expected;
    for (int i = 0; i < 32; ++i) {
      for (int j = 0; j < few; ++j) {
        double sum = 0;
        for (int k = 0; k < axes; ++k) {
          sum += double(clouds.xs[std::size_t(i * axes + k)]) * clouds.cs[std::size_t(j * axes + k)];
        }
        expected.push_back(sum);
      }
    }
    const auto check = [&](const Array& got, double factor = 1) {
      const std::vector<float> values = got.to_vector<float>();
      REQUIRE(values.size() == expected.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        CHECK(values[i] == doctest::Approx(factor * expected[i]).epsilon(1e-5));
      }
    };
    constexpr int count = 32 * few;
    check(products(true).ravel());
    check(products(true)(all, all, 0).ravel());
    check((products(false) * 2).ravel(), 2);
    check((products(true) * 2)(all, all, 0).reshape({few, 32}), 2);
    check(kn::take(products(true).ravel(), kn::arange(count)));
    Array added = kn::zeros(count);
    added.at(kn::arange(count)).add(products(true)(all, all, 0).ravel());
    check(added);
    check(kn::matmul(x(all, newaxis, newaxis, all), c(newaxis, all, all, newaxis)).ravel());
  });
}

TEST_CASE("a reduction of half-precision elements inside a kernel is rounded once") {
  on_each_device([] {
    const Clouds clouds;
    const Array half = kn::astype(clouds.x, kn::float16), sum = kn::sum(half, {.axis = 1});
    const std::vector<float> inside = kn::astype(kn::sum(half, {.axis = 1}) * 2.0, kn::float32).to_vector<float>();
    const std::vector<float> apart = kn::astype(sum, kn::float32).to_vector<float>();
    for (std::size_t i = 0; i < apart.size(); ++i) CHECK(std::abs(inside[i] - 2 * apart[i]) <= 0.004f * apart[i]);
  });
}

TEST_CASE("many short rows of memory, whose sums a kernel goes on from, or another one reads") {
  on_each_device([] {
    constexpr int rows = 5'001, count = 17;
    kn::random::Generator random(6);
    const Array x = random.normal({rows, count}).eval();
    const Array length = kn::sqrt(kn::sum(x * x, {.axis = 1})),
                logarithm = kn::log(kn::sum(kn::exp(x), {.axis = 1, .keepdims = true})) + x(all, kn::slice(0, 1));
    CHECK(kn::test::kernels_of(length) == 1);
    const auto xs = x.to_vector<float>(), lengths = length.to_vector<float>(),
               logarithms = logarithm.to_vector<float>();
    int wrong = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      double squares = 0, powers = 0;
      for (std::size_t k = i * count; k < (i + 1) * count; ++k) {
        squares += double(xs[k]) * xs[k];
        powers += std::exp(double(xs[k]));
      }
      wrong += !(std::abs(lengths[i] - std::sqrt(squares)) < 1e-5);
      wrong += !(std::abs(logarithms[i] - (std::log(powers) + xs[i * count])) < 1e-5);
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE("what short reductions give, moved under another shape") {
  std::vector<float> rows(9), columns(9), largest(9), moved(9);
  for (std::size_t i = 0; i < 9; ++i) {
    rows[i] = static_cast<float>(i * 5 % 7);
    columns[i] = static_cast<float>(i * 3 % 8);
  }
  for (std::size_t i = 0; i < 9; ++i) {
    const std::size_t row = i % 3 * 3;
    largest[i] = columns[i] + std::max({rows[row], rows[row + 1], rows[row + 2]});
  }
  for (std::size_t i = 0; i < 9; ++i) moved[(i + 2) % 9] = largest[i];
  on_each_device([&] {
    const Array terms = kn::asarray(rows, {3, 3}) + kn::asarray(columns, {3, 3, 1});
    const Array kept = kn::max(terms, {.axis = 2, .keepdims = true}), other = kn::max(terms.mT() * 1, {.axis = 1});
    CHECK(kn::roll(kept, 2).to_vector<float>() == moved);
    CHECK(kn::roll(other, 2).to_vector<float>() == moved);
    CHECK((-kn::roll(-other, 2)).to_vector<float>() == moved);
  });
}
