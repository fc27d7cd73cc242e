// SPDX-License-Identifier: Apache-2.0
// Custom operations against plain C++: types, shapes, layouts, sharing kernels, and wrong use.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::Array;
using kn::ElementwiseKernel;
using kn::Shape;
using kn::test::check_array;
using kn::test::has;
using kn::test::kernels_of;
using kn::test::laid_out;
using kn::test::message_of;
using kn::test::numbered;
using kn::test::on_each_device;

namespace {

const ElementwiseKernel& saxpy() {
  static const ElementwiseKernel kernel("T x, T y, float a", "T z", "z = a * x + y", "saxpy");
  return kernel;
}

std::vector<float> floats(std::int64_t count) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(0.25f * static_cast<float>((i * 37) % 101) - 7.0f);
  return values;
}

}  // namespace

TEST_CASE("an element-wise kernel of three strings, over shapes and layouts") {
  on_each_device([] {
    for (const Shape& shape : {Shape{}, Shape{0}, Shape{1}, Shape{7}, Shape{1000}, Shape{3, 0, 2}, Shape{5, 33}}) {
      const auto xs = floats(shape.elements());
      std::vector<float> expected;
      for (std::size_t k = 0; k < xs.size(); ++k) expected.push_back(2.5f * xs[k] + static_cast<float>(k));
      for (const unsigned way : kn::test::usual_and({0u, 2u}, {1u, 3u})) {
        if (way == 2 && shape.size() != 2 && kn::test::without_variants("lines turned around")) continue;
        const Array x = laid_out(kn::asarray(xs, shape), way), y = laid_out(numbered<float>(shape), 3 - way);
        CAPTURE(kn::to_string(shape));
        CAPTURE(way);
        check_array<float>(saxpy()(x, y, 2.5f), shape, expected);
      }
    }
  });
}

TEST_CASE("arguments broadcast, and scalars take their parameter's type") {
  on_each_device([] {
    const Array column = kn::asarray(std::vector{1.0f, 2.0f, 3.0f}, {3, 1}),
                row = kn::asarray(std::vector{10.0f, 20.0f});
    check_array<float>(saxpy()(column, row, 2), {3, 2}, {12, 22, 14, 24, 16, 26});
    check_array<float>(saxpy()(column, 1, kn::asarray(std::vector{1.0f, -1.0f})), {3, 2}, {2, 0, 3, -1, 4, -2});
    CHECK(saxpy()(1.5f, 2.0f, 2.0f).dtype() == kn::float32);
    CHECK(saxpy()(1.5f, 2.0f, 2.0f).item<float>() == 5.0f);
    // A scalar is an argument of the kernel: another one compiles nothing.
    const Array x = kn::asarray(floats(100)).eval();
    saxpy()(x, x, 3.0f).eval();
    CHECK(kn::test::work_of([&] { saxpy()(x, x, 4.0f).eval(); }).programs == 0);
  });
}

TEST_CASE("an element-wise kernel shares one kernel with what it reads and what reads it") {
  on_each_device([] {
    const auto xs = floats(1000);
    const Array x = kn::asarray(xs).eval(), y = kn::asarray(xs).eval();
    const Array z = saxpy()(x * 2, y, 3.0f) + 1;
    CHECK(kernels_of(z) == 1);
    std::vector<float> expected;
    for (const float v : xs) expected.push_back(3.0f * (v * 2) + v + 1);
    check_array<float>(z, {1000}, expected);
    const Array shifted = kn::flip(saxpy()(x, y, 1.0f)) * 2;
    CHECK(kernels_of(shifted) == 1);
    CHECK(kernels_of(kn::sum(saxpy()(x, y, 2.0f))) <= kernels_of(kn::sum(x * 2 + y)));
  });
}

TEST_CASE("several outputs come from one call, in one kernel") {
  on_each_device([] {
    const ElementwiseKernel divmod("T x, T y", "T q, T r", "q = x / y; r = x - q * y", "divmod");
    std::vector<std::int32_t> q, r;
    for (int k = 0; k < 300; ++k) {
      q.push_back((k - 100) / 7);
      r.push_back((k - 100) % 7);
    }
    const Array x = kn::test::counted(
        300, [](std::int64_t i) { return i - 100; }, kn::int32);
    const std::vector<Array> both = divmod.outputs(x, 7);
    CHECK(kn::test::work_of([&] { kn::eval(both); }).kernels == 1);
    check_array<std::int32_t>(both[0], {300}, q);
    check_array<std::int32_t>(both[1], {300}, r);
    // One of them alone, the other never computed; and both inside one expression.
    check_array<std::int32_t>(divmod.outputs(x, 7)[1], {300}, r);
    const std::vector<Array> parts = divmod.outputs(x, 7);
    const Array again = parts[0] * 7 + parts[1];
    CHECK(kernels_of(again) == 1);
    CHECK(again.to_vector<int>() == x.to_vector<int>());
  });
}

