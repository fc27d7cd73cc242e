// SPDX-License-Identifier: Apache-2.0
// koine::reproducible: reductions and matrix products bit for bit as the documented order has them, on every device,
// for every layout; and whom the scope concerns. Prints a hash of all results, to be compared between devices by eye.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cstring>
#include <functional>
#include <iostream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/child.hpp"
#include "support/devices.hpp"
#include "support/fixed_order.hpp"
#include "support/inner.hpp"

namespace kn = koine;
using kn::all;
using kn::Array;
using kn::none;
using kn::Shape;
using kn::slice;
using kn::test::fixed_prod;
using kn::test::fixed_sum;
using kn::test::fixed_tree;
using kn::test::is_reproducible;
using kn::test::on_each_device;
using kn::test::plain_product;
using kn::test::Summed;

namespace {

/// Where two lists of the same bits first differ, in words. Which NaN it is does not count.
template <class T>
std::string bit_difference(const std::vector<T>& got, const std::vector<T>& want) {
  if (got.size() != want.size()) return "another number of elements";
  for (std::size_t i = 0; i < got.size(); ++i) {
    const T a = got[i], b = want[i];
    if (std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b)) continue;
    return "element " + std::to_string(i) + " is " + kn::test::value_text(a) + ", expected " + kn::test::value_text(b);
  }
  return "";
}

std::uint64_t results_hash = 0;

template <class T>
void check_bits(const Array& x, const std::vector<T>& want) {
  const std::vector<T> got = x.to_vector<T>();
  CHECK(bit_difference(got, want) == "");
  for (const T& value : got) {
    const T counted = value == value ? value : T(0);
    results_hash = kn::test::hash64(&counted, sizeof counted, results_hash);
  }
}

/// Values whose sum depends on the order: of all sizes and both signs.
template <class T>
std::vector<T> uneven(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto one = [&] {
    const double size = std::ldexp(1.0, static_cast<int>(random() % 14));
    return (static_cast<double>(random() % 4096) / 2048.0 - 1.0) * size / 37.0;
  };
  std::vector<T> values(count);
  for (T& value : values) {
    if constexpr (kn::test::is_complex_float<T>) {
      const double real = one();
      value = T(static_cast<typename T::value_type>(real), static_cast<typename T::value_type>(one()));
    } else {
      value = T(static_cast<Summed<T>>(one()));
    }
  }
  return values;
}

template <class T>
std::vector<T> near_one(std::size_t count, std::uint64_t seed) {
  std::vector<T> values = uneven<T>(count, seed);
  for (T& value : values) value = T(Summed<T>(1) + Summed<T>(value) / Summed<T>(100000));
  return values;
}

/// The values that go into each result in row-major order of both, in the type that sums are kept in.
template <class T>
std::vector<std::vector<Summed<T>>> groups(const std::vector<T>& values, const Shape& shape,
                                           const std::vector<std::int64_t>& axes) {
  Shape kept = shape;
  for (std::int64_t axis : axes) kept[static_cast<std::size_t>(axis)] = 1;
  std::vector<std::vector<Summed<T>>> result(static_cast<std::size_t>(kept.elements()));
  std::size_t next = 0;
  kn::test::each_position(shape, [&](const Shape& position) {
    Shape at = position;
    for (std::int64_t axis : axes) at[static_cast<std::size_t>(axis)] = 0;
    result[static_cast<std::size_t>(kn::test::number_of(at, kept))].push_back(Summed<T>(values[next++]));
  });
  return result;
}

template <class T>
using OfGroup = std::function<T(const std::vector<Summed<T>>&)>;

template <class T>
std::vector<T> of_each(const std::vector<std::vector<Summed<T>>>& groups, const OfGroup<T>& f) {
  std::vector<T> results;
  for (const auto& group : groups) results.push_back(f(group));
  return results;
}

