// SPDX-License-Identifier: Apache-2.0
// Wrong arguments: an error of the right kind that names the function, what it got and what it can take; and arrays
// that exist before it are as they were after it.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::message_of;
using kn::test::on_each_device;

namespace {

/// Each of `words` is part of `message`.
void check_says(const std::string& message, std::initializer_list<std::string> words) {
  for (const std::string& word : words) {
    CAPTURE(message);
    CAPTURE(word);
    CHECK(message.find(word) != std::string::npos);
  }
}

template <class E, class F>
void check_error(F f, std::initializer_list<std::string> words) {
  check_says(message_of<E>(f), words);
}

}  // namespace

TEST_CASE("shapes that do not broadcast") {
  const Array a = kn::ones({3, 4}), b = kn::ones({5});
  check_error<kn::ShapeError>([&] { a + b; }, {"[add]", "(3, 4)", "(5,)"});
  check_error<kn::ShapeError>([&] { kn::where(a > 0, a, b); }, {"[where]", "(3, 4)", "(5,)"});
  check_error<kn::ShapeError>([&] { kn::broadcast_to(a, {4, 3}); }, {"[broadcast_to]", "(3, 4)", "(4, 3)"});
  check_error<kn::ShapeError>([&] { kn::broadcast_shapes({{2}, {3}}); }, {"[broadcast_shapes]", "(2,)", "(3,)"});
  Array c = kn::ones({4});
  check_error<kn::ShapeError>([&] { c += a; }, {"in place", "(4,)", "(3, 4)"});
  CHECK(c.to_vector<float>() == std::vector<float>(4, 1.0f));
  check_error<kn::ShapeError>([&] { c(kn::slice(0, 2)) = kn::ones({3}); }, {"[subscript]", "(3,)", "(2,)"});
  CHECK(c.to_vector<float>() == std::vector<float>(4, 1.0f));
}

TEST_CASE("axes out of range or named twice") {
  const Array a = kn::ones({4, 5});
  check_error<kn::IndexError>([&] { kn::sum(a, {.axis = 3}); }, {"[sum]", "axis 3", "(4, 5)", "-2 to 1"});
  check_error<kn::IndexError>([&] { kn::max(a, {.axis = -3}); }, {"[max]", "axis -3", "(4, 5)"});
  check_error<kn::IndexError>([&] { kn::mean(a, {.axis = {0, -2}}); }, {"[mean]", "axis 0", "twice"});
  check_error<kn::IndexError>([&] { kn::sum(kn::ones({}), {.axis = 0}); }, {"[sum]", "axis 0", "no axes"});
  check_error<kn::IndexError>([&] { kn::flip(a, {.axis = 2}); }, {"[flip]", "axis 2"});
  check_error<kn::IndexError>([&] { kn::expand_dims(a, 4); }, {"[expand_dims]", "axis 4"});
  check_error<kn::ShapeError>([&] { kn::squeeze(a, 0); }, {"[squeeze]", "size 4"});
  check_error<kn::ShapeError>([&] { kn::permute_dims(a, {0, 0}); }, {"[permute_dims]", "(0, 0)", "(4, 5)"});
  check_error<kn::ValueError>([&] { kn::argmax(a, {.axis = {0, 1}}); }, {"[argmax]", "one axis"});
}

TEST_CASE("indices out of range") {
  const Array a = kn::ones({4, 5});
  check_error<kn::IndexError>([&] { a(4); }, {"[subscript]", "index 4", "axis 0", "(4, 5)", "-4 to 3"});
  check_error<kn::IndexError>([&] { a(0, -6); }, {"[subscript]", "index -6", "axis 1"});
  check_error<kn::IndexError>([&] { a(0, 0, 0); }, {"[subscript]", "3 axes", "(4, 5)"});
  check_error<kn::IndexError>([&] { a(kn::ellipsis, kn::ellipsis); }, {"[subscript]", "2 ellipses"});
  check_error<kn::ValueError>([&] { a(kn::slice(0, 4, 0)); }, {"[subscript]", "step 0"});
  Array b = kn::ones({3});
  check_error<kn::IndexError>([&] { b(3) = 1.0; }, {"[subscript]", "index 3"});
  CHECK(b.to_vector<float>() == std::vector<float>(3, 1.0f));
}

