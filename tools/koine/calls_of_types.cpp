// SPDX-License-Identifier: Apache-2.0
// Calls for each of several types, and those of many small matrices.
#include "calls.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace koine::tool {

namespace kn = koine;

namespace {

constexpr std::int64_t side = 320, size = side * side;

/// From 0 to below `end`.
kn::Array numbers(kn::DType type, double end) {
  std::vector<double> values(size);
  for (std::int64_t i = 0; i < size; ++i) values[i] = static_cast<double>((i * 7919) % 10007) / 10007 * end;
  return kn::asarray(values, {size}, type);
}
kn::Array ids() {
  std::vector<std::int32_t> values(size);
  for (std::int64_t i = 0; i < size; ++i) values[i] = static_cast<std::int32_t>((i * 7919) % 100);
  return kn::asarray(values);
}
/// Matrices that factorisations take, and vectors beside them.
kn::Array matrices(const kn::Shape& shape, kn::DType type) {
  const std::int64_t n = shape.back();
  return kn::reshape(numbers(type, 1)(kn::slice(shape.elements())), shape) + kn::eye(n, {.dtype = type}) * n;
}
kn::Array symmetric(const kn::Shape& shape, kn::DType type) {
  const kn::Array x = matrices(shape, type);
  return x + kn::matrix_transpose(x);
}

using Function = kn::Array (*)(const kn::Array&);

/// Adds calls of functions of one array, named "exp float64".
void add(std::vector<Call>& calls, kn::DType type, double end,
         const std::vector<std::pair<const char*, Function>>& functions) {
  for (const auto& [name, f] : functions) {
    calls.emplace_back(std::string(name) + " " + std::string(kn::name(type)),
                       [f = f, type, end] { return f(numbers(type, end)); });
  }
}

const std::vector<std::pair<const char*, Function>> of_numbers{
    {"add", [](const kn::Array& x) { return x + x; }},
    {"multiply add", [](const kn::Array& x) { return x * 2 + 1; }},
    {"where", [](const kn::Array& x) { return kn::where(x > 0, x, 1); }},
    {"clip", [](const kn::Array& x) { return kn::clip(x, 1, 7); }},
    {"remainder", [](const kn::Array& x) { return kn::remainder(x, 3); }},
    {"sum", [](const kn::Array& x) { return kn::sum(x); }},
    {"sum of rows",
     [](const kn::Array& x) {
       return kn::sum(kn::reshape(x, {side, side}), {.axis = 1});
     }},
    {"sum of columns",
     [](const kn::Array& x) {
       return kn::sum(kn::reshape(x, {side, side}), {.axis = 0});
     }},
    {"mean", [](const kn::Array& x) { return kn::mean(x); }},
    {"min", [](const kn::Array& x) { return kn::min(x); }},
    {"max of columns",
     [](const kn::Array& x) {
       return kn::max(kn::reshape(x, {side, side}), {.axis = 0});
     }},
    {"argmax", [](const kn::Array& x) { return kn::argmax(x); }},
    {"std", [](const kn::Array& x) { return kn::std(x); }},
    {"var of columns",
     [](const kn::Array& x) {
       return kn::var(kn::reshape(x, {side, side}), {.axis = 0});
     }},
    {"cumulative_sum", [](const kn::Array& x) { return kn::cumulative_sum(x); }},
    {"cumulative_sum of columns",
     [](const kn::Array& x) {
       return kn::cumulative_sum(kn::reshape(x, {side, side}), {.axis = 0});
     }},
    {"cumulative_min", [](const kn::Array& x) { return kn::cumulative_min(x); }},
    {"sort", [](const kn::Array& x) { return kn::sort(x); }},
    {"sort of rows",
     [](const kn::Array& x) {
       return kn::sort(kn::reshape(x, {side, side}));
     }},
    {"argsort", [](const kn::Array& x) { return kn::argsort(x, {.descending = true}); }},
    {"topk", [](const kn::Array& x) { return kn::topk(x, 10).values; }},
    {"median", [](const kn::Array& x) { return kn::median(x); }},
    {"median of columns",
     [](const kn::Array& x) {
       return kn::median(kn::reshape(x, {side, side}), {.axis = 0});
     }},
    {"quantiles",
     [](const kn::Array& x) {
       return kn::quantile(x, std::vector{0.1, 0.5, 0.9});
     }},
    {"unique_values", [](const kn::Array& x) { return kn::unique_values(x); }},
    {"unique_counts", [](const kn::Array& x) { return kn::unique_counts(x).counts; }},
    {"searchsorted", [](const kn::Array& x) { return kn::searchsorted(kn::sort(x), x); }},
    {"histogram", [](const kn::Array& x) { return kn::histogram(x, 20).counts; }},
    {"isin", [](const kn::Array& x) { return kn::isin(x, x(kn::slice(100))); }},
    {"take", [](const kn::Array& x) { return kn::take(x, ids()); }},
    {"take_along_axis",
     [](const kn::Array& x) {
       const kn::Array rows = kn::reshape(x, {side, side});
       return kn::take_along_axis(rows, kn::argsort(rows));
     }},
    {"mask", [](const kn::Array& x) { return x(x > 1); }},
    {"assign by positions",
     [](const kn::Array& x) {
       kn::Array changed = x.copy();
       changed(ids()) = 1;
       return changed;
     }},
    {"max at positions",
     [](const kn::Array& x) {
       kn::Array changed = x.copy();
       changed.at(ids()).max(x);
       return changed;
     }},
    {"segment_sum", [](const kn::Array& x) { return kn::segment_sum(x, ids(), {.count = 100}); }},
    {"segment_mean", [](const kn::Array& x) { return kn::segment_mean(x, ids(), {.count = 100}); }},
    {"segment_min", [](const kn::Array& x) { return kn::segment_min(x, ids(), {.count = 100}); }},
    {"segment_prod", [](const kn::Array& x) { return kn::segment_prod(x, ids(), {.count = 100}); }},
    {"concat",
     [](const kn::Array& x) {
       return kn::concat({x, x + 1});
     }},
    {"roll", [](const kn::Array& x) { return kn::roll(x, 5); }},
    {"transpose",
     [](const kn::Array& x) {
       return kn::reshape(x, {side, side}).T().copy();
     }},
    {"matmul",
     [](const kn::Array& x) {
       return kn::matmul(kn::reshape(x, {side, side}), kn::reshape(x, {side, side}));
     }},
    {"matrix by vector",
     [](const kn::Array& x) {
       return kn::matmul(kn::reshape(x, {side, side}), x(kn::slice(side)));
     }},
    {"vector by matrix",
     [](const kn::Array& x) {
       return kn::matmul(x(kn::slice(side)), kn::reshape(x, {side, side}));
     }},
    {"matrices by vectors",
     [](const kn::Array& x) {
       return kn::einsum("bij,bj->bi", {kn::reshape(x, {100, 32, 32}), kn::reshape(x(kn::slice(3200)), {100, 32})});
     }},
    {"matmul of many",
     [](const kn::Array& x) {
       return kn::matmul(kn::reshape(x, {100, 32, 32}), kn::reshape(x, {100, 32, 32}));
     }},
    {"dot", [](const kn::Array& x) { return kn::vecdot(x, x); }},
    {"diff", [](const kn::Array& x) { return kn::diff(x); }},
};

const std::vector<std::pair<const char*, Function>> of_floating{
    {"exp", [](const kn::Array& x) { return kn::exp(x); }},
    {"log", [](const kn::Array& x) { return kn::log(x + 1); }},
    {"sqrt", [](const kn::Array& x) { return kn::sqrt(x); }},
    {"sin", [](const kn::Array& x) { return kn::sin(x); }},
    {"tanh", [](const kn::Array& x) { return kn::tanh(x); }},
    {"erf", [](const kn::Array& x) { return kn::erf(x); }},
    {"sigmoid", [](const kn::Array& x) { return kn::sigmoid(x); }},
    {"atan2", [](const kn::Array& x) { return kn::atan2(x, x + 1); }},
    {"hypot", [](const kn::Array& x) { return kn::hypot(x, x); }},
    {"divide", [](const kn::Array& x) { return x / (x + 1); }},
    {"pow", [](const kn::Array& x) { return kn::pow(x, 1.5); }},
    {"round", [](const kn::Array& x) { return kn::round(x); }},
    {"softmax",
     [](const kn::Array& x) {
       return kn::softmax(kn::reshape(x, {side, side}), -1);
     }},
    {"logsumexp", [](const kn::Array& x) { return kn::logsumexp(x); }},
    {"logsumexp of columns",
     [](const kn::Array& x) {
       return kn::logsumexp(kn::reshape(x, {side, side}), {.axis = 0});
     }},
    {"layer norm",
     [](const kn::Array& x) {
       const kn::Array rows = kn::reshape(x, {side, side});
       return (rows - kn::mean(rows, {.axis = 1, .keepdims = true})) / kn::std(rows, {.axis = 1, .keepdims = true});
     }},
    {"distances",
     [](const kn::Array& x) {
       const kn::Array points = kn::reshape(x(kn::slice(3 * side)), {side, 3});
       const kn::Array apart = points(kn::all, kn::newaxis, kn::all) - points(kn::newaxis, kn::all, kn::all);
       return kn::sqrt(kn::sum(apart * apart, {.axis = -1}));
     }},
    {"nanmean", [](const kn::Array& x) { return kn::nanmean(x); }},
    {"nanmax", [](const kn::Array& x) { return kn::nanmax(x); }},
    {"nanstd of columns",
     [](const kn::Array& x) {
       return kn::nanstd(kn::reshape(x, {side, side}), {.axis = 0});
     }},
    {"interp", [](const kn::Array& x) { return kn::interp(x, kn::sort(x(kn::slice(100))), x(kn::slice(100))); }},
    {"convolve", [](const kn::Array& x) { return kn::convolve(x, x(kn::slice(9))); }},
    {"vector_norm", [](const kn::Array& x) { return kn::linalg::vector_norm(x); }},
    {"uniform", [](const kn::Array& x) { return kn::random::Generator(1).uniform({size}, {.dtype = x.dtype()}); }},
    {"normal", [](const kn::Array& x) { return kn::random::Generator(1).normal({size}, {.dtype = x.dtype()}); }},
    {"exponential",
     [](const kn::Array& x) { return kn::random::Generator(1).exponential({size}, {.dtype = x.dtype()}); }},
};

/// Many small matrices, and one of float64 that is no small one.
void add_matrices(std::vector<Call>& calls, const std::string& what, const kn::Shape& shape, kn::DType type) {
  const auto call = [&](const char* name, auto f) {
    calls.emplace_back(std::string(name) + " of " + what, [=] { return f(shape, type); });
  };
  call("inv", [](const kn::Shape& s, kn::DType t) { return kn::linalg::inv(matrices(s, t)); });
  call("det", [](const kn::Shape& s, kn::DType t) { return kn::linalg::det(matrices(s, t)); });
  call("solve", [](const kn::Shape& s, kn::DType t) { return kn::linalg::solve(matrices(s, t), matrices(s, t)); });
  call("cholesky", [](const kn::Shape& s, kn::DType t) { return kn::linalg::cholesky(symmetric(s, t)); });
  call("qr", [](const kn::Shape& s, kn::DType t) { return kn::linalg::qr(matrices(s, t)).R; });
  call("eigh", [](const kn::Shape& s, kn::DType t) { return kn::linalg::eigh(symmetric(s, t)).eigenvectors; });
  call("svd", [](const kn::Shape& s, kn::DType t) { return kn::linalg::svd(matrices(s, t)).U; });
  call("pinv", [](const kn::Shape& s, kn::DType t) { return kn::linalg::pinv(matrices(s, t)); });
  call("lstsq", [](const kn::Shape& s, kn::DType t) { return kn::linalg::lstsq(matrices(s, t), matrices(s, t)).x; });
}

/// Transforms of rows of a few lengths.
void add_transforms(std::vector<Call>& calls) {
  for (const std::int64_t length : {16, 100, 1024, 25'600}) {
    const auto rows = [=] { return kn::reshape(numbers(kn::float32, 1), {size / length, length}); };
    const std::string of = " of rows of " + std::to_string(length);
    calls.emplace_back("fft" + of, [=] { return kn::fft::fft(kn::astype(rows(), kn::complex64)); });
    calls.emplace_back("rfft" + of, [=] { return kn::fft::rfft(rows()); });
    calls.emplace_back("irfft" + of, [=] { return kn::fft::irfft(kn::fft::rfft(rows())); });
  }
  calls.emplace_back("fft float64", [] { return kn::fft::fft(numbers(kn::float64, 1)); });
  calls.emplace_back("rfft2", [] { return kn::fft::rfft2(kn::reshape(numbers(kn::float32, 1), {side, side})); });
  calls.emplace_back("idct", [] { return kn::fft::idct(numbers(kn::float32, 1)); });
}

}  // namespace

std::vector<Call> calls_of_types() {
  std::vector<Call> calls;
  for (const kn::DType type : {kn::float32, kn::float64, kn::float16, kn::bfloat16}) {
    add(calls, type, 8, of_numbers);
    add(calls, type, 8, of_floating);
  }
  for (const kn::DType type : {kn::int32, kn::int64, kn::uint8}) add(calls, type, 100, of_numbers);
  add_matrices(calls, "small matrices", {1000, 4, 4}, kn::float32);
  add_matrices(calls, "matrices of 32", {100, 32, 32}, kn::float32);
  add_matrices(calls, "float64", {side, side}, kn::float64);
  add_transforms(calls);
  return calls;
}

}  // namespace koine::tool
