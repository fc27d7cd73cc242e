// SPDX-License-Identifier: Apache-2.0
// The short ways to write things mean what the long ways do. (tests/lines shows that they compile.)
#include "support/arrays.hpp"
#include "support/devices.hpp"

#include <koine/koine.hpp>

#include <array>
#include <complex>
#include <list>
#include <numeric>

namespace kn = koine;
using kn::all;
using kn::Array;
using kn::array_equal;
using kn::slice;

namespace {

/// 0, 1, 2, ... in that shape.
Array counted(const kn::Shape& shape) { return reshape(kn::arange(shape.elements(), {.dtype = kn::float32}), shape); }

/// What both come to is compared here: of each, the comparison would be a program of its own.
bool same(const Array& a, const Array& b) {
  return a.shape() == b.shape() && a.to_vector<double>() == b.to_vector<double>();
}

struct Particle {
  float x, y;
  double mass;
};

}  // namespace

TEST_CASE("an axis right after the array") {
  kn::test::on_each_device([] {
    const Array a = counted({2, 3, 4});
    CHECK(sum(a, 0).shape() == kn::Shape{3, 4});
    CHECK(sum(a, {0, 2}).shape() == kn::Shape{3});
    CHECK(sum(a, kn::none).ndim() == 0);
    CHECK(same(sum(a, {0, 1}), sum(a, {.axis = {0, 1}})));
    // Two axes, not an axis and keepdims or a correction.
    CHECK(mean(a, {0, 1}).to_vector<float>() == std::vector<float>{10, 11, 12, 13});
    CHECK(kn::std(a, {0, 1}).shape() == kn::Shape{4});
    CHECK(same(max(a, -1), max(a, {.axis = -1})));
    CHECK(same(argmax(a, 1), argmax(a, {.axis = 1})));
    CHECK(same(kn::all(a > 0, {1, 2}), kn::all(a > 0, {.axis = {1, 2}})));
    CHECK(same(kn::concat({a, a}, 1), kn::concat({a, a}, {.axis = 1})));
    CHECK(same(sort(-a, 0), sort(-a, {.axis = 0})));
    CHECK(same(flip(a, {0, 2}), flip(a, {.axis = {0, 2}})));
    CHECK(same(roll(a, 1, 2), roll(a, 1, {.axis = 2})));
    CHECK(same(take(a, kn::array({1, 0}), 1), take(a, kn::array({1, 0}), {.axis = 1})));
    CHECK(same(quantile(a, 0.25, 2), quantile(a, 0.25, {.axis = 2})));
    CHECK(same(cumulative_sum(a, 0), cumulative_sum(a, {.axis = 0})));
    CHECK(same(tril(a, -1), tril(a, {.k = -1})));
    CHECK(histogram(a, 4).counts.to_vector<int>() == std::vector<int>{6, 6, 6, 6});
    CHECK(same(tensordot(a, a, {{0, 1}, {0, 1}}), tensordot(a, a, {.axes = {{0, 1}, {0, 1}}})));
  });
}

TEST_CASE("a size, and a type right after the shape") {
  kn::test::on_each_device([] {
    CHECK(kn::zeros(5).shape() == kn::Shape{5});
    CHECK(kn::zeros({2, 3}, kn::int16).dtype() == kn::int16);
    CHECK(kn::full(2, 7, kn::uint8).to_vector<int>() == std::vector<int>{7, 7});
    CHECK(kn::arange(0, 4, kn::float32).to_vector<float>() == std::vector<float>{0, 1, 2, 3});
    CHECK(kn::ones_like(kn::zeros(3), kn::int32).dtype() == kn::int32);
    CHECK(kn::eye(2, kn::int32).to_vector<int>() == std::vector<int>{1, 0, 0, 1});
    CHECK(reshape(counted({2, 3}), -1).shape() == kn::Shape{6});
  });
}