/// A count in a type of parts or of both.
template <class S>
S counted(std::size_t count) {
  if constexpr (kn::test::is_complex_float<S>)
    return S(static_cast<typename S::value_type>(count));
  else
    return static_cast<S>(count);
}

template <class T>
T mean_of(const std::vector<Summed<T>>& group) {
  using S = Summed<T>;
  const S total = fixed_sum(group), count = counted<S>(group.size());
  if constexpr (kn::test::is_complex_float<S>)
    return T(total.real() / count.real(), total.imag() / count.real());
  else
    return T(total / count);
}

template <class T>
T var_of(const std::vector<Summed<T>>& group, float correction) {
  using S = Summed<T>;
  const S mean = fixed_sum(group) / counted<S>(group.size());
  std::vector<S> squares;
  for (S value : group) squares.push_back((value - mean) * (value - mean));
  return T(fixed_sum(squares) / (counted<S>(group.size()) - S(correction)));
}

/// sum and, where `more` is set, every other reduction of an array with these values, over these axes.
template <class T>
void check_reductions(const Array& x, const std::vector<T>& values, const std::vector<std::int64_t>& axes, bool more) {
  CAPTURE(to_string(x.shape()));
  CAPTURE(axes);
  const kn::Axis axis(axes);
  const auto parts = groups(values, x.shape(), axes);
  check_bits(kn::sum(x, {.axis = axis}), of_each<T>(parts, [](const auto& g) { return T(fixed_sum(g)); }));
  if (!more) return;
  check_bits(kn::mean(x, {.axis = axis}), of_each<T>(parts, mean_of<T>));
  if constexpr (!kn::test::is_complex_float<T>) {
    using S = Summed<T>;
    check_bits(kn::var(x, {.axis = axis}), of_each<T>(parts, [](const auto& g) { return var_of<T>(g, 0); }));
    const S infinity = std::numeric_limits<S>::infinity();
    check_bits(kn::max(x, {.axis = axis}), of_each<T>(parts, [&](const auto& g) {
                 return T(fixed_tree<S>(g, -infinity, [](S a, S b) { return a > b ? a : b; }));
               }));
    if (kn::test::without_variants("minima, which are as maxima, and roots of variances")) return;
    check_bits(kn::std(x, {.axis = axis, .correction = 1}),
               of_each<T>(parts, [](const auto& g) { return T(std::sqrt(static_cast<S>(var_of<T>(g, 1)))); }));
    check_bits(kn::min(x, {.axis = axis}), of_each<T>(parts, [&](const auto& g) {
                 return T(fixed_tree<S>(g, infinity, [](S a, S b) { return a < b ? a : b; }));
               }));
  }
}

std::vector<std::vector<std::int64_t>> subsets(std::int64_t ndim) {
  std::vector<std::vector<std::int64_t>> result;
  for (int set = 1; set < 1 << ndim; ++set) {
    auto& axes = result.emplace_back();
    for (std::int64_t axis = 0; axis < ndim; ++axis)
      if (set >> axis & 1) axes.push_back(axis);
  }
  return result;
}