TEST_CASE("positions, type variables in the text, preambles and statements") {
  on_each_device([] {
    const ElementwiseKernel ramp("T x", "T z", "z = (T)(i * 10 + n) + x", "ramp");
    check_array<float>(ramp(kn::asarray(std::vector{0.5f, 0.25f}, {2, 1}) + kn::zeros({2, 2})), {2, 2},
                       {4.5f, 14.5f, 24.25f, 34.25f});
    const ElementwiseKernel steps("float x", "int count",
                                  "float y = x;\nfor (count = 0; y > 1 && count < LIMIT; ++count) y = half_of(y);",
                                  "steps",
                                  {.preamble = "#define LIMIT 5\n"
                                               "typedef struct { float lo; } pair_t;  // x.lo\n"
                                               "constant float table[2] = {0.5f, 1.0f};\n"
                                               "static float half_of(float x) {\n"
                                               "  pair_t p;\n  p.lo = x * table[0];\n  return p.lo;\n}"});
    const Array x = kn::asarray(std::vector{1.0f, 2.0f, 3.0f, 8.0f, 1e9f});
    check_array<std::int32_t>(steps(x), {5}, {0, 1, 2, 3, 5});
    // Others' helpers and macros of the same names, in the same kernel.
    const ElementwiseKernel other("float x", "float z", "z = half_of(x) + LIMIT", "other",
                                  {.preamble = "#define LIMIT 100\nfloat half_of(float x) { return -x; }"});
    const Array sum = other(x) + steps(x);
    CHECK(kernels_of(sum) == 1);
    check_array<float>(sum, {5}, {99, 99, 99, 95, -1e9f + 105});
  });
}

TEST_CASE("every element type as input and output") {
  on_each_device([] {
    const ElementwiseKernel same("T x", "T z", "z = x", "same"), twice("T x", "T z", "z = x + x", "twice");
    for (const kn::DType type : kn::test::usual_and({kn::bool_, kn::float16, kn::complex64},
                                                    {kn::int8, kn::uint64, kn::int16, kn::int32, kn::int64, kn::uint8,
                                                     kn::uint16, kn::uint32, kn::bfloat16, kn::float32, kn::float64})) {
      if (!kn::test::computes(type)) continue;
      CAPTURE(kn::name(type));
      using C = std::complex<float>;
      std::vector<float> values(50);
      std::iota(values.begin(), values.end(), 0.0f);
      const Array x = kn::asarray(values, type);
      CHECK(same(x).dtype() == type);
      CHECK(same(x).to_vector<C>() == x.to_vector<C>());
      if (type == kn::bool_) continue;
      std::vector<C> doubled;
      for (const float value : values) doubled.emplace_back(2 * value);
      CHECK(twice(x).to_vector<C>() == doubled);
    }
    const ElementwiseKernel truth("float x", "bool z", "z = x", "truth"),
        rounded("float x", "half z", "z = x", "rounded");
    check_array<bool>(truth(kn::asarray(std::vector{0.0f, 0.5f, -2.0f})), {3}, {false, true, true});
    CHECK(rounded(kn::asarray(std::vector{1.0f / 3})).to_vector<kn::float16_t>()[0] == kn::float16_t(1.0f / 3));
    const ElementwiseKernel product("complex64 x, complex64 y", "complex64 z",
                                    "z = (float2)(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x)", "product");
    using C = std::complex<float>;
    const std::vector<C> a = {{1, 2}, {0, -3}}, b = {{4, -1}, {2, 2}};
    check_array<C>(product(kn::asarray(a), kn::asarray(b)), {2}, {a[0] * b[0], a[1] * b[1]});
  });
}

TEST_CASE("more inputs than the library's own operations have") {
  on_each_device([] {
    const ElementwiseKernel mix("float a, float b, float c, float d, float e", "float z",
                                "z = a + 2*b + 3*c + 4*d + 5*e", "mix");
    const Array x = kn::asarray(std::vector{1.0f, -2.0f}).eval();
    const Array z = mix(x, x * 10, 0.5f, kn::flip(x), x * x);
    CHECK(kernels_of(z) == 1);
    check_array<float>(z, {2}, {1 + 20 + 1.5f - 8 + 5, -2 - 40 + 1.5f + 4 + 20});
    const Array again = mix(x, x + 1, x + 2, x + 3, x + 4);
    check_array<float>(again, {2}, {1 + 4 + 9 + 16 + 25, -2 - 2 + 0 + 4 + 10});
  });
}