TEST_CASE("numbers written out take the highest kind among them, to any depth") {
  kn::test::on_each_device([] {
    CHECK(kn::array({1, 2.5}).dtype() == kn::float32);
    CHECK(kn::array({1, 2.5}).to_vector<float>() == std::vector<float>{1, 2.5f});
    CHECK(kn::array({true, 2}).dtype() == kn::int64);
    CHECK(kn::array({true, false}).dtype() == kn::bool_);
    CHECK(kn::array({1.0, std::complex<double>(0, 1)}).dtype() == kn::complex64);
    CHECK(kn::array({std::complex<float>(1, 2), std::complex<float>(3, -4)}).to_vector<std::complex<float>>()[1] ==
          std::complex<float>(3, -4));
    CHECK(kn::array({}).shape() == kn::Shape{0});
    CHECK(kn::array(5).ndim() == 0);
    const Array deep = kn::array({{{{1, 2}}, {{3, 4.5}}}});
    CHECK(deep.shape() == kn::Shape{1, 2, 1, 2});
    CHECK(deep.to_vector<float>() == std::vector<float>{1, 2, 3, 4.5f});
    // Not a vector of bool.
    CHECK(kn::asarray({1, 0, 1}).dtype() == kn::int64);
    CHECK(kn::asarray({1, 0, 1}).to_vector<int>() == std::vector<int>{1, 0, 1});
    CHECK(kn::asarray({{1, 0}, {0, 1}}).shape() == kn::Shape{2, 2});
    CHECK(kn::array({1, 18446744073709551615u}).dtype() == kn::uint64);
    CHECK(kn::array({18446744073709551615u}, kn::float32).item<float>() == 0x1p64f);
    CHECK_THROWS_AS(kn::array({-1, 18446744073709551615u}), kn::ValueError);
    CHECK(kn::array({18446744073709551615u, 1u}, kn::uint64).to_vector<std::uint64_t>()[0] == 18446744073709551615u);
    const std::string ragged = "[array] the inner lists differ in length; each must have as many values as the first";
    CHECK(kn::test::message_of<kn::ShapeError>([] { kn::array({{1, 2}, {3}}); }) == ragged);
    CHECK(kn::test::message_of<kn::ShapeError>([] { kn::array({{1, 2}, 3}); }) == ragged);
    CHECK(kn::test::message_of<kn::ShapeError>([] { kn::array({1, {2, 3}}); }) == ragged);
    CHECK_THROWS_AS(kn::array({300}, kn::uint8), kn::ValueError);
  });
}

TEST_CASE("values of the host, nested, at a pointer, and as members of structs") {
  kn::test::on_each_device([] {
    const std::vector<std::vector<double>> rows{{1, 2, 3}, {4, 5, 6}};
    CHECK(kn::asarray(rows).shape() == kn::Shape{2, 3});
    CHECK(kn::asarray(rows, kn::int32).to_vector<int>() == std::vector<int>{1, 2, 3, 4, 5, 6});
    CHECK_THROWS_AS(kn::asarray(std::vector<std::vector<int>>{{1, 2}, {3}}), kn::ShapeError);
    const std::array<std::array<std::int16_t, 2>, 2> square{{{1, 2}, {3, 4}}};
    CHECK(kn::array(square).dtype() == kn::int16);
    CHECK(kn::array(square).to_vector<int>() == std::vector<int>{1, 2, 3, 4});
    CHECK(kn::asarray(std::vector<std::vector<bool>>{{true, false}, {false, true}}).to_vector<bool>() ==
          std::vector<bool>{true, false, false, true});
    const float plain[2][3] = {{1, 2, 3}, {4, 5, 6}};
    CHECK(kn::asarray(plain).shape() == kn::Shape{2, 3});
    CHECK(kn::asarray(&plain[0][0], {3, 2}).to_vector<float>() == std::vector<float>{1, 2, 3, 4, 5, 6});
    // The columns in reverse.
    CHECK(kn::asarray(&plain[0][2], {2, 3}, {12, -4}).to_vector<float>() == std::vector<float>{3, 2, 1, 6, 5, 4});
    CHECK(kn::asarray(std::list<int>{3, 1, 2}).to_vector<int>() == std::vector<int>{3, 1, 2});
    std::vector<Particle> particles(5);
    for (std::size_t i = 0; i < particles.size(); ++i) particles[i].y = static_cast<float>(i);
    CHECK(kn::asarray(particles, &Particle::y).to_vector<float>() == std::vector<float>{0, 1, 2, 3, 4});
    CHECK(kn::asarray(std::vector<Particle>(), &Particle::y).size() == 0);
    std::list<float> list(4);
    kn::arange(4).copy_to(list);
    CHECK(list == std::list<float>{0, 1, 2, 3});
    std::list<float> short_list(3);
    CHECK_THROWS_AS(kn::arange(4).copy_to(short_list), kn::ShapeError);
    bool flags[2];
    kn::array({true, false}).copy_to(flags);
    CHECK((flags[0] && !flags[1]));
  });
}

TEST_CASE("lists of integers and of bool as subscripts") {
  kn::test::on_each_device([] {
    Array a = counted({3, 4});
    CHECK(a({2, 0}).to_vector<float>() == std::vector<float>{8, 9, 10, 11, 0, 1, 2, 3});
    CHECK(a({0, -1}, 1).to_vector<float>() == std::vector<float>{1, 9});
    CHECK(a[{1}].shape() == kn::Shape{1, 4});
    CHECK(a(all, std::vector<int>{3, 3}).shape() == kn::Shape{3, 2});
    CHECK(a(std::vector<bool>{true, false, true}).shape() == kn::Shape{2, 4});
    a({0, 2}, 0) = -1;
    CHECK(a(all, 0).to_vector<float>() == std::vector<float>{-1, 4, -1});
    a[1] = 5;
    CHECK(a[1].to_vector<float>() == std::vector<float>{5, 5, 5, 5});
    a[1][2];
    a[slice(0, 2)] += 1;
    CHECK(a(all, 1).to_vector<float>() == std::vector<float>{2, 6, 9});
    const Array fixed = a;
    CHECK(array_equal(fixed[2], fixed(2)));
    CHECK(array_equal(counted({2, 2})[1], kn::array({2.0, 3.0})));
  });
}