TEST_CASE("shapes that do not fit") {
  const Array a = kn::ones({4, 5});
  check_error<kn::ShapeError>([&] { kn::reshape(a, {3, 7}); }, {"[reshape]", "(4, 5)", "20", "(3, 7)"});
  check_error<kn::ShapeError>([&] { kn::reshape(a, {-1, 3}); }, {"[reshape]", "-1"});
  check_error<kn::ShapeError>([&] { kn::reshape(a, {-1, -1}); }, {"[reshape]", "only one"});
  check_error<kn::ShapeError>([] { kn::zeros({2, -3}); }, {"[zeros]", "(2, -3)", "-3"});
  check_error<kn::ShapeError>([&] { kn::broadcast_to(a, {-1}); }, {"[broadcast_to]", "-1"});
  check_error<kn::ShapeError>([] { kn::zeros({1LL << 40, 1LL << 40}); }, {"[zeros]", "64 bits"});
  check_error<kn::ShapeError>([] { kn::asarray(std::vector<float>(5), {2, 3}); }, {"[asarray]", "(2, 3)", "6", "5"});
  check_error<kn::ShapeError>([] { kn::array({{1, 2}, {3}}); }, {"[array]", "length"});
  check_error<kn::ValueError>([] { kn::zeros({std::numeric_limits<std::uint64_t>::max()}); }, {"2^63"});
  std::vector<float> target(19);
  check_error<kn::ShapeError>([&] { a.copy_to(target); }, {"[copy_to]", "19", "20"});
  check_error<kn::ShapeError>([&] { a.item<float>(); }, {"[item]", "(4, 5)"});
  const std::string truths = "; for one truth of several use all(a == b), any(a == b) or array_equal(a, b)";
  check_error<kn::ShapeError>([&] { return a == a ? 1 : 0; },
                              {"[item] needs an array of one element, got shape (4, 5)" + truths});
  CHECK(kn::test::message_of<kn::ShapeError>([&] { return kn::ones({0}) ? 1 : 0; }) ==
        "[item] needs an array of one element, got shape (0,)");
  check_error<kn::ShapeError>([&] { kn::ones({2, 3, 4}).T(); }, {"[T]", "(2, 3, 4)"});
  check_error<kn::ShapeError>([&] { kn::concat({a, kn::ones({4, 6})}, {.axis = 0}); }, {"[concat]", "(4, 6)"});
  check_error<kn::ValueError>([] { kn::concat({}); }, {"[concat]", "no arrays"});
}

TEST_CASE("types that do not fit") {
  const Array i = kn::arange(3), b = i > 0, c = kn::ones({3}, {.dtype = kn::complex64});
  check_error<kn::DTypeError>([&] { b - b; }, {"[subtract]", "bool", "logical_xor"});
  check_error<kn::DTypeError>([&] { kn::ones({2}) << 1; }, {"[bitwise_left_shift]", "float32", "integers"});
  CHECK(kn::test::message_of<kn::DTypeError>([&] { kn::ones({2}) ^ 2; }) ==
        "[bitwise_xor] does not take float32; it takes integers and bool; for a power write pow(x, 2)");
  check_error<kn::DTypeError>([&] { c < c; }, {"[less]", "complex64"});
  check_error<kn::DTypeError>([&] { kn::max(c); }, {"[max]", "complex64"});
  check_error<kn::DTypeError>([&] { c.astype(kn::float32); }, {"[astype]", "complex64", "float32"});
  check_error<kn::DTypeError>([&] { c.to_vector<float>(); }, {"[to_vector]", "complex64"});
  check_error<kn::DTypeError>([&] { i.astype(kn::uint64) + i; }, {"[add]", "uint64", "int64"});
  check_error<kn::DTypeError>([&] { kn::sum(i, {.dtype = kn::bool_}); }, {"[sum]", "bool"});
  Array x = kn::arange(3);
  check_error<kn::DTypeError>([&] { x += 0.5; }, {"in place", "int64", "float32"});
  CHECK(x.to_vector<std::int64_t>() == std::vector<std::int64_t>{0, 1, 2});
}

TEST_CASE("scalars that do not fit their type") {
  const Array small = kn::ones({3}, {.dtype = kn::int8}), natural = kn::ones({3}, {.dtype = kn::uint16});
  check_error<kn::ValueError>([&] { small + 200; }, {"[add]", "200", "int8"});
  check_error<kn::ValueError>([&] { natural * -1; }, {"[multiply]", "-1", "uint16"});
  check_error<kn::ValueError>([] { kn::full({2}, 300, {.dtype = kn::uint8}); }, {"[full]", "300", "uint8"});
  Array x = kn::ones({3}, {.dtype = kn::int8});
  check_error<kn::ValueError>([&] { x(0) = 1000; }, {"[subscript]", "1000", "int8"});
  CHECK(x.to_vector<int>() == std::vector<int>{1, 1, 1});
  CHECK((small + 100).to_vector<int>() == std::vector<int>{101, 101, 101});
}

TEST_CASE("reductions of nothing that have no value") {
  const Array none_there = kn::ones({0, 3});
  check_error<kn::ValueError>([&] { kn::max(none_there); }, {"[max]", "(0, 3)"});
  check_error<kn::ValueError>([&] { kn::argmin(none_there, {.axis = 0}); }, {"[argmin]", "(0, 3)"});
  CHECK(kn::max(none_there, {.axis = 1}).shape() == kn::Shape{0});
  CHECK(kn::sum(none_there).item<float>() == 0.0f);
}

