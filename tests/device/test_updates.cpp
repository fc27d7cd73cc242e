// SPDX-License-Identifier: Apache-2.0
// Updates through a subscript, x.at(positions).add(values) and its like, against plain loops.
#include <doctest/doctest.h>
#include <koine/koine.hpp>
#include <koine/profile.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/inner.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::check_array;
using kn::test::has;
using kn::test::ids_below;
using kn::test::message_of;
using kn::test::on_each_device;

namespace {

using V = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("updates count every position") {
  on_each_device([] {
    Array x = kn::array({1.0, 2.0, 3.0, 4.0});
    const Array before = x;
    x.at({0, 0, -1}).add(kn::array({10.0, 20.0, 5.0}));
    check_array<float>(x, {4}, {31, 2, 3, 9});
    check_array<float>(before, {4}, {1, 2, 3, 4});
    x.at(kn::array({1, 1, 1})).multiply(2);
    check_array<float>(x, {4}, {31, 16, 3, 9});
    x.at({0, 2, 2}).max(kn::array({0.0, 7.0, 5.0}));
    check_array<float>(x, {4}, {31, 16, 7, 9});
    x.at({0, 2, 2}).min(kn::array({0.0, 7.0, 5.0}));
    check_array<float>(x, {4}, {0, 16, 5, 9});
    // Slices, masks and integers alone repeat nothing.
    x.at(kn::slice(2)).add(1);
    x.at(x > 10).add(100);
    x.at(-1).multiply(2);
    check_array<float>(x, {4}, {1, 117, 5, 18});

    Array m = kn::zeros({3, 4}, {.dtype = kn::int32});
    m.at(kn::array({0, 2, 0}), kn::slice(1, 3)).add(kn::array({{1, 2}, {3, 4}, {5, 6}}));
    check_array<std::int32_t>(m, {3, 4}, {0, 6, 8, 0, 0, 0, 0, 0, 0, 3, 4, 0});
    m.at({1, 1}, kn::array({2, 2})).add(7);
    check_array<std::int32_t>(m, {3, 4}, {0, 6, 8, 0, 0, 0, 14, 0, 0, 3, 4, 0});
    m.at({1, 1, 2}).add(kn::array({1, 1, 1, 1}));
    check_array<std::int32_t>(m, {3, 4}, {0, 6, 8, 0, 2, 2, 16, 2, 1, 4, 5, 1});

    Array truth = kn::array({false, true, true});
    truth.at({0, 0}).add(kn::array({false, true}));
    truth.at({1, 1}).multiply(kn::array({true, false}));
    check_array<bool>(truth, {3}, {true, false, true});
    Array z = kn::zeros({2}, {.dtype = kn::complex64});
    z.at({1, 1, 1}).add(std::complex<float>(1, 2));
    check_array<std::complex<float>>(z, {2}, {{0, 0}, {3, 6}});

    Array y = kn::zeros({3});
    y.at(kn::array({0, 7})).add(1);
    CHECK(has(message_of<kn::IndexError>([&] { y.to_vector<float>(); }), "index 7 is out of range"));
    CHECK_THROWS_AS(x.at({0, 1}).add(kn::ones({3})), kn::ShapeError);
    CHECK_THROWS_AS(z.at({0}).max(1), kn::DTypeError);
  });
}

TEST_CASE("positions along the first axis, whatever their type, name whole rows") {
  on_each_device([] {
    constexpr std::int64_t rows = 200, inner = 3;
    const V at{0, -1, 5, 5, -128, 127, 0};
    const auto start = ids_below(1000, rows * inner, 1), values = ids_below(1000, at.size() * inner, 2);
    for (const kn::DType type : {kn::int8, kn::int64}) {
      auto sums = start, most = start;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::int64_t row = at[i / inner], k = (row < 0 ? row + rows : row) * inner;
        const auto entry = static_cast<std::size_t>(k) + i % inner;
        sums[entry] += values[i];
        most[entry] = std::max(most[entry], values[i]);
      }
      Array x = kn::asarray(start, {rows, inner}), y = x, one = x;
      const Array ids = kn::asarray(at, type), v = kn::asarray(values, {7, inner});
      x.at(ids).add(v);
      y.at(ids).max(v);
      check_array(x, {rows, inner}, sums);
      check_array(y, {rows, inner}, most);
      // One value for all, and positions with two axes.
      one.at(kn::reshape(ids, {7, 1})).add(1);
      CHECK(kn::sum(one).item<std::int64_t>() == kn::sum(kn::asarray(start)).item<std::int64_t>() + 7 * inner);
      CHECK(one(5, 0).item<int>() == start[15] + 2);
      CHECK(one(72, 2).item<int>() == start[218] + 1);
    }
    Array z = kn::zeros({2, 2}, {.dtype = kn::complex64});
    z.at({-1, -1}).add(kn::array({{std::complex<float>(1, 2)}, {std::complex<float>(3, 4)}}));
    check_array<std::complex<float>>(z, {2, 2}, {{0, 0}, {0, 0}, {4, 6}, {4, 6}});
    for (const std::int64_t wrong : {-4, 3}) {
      Array w = kn::zeros({3, 2});
      w.at(kn::asarray(V{0, wrong})).add(1);
      CHECK(message_of<kn::IndexError>([&] { w.to_vector<float>(); }) ==
            "[at] index " + std::to_string(wrong) + " is out of range for axis 0 of size 3; it can be -3 to 2");
    }
    Array w = kn::zeros({3});
    w.at(kn::asarray(std::vector<std::uint64_t>{~std::uint64_t{0}})).max(1);
    CHECK(has(message_of<kn::IndexError>([&] { w.to_vector<float>(); }), "index 9223372036854775807 is out of range"));
  });
}