TEST_CASE("what a subscript reads is a value") {
  kn::test::on_each_device([] {
    Array a = counted({2, 3});
    auto row = a(0);
    a(0) = 7;
    CHECK(row.to_vector<float>() == std::vector<float>{0, 1, 2});
    CHECK(a(0).to_vector<float>() == std::vector<float>{7, 7, 7});
    auto masked = a(a > 6);
    a += 1;
    CHECK(masked.to_vector<float>() == std::vector<float>{7, 7, 7});
    const auto outlives = [] {
      Array x = counted({4});
      return x(slice(2));
    };
    const auto part = outlives();
    CHECK(part.to_vector<float>() == std::vector<float>{0, 1});
    CHECK(sum(part).item<float>() == 1);
    // Of a pending array too.
    Array pending = counted({3}) * 2;
    auto first = pending(0);
    pending(0) = 9;
    CHECK(first.item<float>() == 0);
    CHECK(pending.to_vector<float>() == std::vector<float>{9, 2, 4});
    // The part that is assigned may be another array's, or the same one's.
    Array b = counted({3});
    b(slice(1, kn::none)) = b(slice(0, 2));
    CHECK(b.to_vector<float>() == std::vector<float>{0, 0, 1});
    const auto kept = b(2);
    b(0) = kept;
    CHECK(b.to_vector<float>() == std::vector<float>{1, 0, 1});
  });
}

TEST_CASE("assignment through a subscript stays in the memory, but for what was read before") {
  kn::test::on_each_device([] {
    Array a = counted({4}).eval();
    const auto memory = [&] { return static_cast<const void*>(a.node().get()); };
    const void* before = memory();
    a(0) = 1;
    a[1] += 2;
    a(slice(0, 2)) = a(slice(2, 4));
    a(0) = a(1).sum();
    a(0) = a(1).item<float>() + a(all).to_vector<float>()[0];
    a(1) = a.max() - a(3)(kn::newaxis).reshape(kn::Shape{});
    CHECK(memory() == before);
    CHECK(a.to_vector<float>() == std::vector<float>{6, 3, 2, 3});
    const auto held = a(0);
    a(0) = 5;
    CHECK(memory() != before);
    CHECK(held.item<float>() == 6);
  });
}

TEST_CASE("methods are the functions of their names") {
  kn::test::on_each_device([] {
    Array a = counted({2, 3}) - 2;
    CHECK(a.sum().item<float>() == 3);
    CHECK(same(a.sum(0), sum(a, 0)));
    CHECK(same(a.mean({.axis = 1, .keepdims = true}), mean(a, {.axis = 1, .keepdims = true})));
    CHECK(a.max().item<float>() == 3);
    CHECK(a.min().item<float>() == -2);
    CHECK(same(a.argmax(1), kn::array({2, 2})));
    CHECK(a.argmin().item<int>() == 0);
    CHECK((a > 2).any().item<bool>());
    CHECK(same((a > -1).all(1), kn::array({false, true})));
    CHECK(same(a.reshape(3, -1), reshape(a, {3, 2})));
    CHECK(a.ravel().shape() == kn::Shape{6});
    CHECK(same((-a).sort(), sort(-a)));
    CHECK(same(a.T().copy(), a.T()));
    CHECK(same(a(0).sum(), sum(a(0))));
    CHECK(a(0).reshape(3, 1).shape() == kn::Shape{3, 1});
    auto [x, y] = meshgrid(kn::arange(3), kn::arange(2));
    CHECK(x.shape() == kn::Shape{2, 3});
    CHECK(y(1, 0).item<int>() == 1);
    auto [i, j, k] = meshgrid(kn::arange(3), kn::arange(2), kn::arange(4), {.indexing = "ij"});
    CHECK(k.shape() == kn::Shape{3, 2, 4});
    CHECK((kn::pi > 3.14159265 && kn::e < 2.7182819));
    CHECK(isinf(kn::asarray(kn::inf)).item<bool>());
    CHECK(isnan(kn::asarray(kn::nan)).item<bool>());
  });
}

TEST_CASE("a device by its selector") {
  kn::test::on_each_device([] {
    const kn::Device here = kn::default_device();
    const std::string& selector = here.selector();
    CHECK(kn::zeros(3, {.device = selector.c_str()}).device() == here);
    CHECK(kn::zeros(3).to_device(selector).device() == here);
    CHECK(here == selector);
    CHECK_THROWS_AS(kn::zeros(3, {.device = "nowhere"}), kn::DeviceError);
  });
}

TEST_CASE("a generator without a seed draws one") {
  kn::test::on_each_device([] {
    kn::random::Generator g, h;
    CHECK(g.seed() != h.seed());
    CHECK(array_equal(g.normal(4), kn::random::Generator(g.seed()).normal(4)));
    CHECK(kn::random::Generator(1).uniform({2, 3}, kn::float16).dtype() == kn::float16);
  });
}
