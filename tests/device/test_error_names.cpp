// SPDX-License-Identifier: Apache-2.0
// Whatever finds a fault, the error names the function that was called: every public function is called wrongly, in the
// ways that what it is made of would find.
#include <doctest/doctest.h>
#include <koine/koine.hpp>
#include <koine/opencl.hpp>

#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;

namespace {

/// The functions that have been called wrongly.
std::set<std::string>& called() {
  static std::set<std::string> names;
  return names;
}

template <class F>
void check_name(const std::string& name, const std::string& text, F call) {
  called().insert(name);
  CAPTURE(text);
  try {
    call();
    FAIL_CHECK(name << " took what is wrong");
  } catch (const kn::Error& error) {
    const std::string what = error.what();
    CAPTURE(what);
    CHECK(what.starts_with("[" + name + "] "));
  }
}

#define KN_WRONG(name, ...) check_name(#name, #__VA_ARGS__, [&] { (void)(__VA_ARGS__); })

constexpr std::int64_t huge = std::int64_t{1} << 40, most = std::numeric_limits<std::int64_t>::max();

struct Arrays {
  Array x = kn::ones({2, 3}), vector = kn::ones({3}), pair = kn::ones({2}), scalar = kn::ones({}), none = kn::ones({0});
  Array whole = kn::ones({3}, {.dtype = kn::int32}), small = kn::ones({3}, {.dtype = kn::uint8});
  Array truth = kn::ones({3}, {.dtype = kn::bool_}), complex = kn::ones({3}, {.dtype = kn::complex64});
  Array large = kn::broadcast_to(kn::asarray(1), {huge});
};

}  // namespace