TEST_CASE("few values by few ids are one launch on a card") {
  on_each_device([] {
    if (kn::test::facts_of().cpu_loops) return;
    const Array x = kn::asarray(std::vector<float>(100)).eval(), v = kn::asarray(std::vector<float>{1, 2, 3}).eval();
    const Array at = kn::asarray(V{1, -1, 1}).eval();
    const auto launches = [&](auto work) {
      work();  // may compile
      const auto before = kn::test::activity_of().launches;
      work();
      return kn::test::activity_of().launches - before;
    };
    CHECK(launches([&] {
            Array y = x;
            y.at(at).add(v);
            y.eval();
          }) == 1);
    CHECK(launches([&] {
            Array y = x;
            y.at(at).max(v);
            y.eval();
          }) == 1);
    const Array ids = kn::asarray(V{0, 1, 0}).eval();
    CHECK(launches([&] { kn::segment_sum(v, ids, {.count = 2}).eval(); }) == 1);
  });
}

TEST_CASE("elements that no position names stay as they are, down to the sign of zero") {
  on_each_device([] {
    for (const std::int64_t size : {8, 1000}) {
      CAPTURE(size);
      std::vector<float> start(static_cast<std::size_t>(size), -0.0f);
      start[3] = kn::nan;
      start[4] = std::numeric_limits<float>::infinity();
      Array x = kn::asarray(start);
      x.at({1, 2, 1}).add(0.5);
      x.at({5}).add(1);
      const auto got = x.to_vector<float>();
      CHECK(got[1] == 1.0f);
      CHECK(got[2] == 0.5f);
      CHECK(got[5] == 1.0f);
      CHECK(std::isnan(got[3]));
      CHECK(std::isinf(got[4]));
      CHECK(std::signbit(got[0]));
      CHECK(std::signbit(got[static_cast<std::size_t>(size) - 1]));
    }
  });
}