/// The layouts of a three-dimensional array, and expressions; each with the values that it should have.
template <class T>
void check_layouts(const Shape& shape, bool more) {
  const auto count = static_cast<std::size_t>(shape.elements());
  const std::vector<T> values = uneven<T>(count, 5), factors = uneven<T>(count, 6);
  const Array x = kn::asarray(values, shape), y = kn::asarray(factors, shape);
  std::vector<T> sums;
  for (std::size_t i = 0; i < count; ++i) {
    const auto product = Summed<T>(T(plain_product(Summed<T>(values[i]), Summed<T>(factors[i]))));
    sums.push_back(T(Summed<T>(T(product + Summed<T>(1)))));
  }
  // Every kernel costs a compilation: all subsets of axes where all reductions are asked for too.
  using Axes = std::vector<std::vector<std::int64_t>>;
  const Axes few{{0}, {0, 2}, {0, 1, 2}},
      all_or_some = kn::test::all_variants() ? subsets(3) : Axes{{0}, {1}, {2}, {0, 2}, {0, 1, 2}},
      of_views = kn::test::all_variants() ? few : Axes{{0}, {0, 1, 2}};
  for (const auto& axes : more ? all_or_some : few) {
    const bool columns_or_all = axes == few.front() || axes == few.back();
    check_reductions(x, values, axes, more && (columns_or_all || (kn::test::all_variants() && axes.size() != 2)));
  }
  // Types differ in how they are read, added up and stored, not in where they lie.
  if (kn::dtype_of<T> != kn::float32 && !kn::test::all_variants()) return;
  for (const auto& axes : of_views) check_reductions(x * y + 1.0, sums, axes, false);
  // Views only move values, so what they read serves as the reference of what is reduced.
  const Array turned = kn::permute_dims(x, {2, 0, 1}), part = x(slice(none, none, 2), slice(1, none), slice(none, -1)),
              mirrored = x(all, slice(none, none, -1), slice(none, none, -3)),
              repeated = kn::broadcast_to(x(slice(0, 1), all, slice(1, 2)), shape);
  for (const Array& view : kn::test::usual_and<Array>({turned, mirrored}, {part, repeated})) {
    const std::vector<T> seen = view.to_vector<T>();
    for (const auto& axes : more ? of_views : Axes{{0, 1, 2}}) check_reductions(view, seen, axes, false);
  }
}

/// On each device; types that share their code with another are for the long run.
template <class T>
void on_devices(const std::function<void()>& test) {
  constexpr kn::DType type = kn::dtype_of<T>;
  const bool alike = type == kn::float64 || type == kn::float16 || type == kn::complex128;
  if (alike && kn::test::without_variants("float64 is as float32, float16 as bfloat16, complex128 as complex64"))
    return;
  on_each_device(kn::dtype_of<T>, [&] {
    const kn::reproducible scope;
    test();
  });
}

const std::size_t edges[] = {127, 128, 129, 1023, 4095, 4096, 4097, 4128, 8191, 8192, 12321, 100003};

}  // namespace

TEST_CASE("reductions of every length have the documented bits") {
  on_devices<float>([] {
    std::vector<std::size_t> sizes(edges, edges + std::size(edges));
    for (std::size_t size = 0; size <= 100; ++size) sizes.push_back(size);
    sizes.push_back(4096 * 4096 + 4097);
    for (const std::size_t size : sizes) {
      CAPTURE(size);
      const std::vector<float> values = uneven<float>(size, size), factors = near_one<float>(size, size);
      const Array x = kn::asarray(values), y = kn::asarray(factors);
      check_bits<float>(kn::sum(x), {fixed_sum(values)});
      if (size > 1 && size < 64 && kn::test::without_variants("products of few values")) continue;
      check_bits<float>(kn::prod(y), {fixed_prod(factors)});
      if (size > 0) check_bits<float>(kn::var(x), {var_of<float>(values, 0)});
    }
  });
}

TEST_CASE("reductions have the documented bits over any axes of any layout") {
  on_devices<float>([] {
    check_layouts<float>({5, 37, 64}, true);                                 // vectors never straddle rows
    check_layouts<float>({7, 131, 33}, false);                               // they would
    if (kn::test::all_variants()) check_layouts<float>({70, 66, 3}, false);  // columns: the case below
  });
}

TEST_CASE("columns longer than a block have the documented bits") {
  on_devices<float>([] {
    for (const Shape& shape : kn::test::usual_and<Shape>({{9001, 5}, {5000, 130}}, {{4096, 64}})) {
      const std::vector<float> values = uneven<float>(static_cast<std::size_t>(shape.elements()), 3);
      const bool narrow = shape[1] == 5, more = narrow || kn::test::all_variants();
      check_reductions(kn::asarray(values, shape), values, {0}, more);
      check_reductions(kn::asarray(values, shape), values, {1}, false);
      if (!more) continue;
      check_reductions(kn::asarray(values, shape).T(), kn::asarray(values, shape).T().to_vector<float>(), {0, 1},
                       false);
    }
  });
}