TEST_CASE("element-wise functions") {
  const Arrays a;
  const auto check = [&](const std::string& name, auto function) {
    if constexpr (std::is_invocable_v<decltype(function), Array, Array>) {
      check_name(name, "shapes that do not broadcast", [&] { function(a.vector, a.pair); });
    } else {
      called().insert(name);
    }
    for (const Array& x : {a.truth, a.complex, a.whole, a.vector}) {
      try {
        if constexpr (std::is_invocable_v<decltype(function), Array, Array>) {
          function(x, x);
        } else {
          function(x);
        }
      } catch (const kn::DTypeError& error) {
        CHECK(std::string_view(error.what()).starts_with("[" + name + "] "));
      }
    }
  };
#define KN_OP(name, arity, ...) \
  check(#name, [](const auto&... x) -> decltype(kn::name(x...)) { return kn::name(x...); });
#include "graph/ops.def"
  KN_WRONG(where, kn::where(a.truth, a.vector, a.pair));
  KN_WRONG(where, kn::where(kn::ones({4}), a.vector, 1));
  KN_WRONG(where, kn::where(a.truth, a.small, 1000));
  KN_WRONG(clip, kn::clip(a.vector, a.pair, 1));
  KN_WRONG(clip, kn::clip(a.vector, 0, a.pair));
  KN_WRONG(clip, kn::clip(a.vector, 0, a.complex));
  KN_WRONG(nan_to_num, kn::nan_to_num(a.complex));
  KN_WRONG(isclose, kn::isclose(a.vector, a.pair));
  KN_WRONG(isclose, kn::isclose(a.vector, a.vector, {.rtol = -1}));
  KN_WRONG(allclose, kn::allclose(a.vector, a.pair));
}

TEST_CASE("creation") {
  const Arrays a;
  const kn::Shape wrong = {-1}, beyond = {huge, huge};
  KN_WRONG(arange, kn::arange(0, 1, 0));
  KN_WRONG(arange, kn::arange(0, most, 1));
  KN_WRONG(arange, kn::arange(1000, {.dtype = kn::uint8}));
  KN_WRONG(asarray, kn::asarray(std::vector<int>{1, 2}, kn::Shape{3}));
  KN_WRONG(asarray, kn::asarray(std::vector<bool>{true}, kn::Shape{3}));
  KN_WRONG(asarray, kn::asarray(a.complex, {.dtype = kn::float32}));
  KN_WRONG(array, kn::array({{1, 2}, {3}}));
  KN_WRONG(array, kn::array({1000}, {.dtype = kn::uint8}));
  std::vector<int> values = {1, 2};
  KN_WRONG(asarray, kn::asarray(values.data(), {2}, {4, 4}));
  KN_WRONG(set_default_dtype, kn::set_default_dtype(kn::int8));
  KN_WRONG(set_print_options, kn::set_print_options({.threshold = -1}));
  KN_WRONG(to_string, kn::to_string(a.x, {.precision = -1}));
  KN_WRONG(borrow, kn::borrow(values, {3}));
  KN_WRONG(empty, kn::empty(wrong));
  KN_WRONG(zeros, kn::zeros(beyond));
  KN_WRONG(ones, kn::ones(wrong));
  KN_WRONG(full, kn::full(beyond, 1));
  KN_WRONG(full, kn::full({1}, 1000, {.dtype = kn::uint8}));
  KN_WRONG(full_like, kn::full_like(a.small, 1000));
  KN_WRONG(eye, kn::eye(-1));
  KN_WRONG(eye, kn::eye(huge, huge));
  KN_WRONG(linspace, kn::linspace(0, 1, -1));
  KN_WRONG(linspace, kn::linspace(std::complex<float>(0, 1), 1, 3, {.dtype = kn::float32}));
  KN_WRONG(linspace, kn::linspace(std::complex<float>(0, 1), 1, most));
  KN_WRONG(meshgrid, kn::meshgrid({a.x}));
  KN_WRONG(meshgrid, kn::meshgrid({a.large, a.large}));
  KN_WRONG(meshgrid, kn::meshgrid({a.vector}, {.indexing = "yx"}));
  KN_WRONG(tril, kn::tril(a.vector));
  KN_WRONG(triu, kn::triu(a.vector));
  KN_WRONG(from_dlpack, kn::from_dlpack(nullptr));
  for (const kn::Device& device : kn::devices()) {
    if (device.has_fp64()) continue;
    KN_WRONG(empty_like, kn::empty_like(a.x, {.dtype = kn::float64, .device = device}));
    KN_WRONG(zeros_like, kn::zeros_like(a.x, {.dtype = kn::float64, .device = device}));
    KN_WRONG(ones_like, kn::ones_like(a.x, {.dtype = kn::float64, .device = device}));
    KN_WRONG(astype, kn::astype(a.x, kn::float64, {.device = device}));
  }
}

TEST_CASE("shapes and places") {
  const Arrays a;
  KN_WRONG(broadcast_arrays, kn::broadcast_arrays({a.vector, a.pair}));
  KN_WRONG(broadcast_arrays, kn::broadcast_arrays({a.large, kn::reshape(a.large, {huge, 1})}));
  KN_WRONG(broadcast_shapes, kn::broadcast_shapes({{2}, {3}}));
  KN_WRONG(broadcast_to, kn::broadcast_to(a.vector, {4}));
  KN_WRONG(concat, kn::concat({}));
  KN_WRONG(concat, kn::concat({a.x, a.vector}));
  KN_WRONG(concat, kn::concat({a.x, a.x}, {.axis = 2}));
  KN_WRONG(concat, kn::concat({a.large, a.large}, {.axis = kn::none}));
  KN_WRONG(expand_dims, kn::expand_dims(a.x, 5));
  KN_WRONG(flip, kn::flip(a.x, {.axis = 2}));
  KN_WRONG(matrix_transpose, kn::matrix_transpose(a.vector));
  KN_WRONG(T, a.vector.T());
  KN_WRONG(mT, a.vector.mT());
  KN_WRONG(moveaxis, kn::moveaxis(a.x, 0, 2));
  KN_WRONG(permute_dims, kn::permute_dims(a.x, {0, 0}));
  KN_WRONG(permute_dims, kn::permute_dims(a.x, {0, 2}));
  KN_WRONG(repeat, kn::repeat(a.x, -1));
  KN_WRONG(repeat, kn::repeat(a.x, most, {.axis = 0}));
  KN_WRONG(repeat, kn::repeat(a.x, 2, {.axis = 2}));
  KN_WRONG(repeat, kn::repeat(a.vector, a.vector));
  KN_WRONG(repeat, kn::repeat(a.vector, kn::array({1, -1, 2})));
  KN_WRONG(repeat, kn::repeat(a.vector, kn::full({3}, most)));
  KN_WRONG(repeat, kn::repeat(a.vector, kn::array({most})));
  KN_WRONG(reshape, kn::reshape(a.x, {4}));
  KN_WRONG(roll, kn::roll(a.x, 1, {.axis = 2}));
  KN_WRONG(roll, kn::roll(a.x, {1, 2}, {.axis = 0}));
  KN_WRONG(roll, kn::roll(a.scalar, 1, {.axis = 0}));
  KN_WRONG(squeeze, kn::squeeze(a.x, 0));
  KN_WRONG(stack, kn::stack({}));
  KN_WRONG(stack, kn::stack({a.vector, a.pair}));
  KN_WRONG(stack, kn::stack({a.vector, a.vector}, {.axis = 2}));
  KN_WRONG(stack, kn::stack({a.large, a.large}));
  KN_WRONG(tile, kn::tile(a.x, -1));
  KN_WRONG(tile, kn::tile(a.x, most));
  KN_WRONG(unstack, kn::unstack(a.x, {.axis = 2}));
  KN_WRONG(pad, kn::pad(a.x, {-1, 0}));
  KN_WRONG(pad, kn::pad(a.x, {huge, huge}));
  KN_WRONG(pad, kn::pad(a.x, {1, 1}, {.mode = "mirror"}));
  KN_WRONG(pad, kn::pad(a.small, {1, 1}, {.constant_values = 1000}));
  KN_WRONG(pad, kn::pad(a.vector, {1, 1}, {.constant_values = std::complex<float>(0, 1)}));
  KN_WRONG(take, kn::take(a.x, a.vector));
  KN_WRONG(take, kn::take(a.x, a.whole, {.axis = 2}));
  KN_WRONG(take_along_axis, kn::take_along_axis(a.x, a.whole));
  KN_WRONG(take_along_axis, kn::take_along_axis(a.x, kn::ones({2, 3})));
  KN_WRONG(nonzero, kn::nonzero(a.scalar));
  KN_WRONG(subscript, a.x(5));
  KN_WRONG(subscript, a.x(0, 0, 0));
  KN_WRONG(subscript, a.x(a.vector));
  KN_WRONG(subscript, a.x(a.whole, kn::array({0, 1})));
  KN_WRONG(subscript, a.x(a.truth));
  Array y = kn::ones({2, 3});
  KN_WRONG(subscript, y(0) = a.pair);
  KN_WRONG(subscript, y(0) = a.complex);
  KN_WRONG(subscript, y(kn::array({0, 1}), kn::array({0, 1, 2})) = 5);
  KN_WRONG(subscript, y(kn::array({0, 1})) = a.pair);
  KN_WRONG(subscript, y(y > 0) = a.pair);
  KN_WRONG(to_string, kn::to_string(kn::sort(a.large)));
  KN_WRONG(item, a.x.item<float>());
  KN_WRONG(to_vector, a.complex.to_vector<float>());
  KN_WRONG(shape, a.x.shape(2));
}

TEST_CASE("reductions, scans and orders") {
  const Arrays a;
#define KN_AXIS(name) KN_WRONG(name, kn::name(a.x, {.axis = 2}))
#define KN_REAL(name) KN_WRONG(name, kn::name(a.complex))
#define KN_NO_ELEMENTS(name) KN_WRONG(name, kn::name(a.none))
#define KN_TYPE(name) KN_WRONG(name, kn::name(a.complex, {.dtype = kn::float32}))
  KN_AXIS(all), KN_AXIS(any), KN_AXIS(count_nonzero);
  KN_AXIS(sum), KN_AXIS(prod), KN_TYPE(sum), KN_TYPE(prod);
  KN_AXIS(max), KN_AXIS(min), KN_REAL(max), KN_REAL(min), KN_NO_ELEMENTS(max), KN_NO_ELEMENTS(min);
  KN_AXIS(argmax), KN_AXIS(argmin), KN_REAL(argmax), KN_REAL(argmin), KN_NO_ELEMENTS(argmax), KN_NO_ELEMENTS(argmin);
  KN_AXIS(mean), KN_AXIS(var), KN_AXIS(std), KN_REAL(var), KN_REAL(std);
  KN_AXIS(nansum), KN_AXIS(nanprod), KN_TYPE(nansum), KN_TYPE(nanprod);
  KN_AXIS(nanmax), KN_AXIS(nanmin), KN_REAL(nanmax), KN_REAL(nanmin), KN_NO_ELEMENTS(nanmax), KN_NO_ELEMENTS(nanmin);
  KN_AXIS(nanargmax), KN_AXIS(nanargmin), KN_REAL(nanargmax), KN_REAL(nanargmin);
  KN_NO_ELEMENTS(nanargmax), KN_NO_ELEMENTS(nanargmin);
  KN_AXIS(nanmean), KN_AXIS(nanvar), KN_AXIS(nanstd), KN_REAL(nanvar), KN_REAL(nanstd);
  KN_AXIS(cumulative_sum), KN_AXIS(cumulative_prod), KN_TYPE(cumulative_sum), KN_TYPE(cumulative_prod);
  KN_AXIS(cumulative_max), KN_AXIS(cumulative_min), KN_REAL(cumulative_max), KN_REAL(cumulative_min);
  KN_WRONG(cumulative_sum, kn::cumulative_sum(a.x));
  KN_AXIS(logsumexp), KN_AXIS(softmax), KN_REAL(logsumexp), KN_REAL(softmax);
  KN_AXIS(median), KN_REAL(median), KN_NO_ELEMENTS(median);
  KN_WRONG(quantile, kn::quantile(a.x, 2));
  KN_WRONG(quantile, kn::quantile(a.x, 0.5, {.axis = 2}));
  KN_WRONG(quantile, kn::quantile(a.x, std::vector<double>{}));
  KN_WRONG(percentile, kn::percentile(a.complex, 50));
  KN_WRONG(percentile, kn::percentile(a.none, std::vector<double>{50}));
  KN_WRONG(bincount, kn::bincount(a.vector));
  KN_WRONG(bincount, kn::bincount(a.whole, {.minlength = most}));
  KN_WRONG(bincount, kn::bincount(kn::array({-1})));
  KN_WRONG(bincount, kn::bincount(a.whole, {.weights = a.pair}));
  KN_WRONG(segment_sum, kn::segment_sum(a.vector, a.vector));
  KN_WRONG(segment_sum, kn::segment_sum(a.pair, a.whole));
  KN_WRONG(segment_sum, kn::segment_sum(a.vector, a.whole, {.count = -1}));
  KN_WRONG(segment_sum, kn::segment_sum(a.vector, -a.whole));
  KN_WRONG(segment_sum, kn::segment_sum(a.vector, a.whole, {.count = 1}).eval().item<float>());
  KN_WRONG(segment_mean, kn::segment_mean(a.vector, a.whole, {.count = 0}));
  KN_WRONG(segment_prod, kn::segment_prod(a.scalar, a.whole));
  KN_WRONG(segment_max, kn::segment_max(a.complex, a.whole));
  KN_WRONG(segment_min, kn::segment_min(a.complex, a.whole));
  KN_WRONG(segment_min, kn::segment_min(a.vector, a.whole, {.count = most}));
  KN_WRONG(segment_count, kn::segment_count(a.vector));
  KN_WRONG(segment_count, kn::segment_count(kn::ones({2, 2}, {.dtype = kn::int32})));
  Array changed = a.vector, other = a.complex;
  KN_WRONG(at, changed.at({0, 0}).add(a.vector));
  KN_WRONG(at, changed.at({0, 0}).multiply(a.complex));
  KN_WRONG(at, changed.at(0, 0).add(1));
  KN_WRONG(at, other.at({0, 0}).max(1));
  KN_WRONG(histogram, kn::histogram(a.complex));
  KN_WRONG(histogram, kn::histogram(a.none));
  KN_WRONG(histogram, kn::histogram(a.vector, {.bins = most - 1}));
  KN_AXIS(sort), KN_AXIS(argsort), KN_REAL(sort), KN_REAL(argsort);
  KN_WRONG(partition, kn::partition(a.x, 5));
  KN_WRONG(partition, kn::partition(a.x, 0, {.axis = 2}));
  KN_WRONG(topk, kn::topk(a.x, 5));
  KN_WRONG(topk, kn::topk(a.x, 1, {.axis = 2}));
  KN_WRONG(searchsorted, kn::searchsorted(a.x, 1));
  KN_WRONG(searchsorted, kn::searchsorted(a.vector, 1, {.side = "middle"}));
  KN_WRONG(searchsorted, kn::searchsorted(a.vector, 1, {.sorter = a.vector}));
  KN_WRONG(diff, kn::diff(a.x, {.axis = 2}));
  KN_WRONG(diff, kn::diff(a.x, {.n = -1}));
  KN_WRONG(diff, kn::diff(a.x, {.prepend = a.pair}));
  KN_WRONG(diff, kn::diff(a.small, {.append = 1000}));
}

TEST_CASE("products, signals and types") {
  const Arrays a;
  KN_WRONG(matmul, kn::matmul(a.x, a.x));
  KN_WRONG(matmul, kn::matmul(kn::reshape(a.large, {huge, 1}), kn::expand_dims(a.large, 0)));
  KN_WRONG(tensordot, kn::tensordot(a.x, a.x, {.axes = 1}));
  KN_WRONG(tensordot, kn::tensordot(a.x, a.x, {.axes = 5}));
  KN_WRONG(tensordot, kn::tensordot(a.large, a.large, {.axes = 0}));
  KN_WRONG(vecdot, kn::vecdot(a.vector, a.pair));
  KN_WRONG(vecdot, kn::vecdot(a.vector, a.vector, {.axis = 2}));
  KN_WRONG(outer, kn::outer(a.x, a.x));
  KN_WRONG(outer, kn::outer(a.large, a.large));
  KN_WRONG(kron, kn::kron(a.large, a.large));
  KN_WRONG(cross, kn::linalg::cross(a.vector, a.pair));
  KN_WRONG(cross, kn::linalg::cross(a.vector, a.vector, 1));
  KN_WRONG(diagonal, kn::linalg::diagonal(a.vector));
  KN_WRONG(trace, kn::linalg::trace(a.vector));
  KN_WRONG(trace, kn::linalg::trace(a.x, {.dtype = kn::bool_}));
  KN_WRONG(matrix_power, kn::linalg::matrix_power(a.x, 2));
  KN_WRONG(matrix_power, kn::linalg::matrix_power(kn::ones({2, 2}, kn::float16), -1));
  KN_WRONG(cholesky, kn::linalg::cholesky(a.x));
  KN_WRONG(lu, kn::linalg::lu(a.vector));
  KN_WRONG(ldl, kn::linalg::ldl(a.x));
  KN_WRONG(ldl, kn::linalg::ldl(a.vector, {.lower = false}));
  KN_WRONG(solve, kn::linalg::solve(a.x, a.x));
  KN_WRONG(solve, kn::linalg::solve(kn::ones({7, 7}), a.x));
  KN_WRONG(solve_triangular, kn::linalg::solve_triangular(kn::ones({7, 7}), a.x));
  KN_WRONG(inv, kn::linalg::inv(a.x));
  KN_WRONG(det, kn::linalg::det(a.x));
  KN_WRONG(slogdet, kn::linalg::slogdet(a.vector));
  KN_WRONG(qr, kn::linalg::qr(a.x, {.mode = "full"}));
  KN_WRONG(vector_norm, kn::linalg::vector_norm(a.x, {.axis = 2}));
  KN_WRONG(vector_norm, kn::linalg::vector_norm(a.none, {.ord = kn::inf}));
  KN_WRONG(matrix_norm, kn::linalg::matrix_norm(a.vector));
  KN_WRONG(matrix_norm, kn::linalg::matrix_norm(a.x.astype(kn::float16), {.ord = 2}));
  KN_WRONG(eigh, kn::linalg::eigh(a.x));
  KN_WRONG(eigvalsh, kn::linalg::eigvalsh(a.vector));
  KN_WRONG(eig, kn::linalg::eig(a.x));
  KN_WRONG(eigvals, kn::linalg::eigvals(a.vector));
  KN_WRONG(schur, kn::linalg::schur(a.x));
  KN_WRONG(schur, kn::linalg::schur(kn::ones({7, 7}), {.output = "upper"}));
  KN_WRONG(expm, kn::linalg::expm(a.x));
  KN_WRONG(expm, kn::linalg::expm(kn::ones({2, 2}, kn::float16)));
  KN_WRONG(svd, kn::linalg::svd(a.vector));
  KN_WRONG(svdvals, kn::linalg::svdvals(a.x.astype(kn::float16)));
  KN_WRONG(cond, kn::linalg::cond(kn::ones({0, 3})));
  KN_WRONG(pinv, kn::linalg::pinv(a.vector));
  KN_WRONG(pinv, kn::linalg::pinv(a.x, {.rtol = a.vector}));
  KN_WRONG(lstsq, kn::linalg::lstsq(a.x, a.vector));
  KN_WRONG(lstsq, kn::linalg::lstsq(a.vector, a.vector));
  KN_WRONG(lstsq, kn::linalg::lstsq(a.x, a.pair, {.rtol = a.vector}));
  KN_WRONG(matrix_rank, kn::linalg::matrix_rank(a.vector));
  KN_WRONG(matrix_rank, kn::linalg::matrix_rank(a.x, {.rtol = a.vector}));
  KN_WRONG(einsum, kn::einsum("i,j", {a.vector}));
  KN_WRONG(einsum, kn::einsum("i,i", {a.vector, a.pair}));
  KN_WRONG(einsum, kn::einsum("i,j", {a.large, a.large}));
  KN_WRONG(einsum, kn::einsum("i,i", {a.complex, a.complex}, {.dtype = kn::float32}));
  KN_WRONG(convolve, kn::convolve(a.x, a.x));
  KN_WRONG(convolve, kn::convolve(a.vector, a.vector, {.mode = "whole"}));
  KN_WRONG(correlate, kn::correlate(a.none, a.vector));
  KN_WRONG(fftconvolve, kn::fftconvolve(a.x, a.vector));
  KN_WRONG(fftconvolve, kn::fftconvolve(a.x, kn::ones({3, 3}), {.axes = 1}));
  KN_WRONG(interp, kn::interp(a.complex, a.vector, a.vector));
  KN_WRONG(interp, kn::interp(a.vector, a.vector, a.pair));
  KN_WRONG(interp, kn::interp(a.vector, a.vector, a.vector, {.period = 0}));
  KN_WRONG(astype, kn::astype(a.complex, kn::float32));
  KN_WRONG(result_type, kn::result_type({1}));
  KN_WRONG(finfo, kn::finfo(kn::int32));
  KN_WRONG(iinfo, kn::iinfo(kn::float32));
  KN_WRONG(isdtype, kn::isdtype(kn::int32, "whole"));
  KN_WRONG(dtypes, kn::dtypes({.kind = "whole"}));
  KN_WRONG(devices, kn::devices("none/of/them"));
}

TEST_CASE("random numbers") {
  const Arrays a;
  kn::random::Generator g(1);
  const kn::Shape wrong = {-1};
  KN_WRONG(uniform, g.uniform(wrong));
  KN_WRONG(normal, g.normal({2}, {.scale = -1}));
  KN_WRONG(exponential, g.exponential({2}, {.dtype = kn::int32}));
  KN_WRONG(gamma, g.gamma(-1, {2}));
  KN_WRONG(integers, g.integers(5, 5, {2}));
  KN_WRONG(poisson, g.poisson(-1, {2}));
  KN_WRONG(binomial, g.binomial(10, 2, {2}));
  KN_WRONG(choice, g.choice(-1, {2}));
  KN_WRONG(choice, g.choice(a.x, {2}, {.axis = 2}));
  KN_WRONG(choice, g.choice(3, {2}, {.p = a.complex}));
  KN_WRONG(choice, g.choice(a.x, wrong));
  KN_WRONG(permutation, g.permutation(-1));
  KN_WRONG(permutation, g.permutation(most));
  KN_WRONG(permutation, g.permutation(a.x, {.axis = 2}));
  Array x = a.x;
  KN_WRONG(shuffle, g.shuffle(x, {.axis = 2}));
}

TEST_CASE("files") {
  const Arrays a;
  const std::string none = std::filesystem::temp_directory_path() / "koine-no-such-folder" / "x";
  KN_WRONG(load_npy, kn::load_npy(none));
  KN_WRONG(load_npz, kn::load_npz(none));
  KN_WRONG(save_npy, kn::save_npy(none, a.x));
  KN_WRONG(save_npy, kn::save_npy(none, kn::ones({2}, {.dtype = kn::bfloat16})));
  KN_WRONG(save_npz, kn::save_npz(none, {{"a", a.x}}));
  KN_WRONG(explain, kn::explain(a.x, {.format = "svg"}));
  KN_WRONG(explain, kn::explain({a.x, a.vector}, {.source = true, .format = "dot"}));
}

TEST_CASE("beside other OpenCL code") {
  namespace ocl = kn::opencl;
  const Arrays a;
  KN_WRONG(adopt, ocl::adopt(nullptr, ocl::device()));
  KN_WRONG(adopt, ocl::adopt(nullptr));
  KN_WRONG(event, ocl::event(nullptr));
  KN_WRONG(from_buffer, ocl::from_buffer(nullptr, {1}, kn::float32));
  Array large = a.large;
  KN_WRONG(buffer, ocl::buffer(large));
  KN_WRONG(writable_buffer, ocl::writable_buffer(large));
  const std::vector<int> values(3);
  Array x = a.x;
  KN_WRONG(copy_async, kn::copy_async(values, x));
  KN_WRONG(copy_async, kn::copy_async(std::as_bytes(std::span(values)).first(5), kn::int32, x));
}

TEST_CASE("arrays on different devices") {
  const std::vector<kn::Device> devices = kn::devices();
  if (devices.size() < 2) return;
  const Arrays a;
  const Array x = kn::ones({2, 3}, {.device = devices[1]}), vector = x(0), whole = kn::astype(vector, kn::int32);
  REQUIRE_FALSE(a.x.device() == devices[1]);
#define KN_OTHERS(name) KN_WRONG(name, kn::name(a.vector, vector))
  KN_OTHERS(isclose), KN_OTHERS(allclose), KN_OTHERS(array_equal), KN_OTHERS(isin), KN_OTHERS(searchsorted);
  KN_OTHERS(matmul), KN_OTHERS(tensordot), KN_OTHERS(vecdot), KN_OTHERS(outer), KN_OTHERS(kron);
  KN_OTHERS(convolve), KN_OTHERS(correlate), KN_OTHERS(fftconvolve), KN_OTHERS(histogram), KN_OTHERS(add);
  KN_OTHERS(maximum);
  KN_WRONG(clip, kn::clip(a.vector, vector, 1));
  KN_WRONG(where, kn::where(a.truth, vector, 1));
  KN_WRONG(concat, kn::concat({a.vector, vector}));
  KN_WRONG(stack, kn::stack({a.vector, vector}));
  KN_WRONG(einsum, kn::einsum("i,i", {a.vector, vector}));
  KN_WRONG(interp, kn::interp(a.vector, vector, vector));
  KN_WRONG(interp, kn::interp(a.vector, a.vector, a.vector, {.left = vector(0)}));
  KN_WRONG(pad, kn::pad(a.vector, {1, 1}, {.constant_values = vector(0)}));
  KN_WRONG(take, kn::take(a.x, whole));
  KN_WRONG(take_along_axis, kn::take_along_axis(a.vector, whole));
  KN_WRONG(repeat, kn::repeat(a.vector, whole));
  KN_WRONG(diff, kn::diff(a.vector, {.append = vector}));
  KN_WRONG(subscript, a.x(whole));
  KN_WRONG(choice, kn::random::Generator(1).choice(3, {2}, {.p = vector / 3, .device = a.x.device()}));
}

TEST_CASE("Fourier transforms") {
  const Arrays a;
  KN_WRONG(fft, kn::fft::fft(a.vector, {.axis = 1}));
  KN_WRONG(fft, kn::fft::fft(a.x, {.n = most}));
  KN_WRONG(ifft, kn::fft::ifft(a.scalar));
  KN_WRONG(rfft, kn::fft::rfft(a.complex));
  KN_WRONG(irfft, kn::fft::irfft(a.complex, {.norm = "half"}));
  KN_WRONG(hfft, kn::fft::hfft(a.none));
  KN_WRONG(ihfft, kn::fft::ihfft(a.vector, {.n = -1}));
  KN_WRONG(fftn, kn::fft::fftn(a.x, {.s = kn::Shape{0, 2}}));
  KN_WRONG(ifftn, kn::fft::ifftn(a.x, {.axes = {1, 1}}));
  KN_WRONG(rfftn, kn::fft::rfftn(a.scalar));
  KN_WRONG(irfftn, kn::fft::irfftn(a.x, {.s = kn::Shape{2, 2, 2}}));
  KN_WRONG(fft2, kn::fft::fft2(a.vector));
  KN_WRONG(ifft2, kn::fft::ifft2(a.vector));
  KN_WRONG(rfft2, kn::fft::rfft2(a.vector));
  KN_WRONG(irfft2, kn::fft::irfft2(a.vector));
  KN_WRONG(dct, kn::fft::dct(a.complex));
  KN_WRONG(idct, kn::fft::idct(a.vector, {.type = 0}));
  KN_WRONG(dst, kn::fft::dst(a.vector, {.n = 0}));
  KN_WRONG(dst, kn::fft::dst(a.vector, {.n = most}));
  KN_WRONG(idst, kn::fft::idst(a.scalar));
  KN_WRONG(fftfreq, kn::fft::fftfreq(0));
  KN_WRONG(rfftfreq, kn::fft::rfftfreq(4, {.d = 0}));
  KN_WRONG(fftshift, kn::fft::fftshift(a.vector, {.axes = 1}));
  KN_WRONG(ifftshift, kn::fft::ifftshift(a.vector, {.axes = 1}));
}

TEST_CASE("faults of earlier calls and of settings keep their names") {
  const Array wrong = kn::take(kn::arange(3), kn::array({7}));
  CHECK(
      kn::test::message_of<kn::IndexError>([&] { kn::bincount(wrong); }).starts_with("[take] index 7 is out of range"));
  // The name went with the call.
  CHECK(kn::test::message_of<kn::ShapeError>([&] { kn::add(kn::ones({2}), kn::ones({3})); }).starts_with("[add] "));
  CHECK(std::string(kn::ShapeError("[mine] a sentence").what()) == "[mine] a sentence");
}

TEST_CASE("every function of docs/api.md has been called wrongly, but for those that take anything") {
  const std::string anything =
      " array_equal at_hand bandwidth can_cast capabilities context default_device default_device_reason default_dtype "
      "default_dtypes device empty_like eval eval_at_once handle host_view in is_borrowed isin local_memory "
      "memory_stats name "
      "ones_like out print_options "
      "queue ready set_default_device set_memory_limit set_wait_check set_wait_hooks slice synchronize to_device "
      "to_dlpack under_way "
      "unique_all "
      "unique_counts unique_inverse unique_values version zeros_like ";
  std::ifstream file(KOINE_TEST_DIR "/../docs/api.md");
  REQUIRE(file.is_open());
  int count = 0;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| `")) continue;
    std::string name = line.substr(3, line.find('(') - 3);
    for (const std::string scope : {"Generator::", "opencl::", "linalg::", "fft::"}) {
      if (name.starts_with(scope)) name = name.substr(scope.size());
    }
    if (name.find('.') != name.npos || name.find('`') != name.npos) continue;  // not there yet
    ++count;
    if (anything.find(" " + name + " ") == anything.npos) CHECK_MESSAGE(called().contains(name), name);
  }
  CHECK(count > 200);
}