TEST_CASE("few positions in a long array, and many") {
  on_each_device([] {
    constexpr std::int64_t size = 50'000;
    for (const std::size_t count : {100u, 200'000u}) {
      CAPTURE(count);
      const auto at = ids_below(count == 100 ? 30 : size, count, 11);
      auto want = ids_below(1000, size, 12), most = want;
      const auto values = ids_below(1000, count, 13);
      for (std::size_t i = 0; i < count; ++i) {
        const auto k = static_cast<std::size_t>(at[i]);
        want[k] += values[i];
        most[k] = std::max(most[k], values[i]);
      }
      Array x = kn::asarray(ids_below(1000, size, 12)), y = x;
      x.at(kn::asarray(at)).add(kn::asarray(values));
      y.at(kn::asarray(at)).max(kn::asarray(values));
      check_array(x, {size}, want);
      check_array(y, {size}, most);
    }
  });
}

TEST_CASE("few values beside many entries are one launch of a card, in place") {
  on_each_device([] {
    const bool card = !kn::test::facts_of().cpu_loops;
    constexpr std::int64_t rows = 5000, inner = 2;
    const auto drawn = [](std::int64_t below, std::int64_t count, unsigned seed) {
      const auto ids = ids_below(below, static_cast<std::size_t>(count), seed);
      return V(ids.begin(), ids.end());
    };
    for (const kn::DType type : kn::test::usual_and({kn::int8, kn::float32, kn::complex64}, {kn::float16, kn::int64})) {
      for (const std::int64_t count : {1, 3, 64, 65, 128}) {
        CAPTURE(type);
        CAPTURE(count);
        const std::int64_t reals = count * inner * (kn::is_complex(type) ? 2 : 1);
        V at = drawn(count / 2 + 1, count, 21);
        for (std::size_t i = 0; i < at.size(); ++i) at[i] = i % 3 == 0 ? at[i] - rows : at[i] * 700 % rows;
        const V start = drawn(20, rows * inner, 22), add = drawn(20, count * inner, 23);
        V sums = start, most = start;
        for (std::size_t i = 0; i < add.size(); ++i) {
          const std::int64_t row = at[i / inner] + (at[i / inner] < 0 ? rows : 0);
          const auto entry = static_cast<std::size_t>(row * inner) + i % inner;
          sums[entry] += add[i];
          most[entry] = std::max(most[entry], add[i]);
        }
        const auto checked = [&](const Array& x, V want) {
          if (type == kn::int8) {
            for (std::int64_t& each : want) each = static_cast<std::int8_t>(each);
          }
          V got;
          for (const std::complex<double> each : x.to_vector<std::complex<double>>()) {
            got.push_back(static_cast<std::int64_t>(each.real()));
          }
          CHECK(kn::test::difference(got, want) == "");
        };
        const Array where = kn::asarray(at).eval(), v = kn::asarray(add, {count, inner}, type).eval();
        Array x = kn::asarray(start, {rows, inner}, type).eval();
        const Array held = x;
        x.at(where).add(v);
        checked(x, sums);
        checked(held, start);
        x.at(where).add(-v);
        x.eval();
        const void* const memory = kn::test::memory_of(x);
        x.at(where).add(v);
        const auto kernels = kn::test::kernels_of(x);
        if (card && reals <= 256) {
          CHECK(kernels == 1);
          CHECK(kn::test::memory_of(x) == memory);
        }
        checked(x, sums);
        if (kn::is_complex(type)) continue;
        Array y = kn::asarray(start, {rows, inner}, type);
        y.at(where).max(v);
        checked(y, most);
        y.at(where, 0).add(1);  // single elements, and one value for all
        for (const std::int64_t each : at) ++most[static_cast<std::size_t>((each + (each < 0 ? rows : 0)) * inner)];
        checked(y, most);
      }
    }
    for (const std::int64_t wrong : {-10'001, 10'000}) {
      Array x = kn::zeros({10'000});
      x.at(kn::asarray(V{0, wrong, 0})).add(1);
      CHECK(has(message_of<kn::IndexError>([&] { x.to_vector<float>(); }),
                "index " + std::to_string(wrong) + " is out of range for axis 0 of size 10000"));
    }
    // Sums are rounded once, and what no position names stays as it is.
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> start(10'000, -0.0f);
    start[3] = 1;
    start[7] = nan;
    Array x = kn::asarray(start);
    x.at(kn::array({3, 3, 3, 9})).add(kn::array({1e-8f, 1e8f, -1e8f, 0.0f}));
    const std::vector<float> got = x.to_vector<float>();
    CHECK(got[3] == 1.0f + 1e-8f);
    CHECK(std::isnan(got[7]));
    CHECK(std::signbit(got[8]));
  });
}

TEST_CASE("a chain of updates waits for no card, and what is wrong is an error of what depends on it alone") {
  on_each_device([] {
    const Array at = kn::asarray(V{1, -1, 1}).eval(), v = kn::asarray(std::vector<float>{1, 2, 3}).eval(),
                wrong = kn::asarray(V{0, 5, 0}).eval();
    using Update = std::function<void(Array&, const Array&)>;
    const std::vector<Update> updates = {[&](Array& x, const Array& where) { x.at(where).add(v); },
                                         [&](Array& x, const Array& where) { x.at(where).max(v); },
                                         [&](Array& x, const Array& where) { x(where) = v; },
                                         [&](Array& x, const Array& where) { x(where) += v; }};
    for (const Update& update : updates) {
      Array x = kn::asarray(std::vector<float>(5)).eval();
      const auto again = [&](const Array& where) {
        update(x, where);
        x.eval();
      };
      again(at);
      kn::profile::Session session;
      for (int i = 0; i < 100; ++i) again(at);
      session.stop();
      std::uint64_t reads = 0;
      for (const auto& row : session.rows()) reads += row.kind == kn::profile::Kind::download ? row.calls : 0;
      if (!kn::test::facts_of().shares_memory) CHECK(reads == 0);
      const std::vector<float> before = x.to_vector<float>();
      again(at);
      // Neither what was made of the array before, nor a copy, is wrong.
      const Array made = (x + 0).eval(), copy = x;
      again(wrong);
      again(at);
      const Array later = (x + 0).eval();
      const auto error = [](const Array& array) {
        return message_of<kn::IndexError>([&] { array.to_vector<float>(); });
      };
      CHECK(has(error(x), "index 5 is out of range for axis 0 of size 5"));
      CHECK(has(error(later), "index 5 is out of range for axis 0 of size 5"));
      CHECK(has(error(x), "index 5 is out of range for axis 0 of size 5"));
      CHECK(made.to_vector<float>() == copy.to_vector<float>());
      CHECK(made.to_vector<float>()[0] == before[0]);
    }
  });
}

TEST_CASE("a long chain of updates finds what is wrong wherever it stands") {
  on_each_device([] {
    constexpr int rounds = 70;
    const Array at = kn::asarray(V{1, -1, 1}).eval(), v = kn::asarray(std::vector<float>{1, 2, 3}).eval();
    Array x = kn::asarray(std::vector<float>(5)).eval();
    x.at(at).add(v);
    x.eval();
    for (int i = 1; i < rounds; ++i) {
      x.at(at).add(v);
      x.eval();
    }
    check_array<float>(x, {5}, {0, 4 * rounds, 0, 0, 2 * rounds});
    // One that is wrong among others that are right is found, wherever it stands in the chain.
    for (const int wrong : {0, 1, 40}) {
      CAPTURE(wrong);
      Array y = kn::asarray(std::vector<float>(5)).eval();
      const auto chained = [&] {
        for (int i = 0; i < 45; ++i) {
          y.at(i == wrong ? kn::asarray(V{0, 5, 0}) : at).add(v);
          y.eval();
        }
        y.to_vector<float>();
      };
      CHECK(has(message_of<kn::IndexError>(chained), "index 5 is out of range"));
    }
  });
}