TEST_CASE("a graph that comes again takes its own text") {
  on_each_device([] {
    const ElementwiseKernel plus("float x, float y", "float z", "z = x + y", "f"),
        minus("float x, float y", "float z", "z = x - y", "f");
    const Array x = kn::asarray(std::vector{5.0f, 6.0f}).eval(), y = kn::asarray(std::vector{1.0f, 2.0f}).eval();
    for (int round = 0; round < 4; ++round) {
      check_array<float>(plus(x(kn::newaxis, kn::all), y(kn::all, kn::newaxis)), {2, 2}, {6, 7, 7, 8});
      check_array<float>(minus(x(kn::newaxis, kn::all), y(kn::all, kn::newaxis)), {2, 2}, {4, 5, 3, 4});
    }
    // Made anew from the same text it is the same operation.
    CHECK(kn::test::work_of([&] {
            const ElementwiseKernel anew("float x, float y", "float z", "z = x + y", "f");
            anew(x(kn::newaxis, kn::all), y(kn::all, kn::newaxis)).eval();
          }).programs == 0);
  });
}

TEST_CASE("inside whole rows and short reductions") {
  on_each_device([] {
    const ElementwiseKernel scaled("float x, float y", "float z, float w", "z = x * y; w = x - y", "scaled");
    const Array x = kn::asarray(floats(64 * 600), {64, 600}).eval();
    const auto xs = x.to_vector<float>();
    const Array high = kn::max(x, {.axis = 1, .keepdims = true});
    const std::vector<Array> both = scaled.outputs(x, high);
    const Array z = both[0] + both[1];
    std::vector<float> expected;
    for (std::size_t row = 0; row < 64; ++row) {
      const auto begin = xs.begin() + static_cast<std::ptrdiff_t>(row * 600);
      const float most = *std::max_element(begin, begin + 600);
      for (std::size_t k = 0; k < 600; ++k) expected.push_back(xs[row * 600 + k] * most + (xs[row * 600 + k] - most));
    }
    check_array<float>(z, {64, 600}, expected);
    const Array narrow = kn::asarray(floats(40 * 8), {40, 8}).eval();
    const Array sums = kn::sum(saxpy()(narrow, narrow, 1.0f), {.axis = 1}) * 2.0;
    const auto ns = narrow.to_vector<float>();
    std::vector<float> doubled(40, 0.0f);
    for (std::size_t k = 0; k < ns.size(); ++k) doubled[k / 8] += 2 * ns[k];
    for (float& each : doubled) each *= 2;
    check_array<float>(sums, {40}, doubled);
  });
}

