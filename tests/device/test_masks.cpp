// SPDX-License-Identifier: Apache-2.0
// Comparisons that are combined, that choose between elements of several sizes, and that become numbers, in one kernel.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cstdint>
#include <vector>

#include "support/devices.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::Array;
using kn::DType;

namespace {

constexpr std::int64_t count = 1003;

/// Small whole numbers, which every type holds.
std::vector<double> numbers(int step) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(double((i * step + i / 7) % 19));
  return values;
}

/// All of what is made of x, y and a bool_ of that is in memory, in one kernel for each result.
void check(DType compared, DType chosen) {
  CAPTURE(kn::name(compared));
  CAPTURE(kn::name(chosen));
  const std::vector<double> xs = numbers(5), ys = numbers(11), flags = numbers(3);
  const Array x = kn::asarray(xs, compared).eval(), y = kn::asarray(ys, compared).eval();
  const Array flag = (kn::asarray(flags) > 9).eval();
  const Array a = kn::asarray(ys, chosen).eval(), b = kn::asarray(xs, chosen).eval();

  const Array less = x < y, same = x == y, small = x <= 9;
  const Array either = (less | same) & !small, odd = less ^ small, with_flag = less & flag;
  const std::vector<Array> results = {kn::where(less, a, b),
                                      kn::where(either, a, b),
                                      kn::where(odd, b, a),
                                      kn::where(with_flag, a, b) + kn::where(!with_flag, a, b),
                                      less.astype(chosen) * 2 + either.astype(chosen),
                                      kn::where(kn::where(less, odd, small), a, b)};
  std::vector<std::vector<double>> got;
  for (const Array& each : results) {
    CHECK(kn::test::kernels_of(each) == 1);
    got.push_back(each.to_vector<double>());
  }
  const auto stored = either.to_vector<bool>();
  int wrong = 0;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    const bool l = xs[i] < ys[i], s = xs[i] == ys[i], few = xs[i] <= 9, e = (l || s) && !few, o = l != few;
    wrong += got[0][i] != (l ? ys[i] : xs[i]);
    wrong += got[1][i] != (e ? ys[i] : xs[i]);
    wrong += got[2][i] != (o ? xs[i] : ys[i]);
    wrong += got[3][i] != xs[i] + ys[i];
    wrong += got[4][i] != (l ? 2 : 0) + (e ? 1 : 0);
    wrong += got[5][i] != ((l ? o : few) ? ys[i] : xs[i]);
    wrong += stored[i] != e;
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("comparisons choose between elements of the same size and of others") {
  kn::test::on_each_device([] {
    using Types = std::pair<kn::DType, kn::DType>;
    for (const auto& [compared, chosen] :
         kn::test::usual_and<Types>({{kn::float32, kn::float32}, {kn::int8, kn::int64}}, {{kn::float16, kn::float16},
                                                                                          {kn::float32, kn::int32},
                                                                                          {kn::int32, kn::float32},
                                                                                          {kn::uint8, kn::int8},
                                                                                          {kn::int16, kn::uint16},
                                                                                          {kn::uint64, kn::int64}})) {
      check(compared, chosen);
    }
  });
  if (kn::test::without_variants("float64")) return;
  kn::test::on_each_device(kn::float64, [] {
    check(kn::float32, kn::float64);
    check(kn::float64, kn::float64);
    check(kn::float64, kn::int64);
  });
}

TEST_CASE("NaN compares as it does for single numbers") {
  kn::test::on_each_device([] {
    const std::vector<float> values = {1, kn::nan, -0.0F, 0, kn::nan, 7};
    const Array x = kn::asarray(values).eval(), y = kn::flip(x).eval();
    const auto chosen = kn::where((x < y) | (x != x), x * 0 + 1, kn::where(!(x >= y), 2.0F, 3.0F)).to_vector<float>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const float a = values[i], b = values[values.size() - 1 - i];
      const float want = a != a ? a : a < b ? 1.0F : !(a >= b) ? 2.0F : 3.0F;
      CHECK((chosen[i] == want || (chosen[i] != chosen[i] && want != want)));
    }
  });
}