TEST_CASE_TEMPLATE("reductions of every floating type have the documented bits", T, double, kn::float16_t,
                   kn::bfloat16_t, std::complex<float>, std::complex<double>) {
  on_devices<T>([] {
    check_layouts<T>({3, 35, 48}, false);
    for (const std::size_t size : kn::test::usual_and<std::size_t>({33, 20011}, {1, 31})) {
      CAPTURE(size);
      const std::vector<T> values = uneven<T>(size, size), factors = near_one<T>(size, size);
      const bool more = size > 33 || kn::test::all_variants();
      check_reductions(kn::asarray(values), values, {0}, more);
      if (!more) continue;
      const std::vector<Summed<T>> wide(factors.begin(), factors.end());
      check_bits<T>(kn::prod(kn::asarray(factors)), {T(fixed_prod(wide))});
    }
  });
}

namespace {

/// One element of a product: chains over the depth, or where a matrix meets a vector a tree of products.
template <class T>
T element_of(const std::vector<Summed<T>>& row, const std::vector<Summed<T>>& column, bool sums) {
  using S = Summed<T>;
  if (sums) {
    std::vector<S> products;
    for (std::size_t d = 0; d < row.size(); ++d) products.push_back(plain_product(row[d], column[d]));
    return T(fixed_sum(products));
  }
  return T(kn::test::fixed_product(row, column));
}

/// The product of matrices with these values, as both layouts of each operand give it.
template <class T>
void check_matmul(std::int64_t m, std::int64_t k, std::int64_t n, bool every_layout) {
  CAPTURE(m);
  CAPTURE(k);
  CAPTURE(n);
  const std::vector<T> a = uneven<T>(static_cast<std::size_t>(m * k), 1),
                       b = uneven<T>(static_cast<std::size_t>(k * n), 2);
  const auto at = [](const std::vector<T>& values, std::int64_t i) {
    return Summed<T>(values[static_cast<std::size_t>(i)]);
  };
  std::vector<T> want;
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      std::vector<Summed<T>> row, column;
      for (std::int64_t d = 0; d < k; ++d) {
        row.push_back(at(a, i * k + d));
        column.push_back(at(b, d * n + j));
      }
      want.push_back(element_of<T>(row, column, m == 1 || n == 1));
    }
  }
  const Array left = kn::asarray(a, {m, k}), right = kn::asarray(b, {k, n});
  check_bits(kn::matmul(left, right), want);
  if (!every_layout) return;
  // The same matrices, lying the other way round in memory.
  const Array turned_left = kn::asarray(kn::test::transposed(a, m, k), {k, m}),
              turned_right = kn::asarray(kn::test::transposed(b, k, n), {n, k});
  check_bits(kn::matmul(turned_left.T(), right), want);
  check_bits(kn::matmul(left, turned_right.T()), want);
}

}  // namespace

TEST_CASE_TEMPLATE("matrix products have the documented bits", T, float, double, kn::float16_t, kn::bfloat16_t,
                   std::complex<float>, std::complex<double>) {
  on_devices<T>([] {
    check_matmul<T>(3, 5, 4, false);
    const bool lie = std::is_same_v<T, float> || !kn::test::without_variants("how operands lie");
    check_matmul<T>(67, 300, 35, true);
    check_matmul<T>(2, 2600, 2, false);
    check_matmul<T>(130, 33, 257, false);
    check_matmul<T>(1, 5000, 1, lie);
    check_matmul<T>(4200, 12, 5, lie);
    check_matmul<T>(3, 20, 4200, lie);
    check_matmul<T>(1, 1025, 33, lie);
    check_matmul<T>(65, 4099, 1, lie);
    // Round the blocks of the depth.
    check_matmul<T>(2, 0, 2, false);
    check_matmul<T>(2, 1, 2, false);
    check_matmul<T>(3, 4095, 2, false);
    check_matmul<T>(3, 4096, 2, false);
    check_matmul<T>(3, 4097, 2, lie);
    check_matmul<T>(2, 8193, 35, lie);
    check_matmul<T>(2, 33 * 4096 + 5, 2, false);  // more blocks than running values
  });
}

