// SPDX-License-Identifier: Apache-2.0
// The messages of wrong calls whose functions have no test of their own for them.
#include "support/arrays.hpp"
#include "support/devices.hpp"

#include <koine/koine.hpp>

#include <complex>
#include <string>
#include <type_traits>

namespace kn = koine;
using kn::Array;

#define KN_SAYS(kind, call, text) CHECK(kn::test::message_of<kn::kind>([&] { (void)(call); }) == (text))

TEST_CASE("two operands whose shapes do not broadcast") {
  kn::test::on_each_device([] {
    const Array x1 = kn::ones({2}, {.dtype = kn::int32}), x2 = kn::ones({3}, {.dtype = kn::int32});
    const std::string what =
        "] shapes (2,) and (3,) do not broadcast: axis sizes must be equal or 1, counted from the last axis";
    const auto check = [&](const std::string& op, auto function) {
      if constexpr (std::is_invocable_v<decltype(function), Array, Array>)
        KN_SAYS(ShapeError, function(x1, x2), "[" + op + what);
    };
#define KN_OP(name, arity, ...) \
  check(#name, [](const auto&... x) -> decltype(kn::name(x...)) { return kn::name(x...); });
#include "graph/ops.def"
  });
}

TEST_CASE("axes that are not there") {
  kn::test::on_each_device([] {
    const Array x = kn::ones({2, 3}), vector = kn::ones({3});
    const std::string range = " is out of range for shape (2, 3); it can be -2 to 1";
    KN_SAYS(IndexError, kn::all(x, {.axis = 2}), "[all] axis 2" + range);
    KN_SAYS(IndexError, kn::any(x, {.axis = -3}), "[any] axis -3" + range);
    KN_SAYS(IndexError, kn::count_nonzero(x, {.axis = 5}), "[count_nonzero] axis 5" + range);
    KN_SAYS(IndexError, kn::cumulative_prod(x, {.axis = 2}), "[cumulative_prod] axis 2" + range);
    KN_SAYS(ValueError, kn::cumulative_prod(x), "[cumulative_prod] needs an .axis for shape (2, 3)");
    KN_SAYS(IndexError, kn::moveaxis(x, 0, 2), "[moveaxis] axis 2" + range);
    KN_SAYS(IndexError, kn::moveaxis(x, {0, 1}, {0, 0}), "[moveaxis] axis 0 is named twice in (0, 0)");
    KN_SAYS(IndexError, kn::prod(x, {.axis = 2}), "[prod] axis 2" + range);
    KN_SAYS(IndexError, kn::std(x, {.axis = 7}), "[std] axis 7" + range);
    KN_SAYS(IndexError, kn::var(x, {.axis = 2}), "[var] axis 2" + range);
    KN_SAYS(IndexError, kn::unstack(x, {.axis = 2}), "[unstack] axis 2" + range);
    KN_SAYS(IndexError, kn::unstack(kn::ones({})), "[unstack] axis 0 is out of range for shape (), which has no axes");
    KN_SAYS(ShapeError, kn::matrix_transpose(vector), "[matrix_transpose] needs at least two axes, got shape (3,)");
    KN_SAYS(ShapeError, kn::tril(vector), "[tril] needs at least two axes, got shape (3,)");
    KN_SAYS(ShapeError, kn::triu(vector), "[triu] needs at least two axes, got shape (3,)");
  });
}

TEST_CASE("shapes, types and values that do not fit") {
  kn::test::on_each_device([] {
    const Array x = kn::ones({2, 3}), complex = kn::ones({2}, {.dtype = kn::complex64});
    KN_SAYS(ShapeError, kn::empty({-1}), "[empty] shape (-1,) has the negative size -1; sizes are 0 or more");
    KN_SAYS(ShapeError, kn::eye(-1), "[eye] shape (-1, -1) has the negative size -1; sizes are 0 or more");
    KN_SAYS(DTypeError, kn::full_like(x, std::complex<float>(0, 1)),
            "[full_like] a complex value does not convert to float32");
    KN_SAYS(ShapeError, kn::broadcast_arrays({kn::ones({2}), kn::ones({3})}),
            "[broadcast_arrays] shapes (2,) and (3,) do not broadcast: axis sizes must be equal or 1, counted from the "
            "last axis");
    KN_SAYS(ShapeError, kn::stack({kn::ones({2}), kn::ones({3})}),
            "[stack] shapes (2,) and (3,) differ; all must be equal");
    KN_SAYS(ValueError, kn::min(kn::ones({0})),
            "[min] has no value for no elements: shape (0,) has none along the axes to reduce");
    KN_SAYS(
        DTypeError, kn::min(complex),
        "[min] does not take complex64, whose elements have no order; take the real part, the imaginary part or abs");
    KN_SAYS(DTypeError, kn::var(complex), "[var] does not take complex64; it takes real types");
    KN_SAYS(ValueError, kn::percentile(x, 101), "[percentile] q is 101; it can be 0 to 100");
    KN_SAYS(ValueError, kn::quantile(x, -0.25), "[quantile] q is -0.25; it can be 0 to 1");
  });
}