TEST_CASE("wrong declarations and texts are sentences with their place") {
  const auto refused = [](const char* inputs, const char* outputs, const char* operation, const char* preamble = "") {
    return message_of<kn::ValueError>(
        [&] { ElementwiseKernel(inputs, outputs, operation, "f", {.preamble = preamble}); });
  };
  CHECK(has(refused("", "T z", "z = 1"), "[f] inputs \"\", character 1: a type is missing at the end"));
  CHECK(has(refused("T x,", "T z", "z = x"), "character 5: a type is missing"));
  CHECK(has(refused("T x, T", "T z", "z = x"), "character 7: a name is missing"));
  CHECK(has(refused("T x T y", "T z", "z = x"), "character 5: 'T' stands where a comma does"));
  CHECK(has(refused("float *x", "float z", "z = x"), "'*' stands where a name does"));
  CHECK(
      has(refused("flaot x", "float z", "z = x"), "inputs \"flaot x\", character 1: 'flaot' is not a type; it can be"));
  CHECK(has(refused("raw T x", "T z", "z = x[0]"), "whole arrays ('raw') cannot be parameters"));
  CHECK(has(refused("T x, U x", "T z", "z = x"), "two parameters 'x'"));
  CHECK(has(refused("T for", "T z", "z = 1"), "'for' cannot be the name"));
  CHECK(has(refused("T kn_x", "T z", "z = 1"), "'kn_x' cannot be the name"));
  CHECK(has(refused("T x", "T x", "x = 1"), "'x' is an input and an output"));
  CHECK(has(refused("T x", "U z", "z = 1"), "no input says what the type U of the output 'z' is"));
  CHECK(has(refused("T x, float T", "T z", "z = 1"), "'T' names a type and a parameter"));
  CHECK(has(refused("T x", "T z", ""), "needs an operation"));
  CHECK(has(refused("T x", "T z", "z = (x"), "operation \"z = (x\", character 5: '(' is not closed"));
  CHECK(has(refused("T x", "T z", "z = x)"), "character 6: ')' closes what nothing opened"));
  CHECK(has(refused("T x", "T z", "z = x; } void g() {"), "character 8: '}' closes what nothing opened"));
  CHECK(has(refused("T x", "T z", "if (x > 0] z = 1"), "']' stands where ')' would close"));
  CHECK(has(refused("T x", "T z", "z = x; /* begun"), "a comment begins here that does not end"));
  CHECK(has(refused("T x", "T z", "z = 'x"), "a literal begins here"));
  CHECK(has(refused("T x", "T z", "z = x;\n  return;"), "line 2, character 3: 'return' has no place"));
  CHECK(has(refused("T x", "T z", "z = get_global_id(0)"), "'get_global_id' has no meaning here"));
  CHECK(has(refused("T x", "T z", "barrier(1); z = x"), "'barrier' has no meaning here"));
  CHECK(has(refused("T x", "T z", "z = kn_load(x)"), "'kn_load' is a name of the library's own kernels"));
  CHECK(has(refused("T x", "T z", "#if 1\nz = x"), "this has no #endif"));
  CHECK(has(refused("T x", "T z", "#include <x.h>\nz = x"), "no files to include"));
  CHECK(has(refused("T x", "T z", "z = x", "float f(float x) { return x;"), "preamble"));
  CHECK(has(refused("T x", "T z", "z = x", "__kernel void f() {}"), "'__kernel' has no place"));
  const auto name = [](const std::string& text) {
    return message_of<kn::ValueError>([&] { ElementwiseKernel("T x", "T z", "z = x", text); });
  };
  for (const char* text : {"", "2x", "a b", "kn_f", "KN_W"})
    CHECK(has(name(text), "[ElementwiseKernel] cannot be named"));
  CHECK(has(name(std::string(49, 'x')), "at most 48 characters"));
  CHECK(name(std::string(48, 'x')) == "nothing was thrown");
}

TEST_CASE("wrong arguments are named") {
  on_each_device([] {
    const Array x = kn::ones({3}), whole = kn::ones({3}, {.dtype = kn::int32});
    const auto of_type = [](auto call) { return message_of<kn::DTypeError>(call); };
    CHECK(has(message_of<kn::ValueError>([&] { saxpy()(x, x); }),
              "[saxpy] takes 3 arguments (T x, T y, float a), got 2"));
    CHECK(has(of_type([&] { saxpy()(x, whole, 1.0f); }),
              "[saxpy] argument 'y' is of type int32, but 'x', of the same type T"));
    CHECK(has(of_type([&] { saxpy()(x, x, whole); }), "argument 'a' is declared as float, got an array of int32"));
    CHECK(has(of_type([&] { saxpy()(whole, 2.5, 1.0f); }), "argument 'y' is a scalar of type float32"));
    CHECK(has(message_of<kn::ShapeError>([&] { saxpy()(x, kn::ones({4}), 1.0f); }), "[saxpy] "));
    const ElementwiseKernel two("T x", "T y, T z", "y = z = x", "two");
    CHECK(has(message_of<kn::ValueError>([&] { two(x); }), "[two] has 2 outputs (T y, T z); call .outputs"));
    const ElementwiseKernel small("uchar x", "uchar z", "z = x", "small");
    CHECK(has(message_of<kn::ValueError>([&] { small(300); }), "[small] "));
  });
}

TEST_CASE("what the compiler refuses is shown with numbered lines of the text") {
  on_each_device([] {
    const Array x = kn::ones({3});
    const ElementwiseKernel wrong("float x", "float z", "float y = x;\nz = y + speed;", "wrong");
    const Array z = wrong(x * 2) + saxpy()(x, x, 1.0f);
    for (int again = 0; again < 2; ++again) {
      const std::string what = message_of<kn::KernelBuildError>([&] { z.eval(); });
      CAPTURE(what);
      CHECK(what.starts_with("[eval] "));
      CHECK(has(what, "wrong:2:9: "));
      CHECK(has(what, "  1 | float y = x;\n> 2 | z = y + speed;\n    |         ^\n"));
      CHECK(!has(what, "a * x + y"));
    }
    check_array<float>(x, {3}, {1, 1, 1});
  });
}