TEST_CASE("products of more blocks than the tree takes at once have the documented bits" *
          doctest::skip(!kn::test::exhaustive())) {
  on_devices<float>([] { check_matmul<float>(2, 4097 * 4096 + 5, 2, false); });
}

TEST_CASE("products in batches and by names have the bits of the same products alone") {
  on_devices<float>([] {
    constexpr std::int64_t k = 9001;
    const Array a = kn::asarray(uneven<float>(2 * 3 * 2 * k, 1), {2, 3, 2, k}),
                b = kn::asarray(uneven<float>(3 * k * 4, 2), {3, k, 4});
    std::vector<float> want;
    for (std::int64_t i = 0; i < 2; ++i) {
      for (std::int64_t j = 0; j < 3; ++j) {
        const std::vector<float> one = kn::matmul(a(i, j), b(j)).to_vector<float>();
        want.insert(want.end(), one.begin(), one.end());
      }
    }
    check_bits(kn::matmul(a, b), want);
    check_bits(kn::einsum("ijmk,jkn->ijmn", {a, b}), want);
    const Array part = a(0, 0), other = b(0);
    const std::vector<float> alone = kn::matmul(part, other).to_vector<float>();
    check_bits(kn::tensordot(part, other, {.axes = 1}), alone);
    // By parts, since the blocks' sums would take too much memory: 3 x 2^13 x 2^13 x 4 bytes.
    const Array tall = kn::broadcast_to(part(slice(0, 1)), {8192, k}),
                wide = kn::broadcast_to(other(all, slice(0, 1)), {k, 8192});
    if (kn::test::exhaustive()) {
      const Array large = kn::matmul(tall, wide);
      CHECK(kn::all(large == kn::asarray(alone)(0)).item<bool>());
    }
  });
}

TEST_CASE("what decides on a product's order is its shapes and not its layout") {
  on_devices<float>([] {
    // (4, 1, k) by (k, 3) is one product of 4 rows; as (4, k, 3) every matrix meets a vector of its own.
    constexpr std::int64_t k = 1500;
    const std::vector<float> a = uneven<float>(4 * k, 1), b = uneven<float>(3 * k, 2);
    const Array rows = kn::asarray(a, {4, 1, k}), one = kn::asarray(b, {k, 3}), each = kn::broadcast_to(one, {4, k, 3});
    std::vector<float> chain, sums;
    for (std::int64_t i = 0; i < 4; ++i) {
      for (std::int64_t j = 0; j < 3; ++j) {
        std::vector<float> row(a.begin() + i * k, a.begin() + (i + 1) * k), column;
        for (std::int64_t d = 0; d < k; ++d) column.push_back(b[static_cast<std::size_t>(d * 3 + j)]);
        chain.push_back(element_of<float>(row, column, false));
        sums.push_back(element_of<float>(row, column, true));
      }
    }
    CHECK(bit_difference(chain, sums) != "");
    check_bits(kn::matmul(rows, one), chain);
    check_bits(kn::matmul(rows, each), sums);
    check_bits(kn::matmul(one.T(), kn::asarray(a, {4, k, 1})), chain);
  });
}

