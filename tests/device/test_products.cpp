// SPDX-License-Identifier: Apache-2.0
// einsum, tensordot, outer, kron and vecdot: against what NumPy gives (tests/golden/products.py), every type against
// plain loops, and what they cannot take.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/golden.hpp"
#include "support/products.hpp"

namespace kn = koine;
using kn::Array;
using kn::Shape;
using kn::test::check_array;
using kn::test::has;
using kn::test::message_of;
using kn::test::on_each_device;

namespace {

using V = std::vector<std::int64_t>;

/// As in tests/golden/products.py.
Array small(const Shape& shape) {
  V values;
  for (std::int64_t i = 0; i < shape.elements(); ++i) values.push_back(i * 5 % 11 - 4);
  return kn::asarray(values, shape);
}

template <class T>
std::vector<T> random_values(std::int64_t count) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(kn::test::random_value<T>());
  return values;
}

template <class T>
T conjugate(T x) {
  if constexpr (kn::test::is_complex_float<T>) {
    return std::conj(x);
  } else {
    return x;
  }
}

/// As one kernel, and, where `by_matmul`, as products of matrices, which test_matmul looks at in every type.
template <class T>
void check_type(bool by_matmul = false) {
  CAPTURE(kn::dtype_of<T>);
  on_each_device(kn::dtype_of<T>, [&] {
    const auto a = random_values<T>(6 * 50), b = random_values<T>(6 * 50), c = random_values<T>(50);
    const Array x = kn::asarray(a, {6, 50}), y = kn::asarray(b, {6, 50}), z = kn::asarray(c);
    std::vector<T> dots, products, turned, conjugates;
    for (const T value : a) conjugates.push_back(conjugate(value));
    for (std::int64_t i = 0; i < 6; ++i) {
      dots.push_back(kn::test::multiply(conjugates, i * 50, b, i * 50, 1, 50));
      turned.push_back(kn::test::multiply(conjugates, i * 50, c, 0, 1, 50));
    }
    for (std::int64_t i = 0; i < 50; ++i) {
      for (std::int64_t j = 0; j < 50; ++j) products.push_back(kn::test::multiply(a, i, c, j, 1, 1));
    }
    CHECK(kn::vecdot(x, y).dtype() == kn::dtype_of<T>);
    check_array(kn::vecdot(x, y), {6}, dots);
    if (!by_matmul) return;
    check_array(kn::vecdot(x, z), {6}, turned);
    check_array(kn::outer(x(0), z), {50, 50}, products);
  });
}

}  // namespace

TEST_CASE("products of named axes are what NumPy's are") {
  on_each_device([] {
    const Array scalar = small({}), one = small({1}), v = small({3}), w = small({4}), a = small({2, 3});
    const Array b = small({3, 4}), c = small({4, 2}), s = small({3, 3}), row = small({1, 3}), none = small({3, 0});
    const Array flat = small({0, 4}), t = small({2, 3, 4}), u = small({4, 3, 2}), d = small({3, 2, 3});
    const Array z = small({3, 3, 0}), four = small({2, 1, 3, 3}), many = small({2, 3, 1, 2, 2}), x = small({3, 2});
    int rows_checked = 0;
#include "golden/products.inc"
    CHECK(rows_checked > 100);
  });
}

TEST_CASE("products of every type") {
  check_type<std::int8_t>();
  check_type<std::uint64_t>();
  check_type<kn::float16_t>();
  check_type<float>();
  check_type<std::complex<float>>(true);
  if (kn::test::without_variants("types of the kinds of these")) return;
  check_type<std::int16_t>();
  check_type<std::int32_t>();
  check_type<std::int64_t>();
  check_type<std::uint8_t>();
  check_type<std::uint16_t>();
  check_type<std::uint32_t>();
  check_type<kn::bfloat16_t>();
  check_type<double>();
  check_type<std::complex<double>>();
}

