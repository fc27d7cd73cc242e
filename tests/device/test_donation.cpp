// SPDX-License-Identifier: Apache-2.0
// A result takes over the memory of an operand that nobody needs any more, and of no other.
#include <doctest/doctest.h>
#include <koine/async.hpp>
#include <koine/koine.hpp>

#include <complex>
#include <cstdlib>
#include <utility>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/inner.hpp"

namespace kn = koine;
using kn::all;
using kn::Array;
using kn::none;
using kn::slice;
using kn::test::check_array;
using kn::test::numbered;
using kn::test::on_each_device;

namespace {

const void* memory(const Array& x) { return kn::test::memory_of(x.eval()); }

/// Whether kernels may fail after they ran here, so that operands are kept.
bool synchronous() { return std::getenv("KOINE_SYNC") != nullptr; }

/// Whether `change` leaves x in its memory. The second time, as the first launch of a kernel is a case of its own.
template <class F>
bool in_place(F change) {
  bool same = false;
  for (int time = 0; time < 2; ++time) {
    Array x = (numbered({6, 5}) + 0).eval();
    const void* const before = memory(x);
    change(x);
    same = memory(x) == before;
  }
  return same;
}

std::vector<int> counted(int factor, int summand) {
  std::vector<int> values;
  for (int i = 0; i < 30; ++i) values.push_back(i * factor + summand);
  return values;
}

}  // namespace

TEST_CASE("a result that replaces its operand is computed in place") {
  if (synchronous()) {
    MESSAGE("left out: KOINE_SYNC keeps every operand");
    return;
  }
  on_each_device([] {
    CHECK(in_place([](Array& x) { x = x * 2 + 1; }));
    CHECK(in_place([](Array& x) { x = kn::where(x > 3, x, -x); }));
    CHECK(in_place([](Array& x) { x = std::move(x) + numbered({6, 5}); }));
    CHECK(in_place([](Array& x) { x = kn::reshape(x * x, {30}); }));
    // Several steps, none of them asked for.
    CHECK(in_place([](Array& x) {
      for (int i = 0; i < 5; ++i) x = x * 3 - i;
    }));
    // Of a type of the same size.
    CHECK(in_place([](Array& x) { x = x.astype(kn::float32) * 0.5; }));
  });
}

TEST_CASE("a transform that replaces its input is computed in place, and not over one that is held") {
  on_each_device([] {
    const Array given = (numbered({8, 4}) * 0.5).astype(kn::complex64).eval();
    const auto values = kn::fft::fft2(given).to_vector<std::complex<float>>();
    bool same = false;
    for (int time = 0; time < 2; ++time) {
      Array x = kn::fft::fft(given).eval();
      const void* const before = memory(x);
      x = kn::fft::fft(std::move(x), {.axis = 0});
      same = memory(x) == before;
      CHECK(x.to_vector<std::complex<float>>() == values);
    }
    CHECK(same != synchronous());
    const Array held = kn::fft::fft(given).eval(), made = kn::fft::fft(held, {.axis = 0}).eval();
    CHECK(memory(held) != memory(made));
    CHECK(held.to_vector<std::complex<float>>() == kn::fft::fft(given).to_vector<std::complex<float>>());
    CHECK(made.to_vector<std::complex<float>>() == values);
  });
}

TEST_CASE("the values are right") {
  on_each_device([] {
    for (int time = 0; time < 2; ++time) {
      Array x = (numbered({6, 5}) + 0).eval();
      x = x * 2 + 1;
      x.eval();
      check_array<int>(x, {6, 5}, counted(2, 1));
      x = x + x * 2 + numbered({6, 5});
      x.eval();
      check_array<int>(x, {6, 5}, counted(7, 3));
    }
    // Long enough for every shape of loop, with a rest.
    Array y = numbered({100'003});
    for (int i = 0; i < 4; ++i) {
      y = y * 2 + 1;
      y.eval();
    }
    const auto values = y.to_vector<std::int64_t>();
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < 100'003; ++i) wrong += values[static_cast<std::size_t>(i)] != i * 16 + 15;
    CHECK(wrong == 0);
  });
}

TEST_CASE("what somebody still needs keeps its memory") {
  on_each_device([] {
    for (int time = 0; time < 2; ++time) {
      const auto fresh = [] { return (numbered({6, 5}) + 0).eval(); };
      const auto kept = [](const Array& y) { check_array<int>(y, {6, 5}, counted(1, 0)); };
      {
        Array x = fresh();
        const Array y = x;
        x = x * 2;
        x.eval();
        kept(y);
      }
      {
        Array x = fresh();
        const Array row = x(2);  // a view
        x = x * 2;
        x.eval();
        check_array<int>(row, {5}, {10, 11, 12, 13, 14});
      }
      {
        Array x = fresh();
        const Array later = x - 1;  // pending
        x = x * 2;
        x.eval();
        check_array<int>(later, {6, 5}, counted(1, -1));
        check_array<int>(x, {6, 5}, counted(2, 0));
      }
      {
        Array x = fresh();
        const Array part = x * 3;  // pending, and part of what is computed
        x = part + 1;
        x.eval();
        check_array<int>(part, {6, 5}, counted(3, 0));
      }
      {
        Array x = fresh();
        auto future = x.read_async<int>();
        x = x * 2;
        x.eval();
        CHECK(future.get() == counted(1, 0));
      }
      {
        std::vector<int> values = counted(1, 0);
        Array x = kn::borrow(values, {6, 5});
        x = x * 2;
        x.eval();
        CHECK(values == counted(1, 0));
      }
    }
  });
}

TEST_CASE("what is read at other places than it is written is not overwritten") {
  on_each_device([] {
    for (int time = 0; time < 2; ++time) {
      Array x = (numbered({1000}) + 0).eval();
      x = x + x(slice(none, none, -1));
      x.eval();
      check_array<int>(x, {1000}, std::vector<int>(1000, 999));
      Array y = (numbered({30, 30}) + 0).eval();
      y = y - y.T();
      std::vector<int> expected;
      for (int i = 0; i < 30; ++i) {
        for (int j = 0; j < 30; ++j) expected.push_back((i * 30 + j) - (j * 30 + i));
      }
      check_array<int>(y, {30, 30}, expected);
      Array z = (numbered({30}) + 0).eval();
      z = kn::reshape(z, {30, 1}) + z;
      CHECK(z(3, 4).item<int>() == 7);
      CHECK(z(29, 29).item<int>() == 58);
      // Of another size of element.
      Array w = (numbered({1000}) + 0).eval();
      w = (w + 1).astype(kn::int8).astype(kn::int16);
      CHECK(w(100).item<int>() == 101);
    }
  });
}

TEST_CASE("two results of one kernel do not share an operand's memory") {
  on_each_device([] {
    for (int time = 0; time < 2; ++time) {
      Array a, b;
      {
        const Array x = (numbered({6, 5}) + 0).eval();
        a = x + 1;
        b = x * 2;
      }
      kn::eval(a, b);
      check_array<int>(a, {6, 5}, counted(1, 1));
      check_array<int>(b, {6, 5}, counted(2, 0));
    }
  });
}