TEST_CASE("logarithms of sums of exponentials have the bits of those sums, for every layout") {
  on_devices<float>([] {
    const auto row = uneven<float>(18, 4);
    const Array few = kn::asarray(row, {1, 18}) / 64, x = kn::reshape(kn::broadcast_to(few, {1111, 18}), {-1});
    const Array top = kn::max(x).eval();
    const std::vector<float> total{fixed_sum(kn::exp(x - top).to_vector<float>())};
    const std::vector<float> want = (kn::log(kn::asarray(total)) + top).to_vector<float>();
    check_bits(kn::logsumexp(x), want);
    check_bits(kn::logsumexp(kn::asarray(x.to_vector<float>())), want);
    check_bits(kn::logsumexp(kn::reshape(x, {1111, 18}), {.axis = none}), want);
    const float top_value = top.item<float>();
    CHECK(want[0] > top_value);
    const float inf = std::numeric_limits<float>::infinity();
    const Array special = kn::asarray(std::vector<float>{-inf, -inf, 0, inf, inf, -inf}, {3, 2});
    CHECK(kn::logsumexp(special, {.axis = 1}).to_vector<float>() == std::vector<float>{-inf, inf, inf});
    CHECK(kn::logsumexp(kn::zeros({0})).item<float>() == -inf);
    if (kn::test::without_variants("logarithms of sums of integers")) return;
    const Array i = kn::arange(100) - 1'000'000'000'000;
    check_bits(kn::logsumexp(i), kn::logsumexp(kn::asarray(i.to_vector<std::int64_t>())).to_vector<float>());
  });
}

TEST_CASE("a sum of products too small to be seen is 0 on every device") {
  on_devices<float>([] {
    const Array tiny = kn::full({2, 1}, -1e-30f), also = kn::full({1, 2}, 1e-30f);
    check_bits(kn::matmul(tiny, also), std::vector<float>(4, 0.0f));
  });
}

namespace {

const std::vector<float>& any_values() {
  static const std::vector<float> values = uneven<float>(100003, 9);
  return values;
}

}  // namespace

TEST_CASE("the scope concerns what its thread builds in it, however late that is computed") {
  on_each_device([] {
    const Array x = kn::asarray(any_values());
    Array inside, off, nested, after;
    const Array outside = kn::sum(x);
    {
      const kn::reproducible scope;
      inside = kn::sum(x);
      {
        const kn::reproducible none_here(false);
        off = kn::sum(x);
        const kn::reproducible again;
        nested = kn::sum(x);
      }
      after = kn::sum(x);
      const std::vector<float> first = outside.to_vector<float>();
      CHECK(bit_difference(first, off.to_vector<float>()) == "");
    }
    CHECK(!is_reproducible(kn::sum(x)));
    CHECK(!is_reproducible(outside));
    CHECK(!is_reproducible(off));
    for (const Array& each : {inside, nested, after}) {
      CHECK(is_reproducible(each));
      check_bits<float>(each, {fixed_sum(any_values())});
    }
  });
}

TEST_CASE("a queue's scope and a reproducible one hold together") {
  on_each_device([] {
    const kn::Queue queue;
    const kn::reproducible scope;
    const kn::QueueScope queues(queue);
    const Array total = kn::sum(kn::asarray(any_values()));
    CHECK(kn::test::queue_of(total) == kn::test::id_of(queue));
    check_bits<float>(total, {fixed_sum(any_values())});
  });
}

TEST_CASE("KOINE_REPRODUCIBLE is on in a child" * doctest::skip()) {
  std::thread other([] { CHECK(is_reproducible(kn::sum(kn::asarray(any_values())))); });
  other.join();
  check_bits<float>(kn::sum(kn::asarray(any_values())), {fixed_sum(any_values())});
  const kn::reproducible off(false);
  CHECK(!is_reproducible(kn::sum(kn::asarray(any_values()))));
}

TEST_CASE("KOINE_REPRODUCIBLE=1 concerns the whole process") {
  kn::test::check_child("KOINE_REPRODUCIBLE is on in a child", {{"KOINE_REPRODUCIBLE", "1"}});
}

TEST_CASE("the hash of all results, for other devices to be compared with") {
  std::cout << "reproducible reductions and products: " << std::hex << results_hash << std::dec << std::endl;
}