TEST_CASE("types promote, and einsum takes one") {
  on_each_device([] {
    const Array bytes = kn::full({300}, 100, {.dtype = kn::int8}),
                halves = kn::full({300}, 0.5, {.dtype = kn::float16});
    CHECK(kn::vecdot(bytes, halves).dtype() == kn::float16);
    CHECK(kn::outer(bytes, kn::ones({2}, {.dtype = kn::complex64})).dtype() == kn::complex64);
    CHECK(kn::tensordot(bytes, bytes.astype(kn::int16), {.axes = 1}).item<std::int16_t>() == std::int16_t(3'000'000));
    CHECK(kn::einsum("i,i", {bytes, bytes}, {.dtype = kn::int32}).item<int>() == 3'000'000);
    CHECK(kn::einsum("i->", {bytes}).dtype() == kn::int8);
    CHECK(kn::einsum("i->", {bytes}, {.dtype = kn::int64}).item<int>() == 30'000);
    // Sums of products in float16 are rounded once, at the end: every product of these would be.
    const Array near = kn::full({2}, 1 + 0x1p-10, {.dtype = kn::float16});
    const Array signs = kn::array({1.f, -1.f}).astype(kn::float16), square = kn::array({1 + 0x1p-10f, 1 + 0x1p-9f});
    CHECK(kn::vecdot(near * signs, square.astype(kn::float16)).item<float>() == -(1 + 0x1p-10f) * 0x1p-10f);
  });
}

TEST_CASE("what products cannot take") {
  const Array x = kn::ones({2, 3}), y = kn::ones({3, 4}), v = kn::ones({3});
  const auto einsum_of = [](const std::string& subscripts, const std::vector<Array>& operands) {
    return message_of<kn::ValueError>([&] { kn::einsum(subscripts, operands); });
  };
  CHECK(einsum_of("ij,jk->ik", {x}) == "[einsum] subscripts \"ij,jk->ik\": they are of 2 operands, but there are 1");
  CHECK(einsum_of("ij", {}) == "[einsum] got no arrays; it needs at least one");
  CHECK(einsum_of("ij->k", {x}) == "[einsum] subscripts \"ij->k\": \"k\" is in the result but in no operand");
  CHECK(einsum_of("ij->ii", {x}) == "[einsum] subscripts \"ij->ii\": \"i\" is twice in the result");
  CHECK(einsum_of("i1", {x}) == "[einsum] subscripts \"i1\": '1' is not a letter");
  CHECK(einsum_of("i->j->k", {x}) == "[einsum] subscripts \"i->j->k\": '-' is not a letter");
  CHECK(has(einsum_of("i.j", {x}), "a '.' that is not part of an ellipsis, \"...\""));
  CHECK(has(einsum_of("i...j...", {x}), "\"i...j...\" has two ellipses; it takes one at most"));
  CHECK(has(einsum_of("i...->i", {x}), "the result has no ellipsis for the axes of the operands'"));
  const auto shapes_of = [](const std::string& subscripts, const std::vector<Array>& operands) {
    return message_of<kn::ShapeError>([&] { kn::einsum(subscripts, operands); });
  };
  CHECK(shapes_of("i", {x}) ==
        "[einsum] \"i\" names 1 axes; operand 0 has shape (2, 3), and there is no ellipsis for the rest");
  CHECK(shapes_of("ij,ijk", {x, x}) == "[einsum] \"ijk\" names 3 axes; operand 1 has shape (2, 3)");
  CHECK(shapes_of("ij,ij", {x, y}) == "[einsum] the axes of \"i\" have sizes 2 and 3; they must be equal or 1");
  CHECK(shapes_of("ii", {x}) == "[einsum] the axes of \"i\" have sizes 2 and 3; those of one operand must be equal");
  CHECK(has(shapes_of("ii", {kn::ones({1, 3})}), "those of one operand must be equal"));
  CHECK(has(shapes_of("...,...", {x, y}), "the axes of the ellipsis have sizes 2 and 3"));
  CHECK(message_of<kn::DTypeError>([&] { kn::einsum("i->", {v}, {.dtype = kn::bool_}); }) ==
        "[einsum] cannot compute in bool; .dtype must be a numeric type");

  CHECK(message_of<kn::ShapeError>([&] {
          kn::tensordot(x, y, {.axes = {{0}, {0}}});
        }) == "[tensordot] axis 0 of shape (2, 3) does not meet axis 0 of shape (3, 4): their sizes differ");
  CHECK(has(message_of<kn::ShapeError>([&] { kn::tensordot(kn::ones({1}), v, {.axes = 1}); }), "their sizes differ"));
  CHECK(message_of<kn::ValueError>([&] { kn::tensordot(x, v); }) ==
        "[tensordot] cannot sum over 2 axes of shapes (2, 3) and (3,); it can be 0 to 1");
  CHECK(has(message_of<kn::ValueError>([&] { kn::tensordot(x, y, {.axes = -1}); }), "cannot sum over -1 axes"));
  CHECK(message_of<kn::ValueError>([&] {
          kn::tensordot(x, y, {.axes = {{0, 1}, {0}}});
        }) == "[tensordot] names the axes (0, 1) of x1 and (0,) of x2; they must be as many");
  CHECK(has(message_of<kn::IndexError>([&] { kn::tensordot(x, y, {.axes = {{2}, {0}}}); }), "[tensordot] axis 2"));
  CHECK(has(message_of<kn::IndexError>([&] { kn::tensordot(x, y, {.axes = {{1, -1}, {0, 1}}}); }), "named twice"));

  CHECK(message_of<kn::ShapeError>([&] {
          kn::vecdot(x, kn::ones({2, 4}));
        }) == "[vecdot] axis -1 of shapes (2, 3) and (2, 4) has sizes 3 and 4; they must be equal");
  CHECK(has(message_of<kn::ShapeError>([&] { kn::vecdot(x, kn::ones({1})); }), "they must be equal"));
  CHECK(has(message_of<kn::ShapeError>([&] { kn::vecdot(x, kn::ones({4, 3})); }), "[vecdot] shapes (2,) and (4,)"));
  CHECK(has(message_of<kn::IndexError>([&] { kn::vecdot(x, v, {.axis = -2}); }), "[vecdot] axis -2 is out of range"));
  CHECK(message_of<kn::ShapeError>([&] { kn::outer(x, v); }) ==
        "[outer] shapes (2, 3) and (3,) must have one axis each; reshape to {-1} flattens");
  const Array wide = kn::broadcast_to(kn::ones({1}), {std::int64_t{1} << 40});
  CHECK(has(message_of<kn::ShapeError>([&] { kn::kron(wide, wide); }), "more elements than 64 bits can count"));
  CHECK(has(message_of<kn::ShapeError>([&] { kn::outer(wide, wide); }), "more elements than 64 bits can count"));
}
