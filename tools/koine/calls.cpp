// SPDX-License-Identifier: Apache-2.0
// A call of each function, with data that the host makes.
#include "calls.hpp"

#include <complex>
#include <cstdint>
#include <utility>
#include <vector>

namespace koine::tool {

namespace kn = koine;

namespace {

constexpr std::int64_t side = 320, size = side * side;

kn::Array numbers() {
  std::vector<float> values(size);
  for (std::int64_t i = 0; i < size; ++i) values[i] = static_cast<float>((i * 7919) % 10007) / 10007;
  return kn::asarray(values);
}
kn::Array doubles() {
  std::vector<double> values(size);
  for (std::int64_t i = 0; i < size; ++i) values[i] = static_cast<double>((i * 7919) % 10007) / 10007;
  return kn::asarray(values);
}
kn::Array whole() {
  std::vector<std::int32_t> values(size);
  for (std::int64_t i = 0; i < size; ++i) values[i] = static_cast<std::int32_t>((i * 7919) % 10007);
  return kn::asarray(values);
}
kn::Array square() { return numbers().reshape({side, side}); }

kn::Array complex() { return kn::astype(numbers(), kn::complex64) + std::complex<float>(0.5f, 0.25f); }
kn::Array product(const kn::Array& x) { return kn::matmul(x.reshape({side, side}), x.reshape({side, side})); }
kn::Array threes() { return numbers()(kn::slice(3 * 30'000)).reshape({30'000, 3}); }
/// Matrices that factorisations take.
kn::Array dominant() { return square() + kn::eye(side) * static_cast<double>(side); }
kn::Array symmetric() { return dominant() + dominant().T(); }

constexpr std::int64_t large_size = std::int64_t{1} << 22;
kn::Array large() {
  std::vector<float> values(large_size);
  std::uint32_t state = 1;
  for (float& value : values) value = static_cast<float>((state = state * 1664525u + 1013904223u) >> 8) * 0x1p-24f;
  return kn::asarray(values);
}

template <class F>
kn::Array reproduced(F f) {
  const kn::reproducible scope;
  return f();
}

/// One program after another, as short ones are written: a result is read at the end of each line.
void readme() {
  const kn::Array x = kn::random::Generator(42).normal({1'000'000});
  (kn::mean(kn::exp(-x * x) * 2.0 + 1.0)).item<float>();
}
void fifteen_lines() {
  kn::random::Generator generator(7);
  const kn::Array x = generator.normal({20'000, 16}), w = generator.uniform({16});
  const kn::Array y = kn::matmul(x, w) + generator.normal({20'000}) * 0.1;
  const kn::Array centred = (x - kn::mean(x, 0)) / kn::std(x, 0);
  const kn::Array gram = kn::matmul(kn::matrix_transpose(centred), centred) / 20'000.0;
  kn::sum(gram).item<float>();
  const kn::Array error = kn::matmul(centred, w) - y;
  kn::mean(error * error).item<float>();
  kn::max(kn::abs(error)).item<float>();
  kn::median(y).item<float>();
  const kn::Array order = kn::argsort(y);
  kn::take(y, order).eval();
  kn::cumulative_sum(y).eval();
  kn::histogram(y, 20).counts.eval();
  kn::sum(kn::where(y > 0.0, y, 0.0)).item<float>();
}

std::vector<Call> calls_of_functions() {
  return {
      {"add", [] { (numbers() + 1.0).eval(); }},
      {"chain", [] { (kn::exp(-numbers() * numbers()) * 2.0 + 1.0).eval(); }},
      {"sin", [] { kn::sin(numbers()).eval(); }},
      {"pow", [] { kn::pow(numbers(), numbers()).eval(); }},
      {"remainder", [] { kn::remainder(numbers(), numbers()).eval(); }},
      {"floor_divide int32", [] { kn::floor_divide(whole(), whole() + 1).eval(); }},
      {"tan float64", [] { kn::tan(doubles()).eval(); }},
      {"lgamma", [] { kn::lgamma(numbers()).eval(); }},
      {"atan2", [] { kn::atan2(numbers(), numbers()).eval(); }},
      {"float16", [] { (kn::astype(numbers(), kn::float16) * 2.0).eval(); }},
      {"abs of complex", [] { kn::abs(kn::astype(numbers(), kn::complex64)).eval(); }},
      {"where", [] { kn::where(numbers() > 0.5, numbers(), 0.0).eval(); }},
      {"add of rows", [] { (square() + square()(0)).eval(); }},
      {"transpose", [] { kn::matrix_transpose(square()).copy().eval(); }},
      {"sum", [] { kn::sum(numbers()).eval(); }},
      {"mean of rows", [] { kn::mean(square(), 1).eval(); }},
      {"sum of columns", [] { kn::sum(square(), 0).eval(); }},
      {"max", [] { kn::max(numbers()).eval(); }},
      {"argmax", [] { kn::argmax(numbers()).eval(); }},
      {"std", [] { kn::std(numbers()).eval(); }},
      {"softmax", [] { kn::softmax(square(), -1).eval(); }},
      {"cumulative_sum", [] { kn::cumulative_sum(numbers()).eval(); }},
      {"matmul", [] { kn::matmul(square(), square()).eval(); }},
      {"matmul float64",
       [] {
         kn::matmul(doubles().reshape({side, side}), doubles().reshape({side, side})).eval();
       }},
      {"matrix by vector", [] { kn::matmul(square(), square()(0)).eval(); }},
      {"einsum ij,kj->ik",
       [] {
         kn::einsum("ij,kj->ik", {square(), square()}).eval();
       }},
      {"einsum ij,ij->",
       [] {
         kn::einsum("ij,ij->", {square(), square()}).eval();
       }},
      {"sort", [] { kn::sort(numbers()).eval(); }},
      {"sort int32", [] { kn::sort(whole()).eval(); }},
      {"sort of rows", [] { kn::sort(square()).eval(); }},
      {"argsort", [] { kn::argsort(numbers()).eval(); }},
      {"topk", [] { kn::topk(numbers(), 10).values.eval(); }},
      {"median", [] { kn::median(numbers()).eval(); }},
      {"median of rows", [] { kn::median(square(), 1).eval(); }},
      {"quantile", [] { kn::quantile(numbers(), 0.9).eval(); }},
      {"unique_values", [] { kn::unique_values(whole()).eval(); }},
      {"unique_counts", [] { kn::unique_counts(whole()).counts.eval(); }},
      {"nonzero", [] { kn::nonzero(numbers() > 0.5)[0].eval(); }},
      {"searchsorted", [] { kn::searchsorted(numbers(), numbers()).eval(); }},
      {"histogram", [] { kn::histogram(numbers(), 20).counts.eval(); }},
      {"bincount", [] { kn::bincount(whole()).eval(); }},
      {"take", [] { kn::take(numbers(), whole()).eval(); }},
      {"concat",
       [] {
         kn::concat({numbers(), numbers()}).eval();
       }},
      {"stack",
       [] {
         kn::stack({numbers(), numbers()}, 1).eval();
       }},
      {"roll", [] { kn::roll(numbers(), 3).eval(); }},
      {"repeat", [] { kn::repeat(numbers(), 3).eval(); }},
      {"pad", [] { kn::pad(square(), 1).eval(); }},
      {"diff", [] { kn::diff(numbers()).eval(); }},
      {"convolve", [] { kn::convolve(numbers(), numbers()(kn::slice(0, 9))).eval(); }},
      {"uniform", [] { kn::random::Generator(1).uniform({size}).eval(); }},
      {"normal", [] { kn::random::Generator(1).normal({size}).eval(); }},
      {"integers", [] { kn::random::Generator(1).integers(0, 10, {size}).eval(); }},
      {"gamma", [] { kn::random::Generator(1).gamma(2.0, {size}).eval(); }},
      {"permutation", [] { kn::random::Generator(1).permutation(size).eval(); }},
      // Of other types.
      {"exp float16", [] { return kn::exp(kn::astype(numbers(), kn::float16)); }},
      {"pow int32", [] { return kn::pow(whole() % 10, 3); }},
      {"pow float64", [] { return kn::pow(doubles(), doubles()); }},
      {"pow of complex", [] { return kn::pow(complex(), complex()); }},
      {"pow of complex128", [] { return kn::pow(kn::astype(complex(), kn::complex128), complex()); }},
      {"exp of complex", [] { return kn::exp(complex()); }},
      {"divide of complex", [] { return complex() / (complex() + 1.0); }},
      {"acos of complex", [] { return kn::acos(complex()); }},
      {"lgamma float64", [] { return kn::lgamma(doubles()); }},
      {"tgamma", [] { return kn::tgamma(numbers()); }},
      {"erf", [] { return kn::erf(numbers()); }},
      {"logaddexp", [] { return kn::logaddexp(numbers(), numbers()); }},
      {"hypot", [] { return kn::hypot(numbers(), numbers()); }},
      {"nextafter", [] { return kn::nextafter(numbers(), numbers()); }},
      {"round", [] { return kn::round(numbers()); }},
      {"bitwise_xor", [] { return kn::bitwise_xor(whole(), whole()); }},
      {"isfinite", [] { return kn::isfinite(numbers()); }},
      {"clip", [] { return kn::clip(numbers(), 0.2, 0.7); }},
      {"nan_to_num", [] { return kn::nan_to_num(numbers()); }},
      {"isclose", [] { return kn::isclose(numbers(), numbers()); }},
      {"allclose", [] { kn::allclose(numbers(), numbers()); }},
      {"astype int8", [] { return kn::astype(whole(), kn::int8); }},
      {"astype bfloat16", [] { return kn::astype(doubles(), kn::bfloat16); }},
      // Reductions and scans.
      {"prod", [] { return kn::prod(numbers()); }},
      {"sum of complex", [] { return kn::sum(complex()); }},
      {"mean of complex", [] { return kn::mean(complex()); }},
      {"sum int32", [] { return kn::sum(whole()); }},
      {"var float64", [] { return kn::var(doubles()); }},
      {"any", [] { return kn::any(numbers() > 2.0); }},
      {"count_nonzero", [] { return kn::count_nonzero(numbers()); }},
      {"argmin of columns", [] { return kn::argmin(square(), 0); }},
      {"cumulative_prod", [] { return kn::cumulative_prod(numbers()); }},
      {"cumulative_max", [] { return kn::cumulative_max(numbers()); }},
      {"cumulative_sum of complex", [] { return kn::cumulative_sum(complex()); }},
      {"nanmean", [] { return kn::nanmean(numbers()); }},
      {"nanvar", [] { return kn::nanvar(numbers()); }},
      {"nanargmax", [] { return kn::nanargmax(numbers()); }},
      {"vector_norm", [] { return kn::linalg::vector_norm(numbers()); }},
      {"matrix_norm", [] { return kn::linalg::matrix_norm(square()); }},
      // With the same bits on every device.
      {"reproducible sum", [] { return reproduced([] { return kn::sum(numbers()); }); }},
      {"reproducible softmax", [] { return reproduced([] { return kn::softmax(square(), -1); }); }},
      {"reproducible std", [] { return reproduced([] { return kn::std(square(), 0); }); }},
      {"reproducible exp", [] { return reproduced([] { return kn::exp(numbers()); }); }},
      {"reproducible matmul", [] { return reproduced([] { return kn::matmul(square(), square()); }); }},
      {"reproducible float64", [] { return reproduced([] { return product(doubles()); }); }},
      {"reproducible complex", [] { return reproduced([] { return product(complex()); }); }},
      {"reproducible float16", [] { return reproduced([] { return product(kn::astype(numbers(), kn::float16)); }); }},
      {"reproducible vector", [] { return reproduced([] { return kn::matmul(square(), square()(0)); }); }},
      {"reproducible dot", [] { return reproduced([] { return kn::matmul(numbers(), numbers()); }); }},
      // Products.
      {"matmul int32", [] { return product(whole()); }},
      {"matmul int8", [] { return product(kn::astype(whole(), kn::int8)); }},
      {"matmul int64", [] { return product(kn::astype(whole(), kn::int64)); }},
      {"matmul float16", [] { return product(kn::astype(numbers(), kn::float16)); }},
      {"matmul complex64", [] { return product(complex()); }},
      {"matmul of many int32",
       [] {
         return kn::matmul(whole().reshape({100, 32, 32}), whole().reshape({100, 32, 32}));
       }},
      {"matmul int32 turned",
       [] {
         return kn::matmul(whole().reshape({side, side}), whole().reshape({side, side}).T());
       }},
      {"int32 matrix by vector",
       [] {
         return kn::matmul(whole().reshape({side, side}), whole()(kn::slice(side)));
       }},
      {"complex by vector",
       [] {
         return kn::matmul(complex().reshape({side, side}), complex()(kn::slice(side)));
       }},
      {"dot", [] { return kn::matmul(numbers(), numbers()); }},
      {"dot int32", [] { return kn::matmul(whole(), whole()); }},
      {"dot of complex", [] { return kn::vecdot(complex(), complex()); }},
      {"outer", [] { return kn::outer(square()(0), square()(1)); }},
      {"kron", [] { return kn::kron(square()(0), square()(1)); }},
      {"tensordot", [] { return kn::tensordot(square(), square()); }},
      {"einsum of three",
       [] {
         return kn::einsum("ij,jk,k->i", {square(), square(), square()(0)});
       }},
      {"cross", [] { return kn::linalg::cross(threes(), threes()); }},
      {"trace", [] { return kn::linalg::trace(square()); }},
      // Factorisations.
      {"inv", [] { return kn::linalg::inv(dominant()); }},
      {"det", [] { return kn::linalg::det(dominant()); }},
      {"slogdet", [] { return kn::linalg::slogdet(dominant()).logabsdet; }},
      {"solve", [] { return kn::linalg::solve(dominant(), square()(0)); }},
      {"solve_triangular", [] { return kn::linalg::solve_triangular(dominant(), square()(0)); }},
      {"cholesky", [] { return kn::linalg::cholesky(symmetric()); }},
      {"lu", [] { return kn::linalg::lu(dominant()).L; }},
      {"ldl", [] { return kn::linalg::ldl(symmetric()).d; }},
      {"qr", [] { return kn::linalg::qr(dominant()).Q; }},
      {"eigh", [] { return kn::linalg::eigh(symmetric()).eigenvalues; }},
      {"svd", [] { return kn::linalg::svdvals(dominant()); }},
      {"eig", [] { return kn::linalg::eigvals(dominant()); }},
      {"schur", [] { return kn::linalg::schur(dominant()).T; }},
      {"pinv", [] { return kn::linalg::pinv(dominant()); }},
      {"matrix_rank", [] { return kn::linalg::matrix_rank(dominant()); }},
      {"lstsq", [] { return kn::linalg::lstsq(dominant(), square()(0)).x; }},
      {"matrix_power", [] { return kn::linalg::matrix_power(dominant(), 3); }},
      {"expm", [] { return kn::linalg::expm(square() * 0.01); }},
      // Transforms and signals.
      {"fft", [] { return kn::fft::fft(complex()); }},
      {"rfft", [] { return kn::fft::rfft(numbers()); }},
      {"irfft", [] { return kn::fft::irfft(complex()); }},
      {"fft2",
       [] {
         return kn::fft::fft2(complex().reshape({side, side}));
       }},
      {"dct", [] { return kn::fft::dct(numbers()); }},
      {"fftshift", [] { return kn::fft::fftshift(numbers()); }},
      {"fftconvolve", [] { return kn::fftconvolve(numbers(), numbers()); }},
      {"convolve int32", [] { return kn::convolve(whole(), whole()(kn::slice(9))); }},
      {"correlate", [] { return kn::correlate(numbers(), numbers()(kn::slice(9))); }},
      {"interp", [] { return kn::interp(numbers(), kn::arange(100, kn::float32), kn::arange(100, kn::float32)); }},
      // Orders, sets and groups.
      {"sort descending", [] { return kn::sort(numbers(), {.descending = true}); }},
      {"sort int8", [] { return kn::sort(kn::astype(whole(), kn::int8)); }},
      {"sort of columns", [] { return kn::sort(square(), {.axis = 0}); }},
      {"argsort of rows", [] { return kn::argsort(square()); }},
      {"partition", [] { return kn::partition(numbers(), 100); }},
      {"topk of rows", [] { return kn::topk(square(), 5).values; }},
      {"percentile", [] { return kn::percentile(numbers(), 30); }},
      {"isin", [] { return kn::isin(whole(), kn::arange(100, kn::int32)); }},
      {"unique_inverse", [] { return kn::unique_inverse(whole()).inverse_indices; }},
      {"unique_all", [] { return kn::unique_all(numbers()).indices; }},
      {"segment_sum", [] { return kn::segment_sum(numbers(), whole() % 100, {.count = 100}); }},
      {"segment_mean", [] { return kn::segment_mean(numbers(), whole() % 100, {.count = 100}); }},
      {"segment_count", [] { return kn::segment_count(whole() % 100, {.count = 100}); }},
      {"segment_sum of complex", [] { return kn::segment_sum(complex(), whole() % 100, {.count = 100}); }},
      {"bincount of weights", [] { return kn::bincount(whole(), {.weights = numbers()}); }},
      {"histogram int32", [] { return kn::histogram(whole(), 20).counts; }},
      // Places.
      {"mask", [] { return numbers()(numbers() > 0.5); }},
      {"assign by a mask",
       [] {
         kn::Array x = numbers();
         x(x > 0.5) = 0.0;
         return x;
       }},
      {"assign by positions",
       [] {
         kn::Array x = numbers();
         x(whole()) = 1.0;
         return x;
       }},
      {"add at positions",
       [] {
         kn::Array x = numbers();
         x.at(whole()).add(numbers());
         return x;
       }},
      {"take_along_axis", [] { return kn::take_along_axis(square(), kn::argsort(square())); }},
      {"take of rows", [] { return kn::take(square(), whole()(kn::slice(100)) % 320, {.axis = 0}); }},
      {"tril", [] { return kn::tril(square()); }},
      {"diagonal", [] { return kn::linalg::diagonal(square()).copy(); }},
      {"eye", [] { return kn::eye(side); }},
      {"linspace", [] { return kn::linspace(0, 1, size); }},
      {"meshgrid", [] { return kn::meshgrid(square()(0), square()(1))[0].copy(); }},
      {"tile", [] { return kn::tile(numbers(), {3}); }},
      {"flip", [] { return kn::flip(numbers()).copy(); }},
      // Random numbers.
      {"gamma float64", [] { return kn::random::Generator(1).gamma(0.5, {size}, {.dtype = kn::float64}); }},
      {"poisson", [] { return kn::random::Generator(1).poisson(10, {size}); }},
      {"poisson of 1000", [] { return kn::random::Generator(1).poisson(1000, {size}); }},
      {"binomial", [] { return kn::random::Generator(1).binomial(20, 0.3, {size}); }},
      {"binomial of 10000", [] { return kn::random::Generator(1).binomial(10'000, 0.3, {size}); }},
      {"exponential", [] { return kn::random::Generator(1).exponential({size}); }},
      {"choice", [] { return kn::random::Generator(1).choice(100, {size}); }},
      {"choice by chances",
       [] { return kn::random::Generator(1).choice(numbers(), {1000}, {.p = numbers() / kn::sum(numbers())}); }},
      {"shuffle",
       [] {
         kn::Array x = numbers();
         kn::random::Generator(1).shuffle(x);
         return x;
       }},
      // 2^22 elements: what the host stands in for takes longer, and so may the compiler.
      {"large exp", [] { return kn::exp(large()); }},
      {"large lgamma", [] { return kn::lgamma(large()); }},
      {"large pow", [] { return kn::pow(large(), large()); }},
      {"large std", [] { return kn::std(large()); }},
      {"large softmax",
       [] {
         return kn::softmax(large().reshape({2048, 2048}), -1);
       }},
      {"large cumulative_sum", [] { return kn::cumulative_sum(large()); }},
      {"large histogram", [] { return kn::histogram(large(), 20).counts; }},
      {"large median", [] { return kn::median(large()); }},
      {"large sort", [] { return kn::sort(large()); }},
      {"large argsort", [] { return kn::argsort(large()); }},
      {"large topk", [] { return kn::topk(large(), 10).values; }},
      {"large mask", [] { return large()(large() > 0.5); }},
      {"large unique_values", [] { return kn::unique_values(large()); }},
      {"large searchsorted", [] { return kn::searchsorted(numbers(), large()); }},
      {"large transpose",
       [] {
         return large().reshape({2048, 2048}).T().copy();
       }},
      {"large normal", [] { return kn::random::Generator(1).normal({large_size}); }},
      {"large gamma", [] { return kn::random::Generator(1).gamma(2.0, {large_size}); }},
      {"logsumexp", [] { return kn::logsumexp(numbers()); }},
      {"float16 by vector",
       [] { return kn::matmul(kn::astype(square(), kn::float16), kn::astype(square()(0), kn::float16)); }},
      {"segment_max", [] { return kn::segment_max(numbers(), whole() % 100, {.count = 100}); }},
      {"segment_prod", [] { return kn::segment_prod(numbers(), whole() % 100, {.count = 100}); }},
      {"the README's program", readme},
      {"15 lines", fifteen_lines},
  };
}

}  // namespace

const std::vector<Call>& calls() {
  static const std::vector<Call> all = [] {
    std::vector<Call> these = calls_of_functions();
    for (Call& each : calls_of_types()) these.push_back(std::move(each));
    return these;
  }();
  return all;
}

}  // namespace koine::tool