TEST_CASE("steps and numbers that make no sense") {
  check_error<kn::ValueError>([] { kn::arange(0, 10, 0); }, {"[arange]", "step"});
  check_error<kn::ValueError>([] { kn::arange(0.0, INFINITY); }, {"[arange]", "finite"});
  check_error<kn::ShapeError>([] { kn::linspace(0, 1, -1); }, {"[linspace]", "-1"});
  check_error<kn::ValueError>([] { kn::meshgrid({kn::arange(2)}, {.indexing = "yx"}); }, {"[meshgrid]", "yx", "ij"});
  check_error<kn::ValueError>([] { kn::isdtype(kn::int8, "odd"); }, {"[isdtype]", "odd", "integral"});
}

TEST_CASE("what an error leaves behind is all there") {
  on_each_device([] {
    Array x = kn::arange(6), y = x * 2;
    for (int i = 0; i < 3; ++i) {
      CHECK_THROWS_AS(y + kn::ones({7}), kn::ShapeError);
      CHECK_THROWS_AS(x(9) = 1, kn::IndexError);
      CHECK_THROWS_AS(kn::sum(y, {.axis = 1}), kn::IndexError);
    }
    CHECK(y.to_vector<int>() == std::vector<int>{0, 2, 4, 6, 8, 10});
    CHECK(x.to_vector<int>() == std::vector<int>{0, 1, 2, 3, 4, 5});
  });
}

TEST_CASE("a device without double precision says so") {
  for (const kn::Device& device : kn::devices()) {
    if (device.has_fp64()) continue;
    const kn::DeviceScope scope(device);
    check_error<kn::DTypeError>([] { kn::zeros({2}, {.dtype = kn::float64}); }, {"[zeros]", "float64", "cl_khr_fp64"});
    check_error<kn::DTypeError>([] { kn::ones({2}).astype(kn::complex128); }, {"[astype]", "complex128"});
  }
}

TEST_CASE("arrays of two devices do not mix, and both are named") {
  const auto devices = kn::devices();
  if (devices.size() < 2) {
    MESSAGE("left out: there is only one device");
    return;
  }
  const Array a = kn::ones({2}, {.device = devices[0]}), b = kn::ones({2}, {.device = devices[1]});
  check_error<kn::DeviceError>([&] { a + b; }, {"[add]", devices[0].selector(), devices[1].selector(), "to_device"});
  CHECK((a + b.to_device(devices[0])).to_vector<float>() == std::vector<float>{2, 2});
  CHECK(b.to_vector<float>() == std::vector<float>{1, 1});
}

TEST_CASE("what functions make for themselves lies on their arguments' device") {
  const auto devices = kn::devices();
  if (devices.size() < 2) {
    MESSAGE("left out: there is only one device");
    return;
  }
  for (const kn::Device& device : {devices[0], devices[1]}) {
    const auto of = [&](const auto& values) { return kn::asarray(values).to_device(device); };
    const Array wide = of(std::vector<std::uint64_t>{0, 5}), low = of(std::vector<std::int64_t>{-1, 5});
    CHECK((low < wide).to_vector<bool>() == std::vector<bool>{true, false});
    CHECK((wide == -1).to_vector<bool>() == std::vector<bool>{false, false});
    CHECK(kn::isin(low, wide).to_vector<bool>() == std::vector<bool>{false, true});
    CHECK(kn::searchsorted(wide, low).to_vector<int>() == std::vector<int>{0, 1});
    CHECK(kn::isclose(wide, low).to_vector<bool>() == std::vector<bool>{false, true});
    const Array z = of(std::vector<std::complex<float>>{{1, 2}, {0, 1}});
    CHECK(kn::unique_values(z).to_vector<std::complex<float>>()[0] == std::complex<float>(0, 1));
    CHECK(kn::isin(z, std::complex<float>(1, 2)).to_vector<bool>() == std::vector<bool>{true, false});
    CHECK(wide(of(std::vector<bool>{})).shape() == kn::Shape{0});
    CHECK(wide(kn::all(wide == wide)).shape() == kn::Shape{1, 2});
  }
}

TEST_CASE("more memory than the device has") {
  on_each_device([] {
    const Array kept = kn::arange(4) + 1;
    // A view of one element until it is computed; computing it asks for more than any device has.
    const Array huge = kn::zeros({1LL << 45}) + kn::arange(1LL << 45);
    const std::string message = message_of<kn::OutOfMemory>([&] { huge.eval(); });
    check_says(message, {"[add]", "128 TiB"});
    CHECK(kept.to_vector<int>() == std::vector<int>{1, 2, 3, 4});
  });
}
