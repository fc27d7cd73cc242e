// SPDX-License-Identifier: Apache-2.0
// The matrix exponential, made of products and equations: Al-Mohy and Higham, A new scaling and squaring algorithm for
// the matrix exponential, SIAM J. Matrix Anal. Appl. 31 (2009), with one degree for each precision.
#include "api/build.hpp"
#include "api/factorisations.hpp"
#include "api/matrices.hpp"

#include <koine/creation.hpp>
#include <koine/elementwise.hpp>
#include <koine/linalg.hpp>
#include <koine/linalg_expm.hpp>
#include <koine/linalg_spectra.hpp>
#include <koine/manipulation.hpp>
#include <koine/matmul_precision.hpp>
#include <koine/searching.hpp>
#include <koine/statistics.hpp>
#include <koine/types.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace koine::linalg {
namespace {

/// The approximant r(x) = q(x) / q(-x) of exp(x) with polynomials of some degree.
struct Pade {
  int degree;
  double theta;  // up to this norm r is exp(x (1 + e)) with e up to half an epsilon
  /// Powers of two that matrices of norm 1 may be multiplied by: their sixth powers stay in the range of numbers.
  double most_growth;

  /// The coefficients of q, from that of 1 on.
  std::vector<double> coefficients() const {
    std::vector<double> b{1};
    for (int j = 0; j < degree; ++j) {
      b.push_back(b.back() * (degree - j) / (static_cast<double>(2 * degree - j) * (j + 1)));
    }
    return b;
  }
  /// The logarithm of the magnitude of the first coefficient of e's series, whose power of x is 2 degree.
  double log2_error() const {
    const double m = degree;
    return (2 * std::lgamma(m + 1) - std::lgamma(2 * m + 1) - std::lgamma(2 * m + 2)) / std::log(2.0);
  }
};

Pade pade_for(DType type) {
  const bool narrow = type == float32 || type == complex64;
  return narrow ? Pade{7, 3.925724783138660, 12} : Pade{13, 4.25, 64};
}

/// In full precision, whatever is chosen for other products.
Array product(const Array& x1, const Array& x2) { return matmul(x1, x2, {.precision = "float32"}); }

Array norm_of(const Array& x) { return matrix_norm(x, {.ord = 1}); }

/// Numbers of matrices, for what is multiplied by each.
Array to_each(const Array& numbers) { return expand_dims(numbers, {-2, -1}); }

/// The logarithm of the norm of |x|^power, by products with a vector.
Array log2_norm_of_power(const Array& x, int power) {
  const Array sizes = abs(x);
  Array row = sum(sizes, {.axis = -2, .keepdims = true}), log = zeros({}, {.dtype = row.dtype(), .device = x.device()});
  for (int i = 1; i < power; ++i) {
    if (2 * i == power - 1) {
      const Array largest = max(row, {.axis = -1, .keepdims = true});
      log = squeeze(log2(largest), {-2, -1});
      row = where(largest > 0, row / largest, 0);
    }
    row = product(row, sizes);
  }
  return log + log2(squeeze(max(row, {.axis = -1}), -1));
}

/// x = scaled 2^power with a norm of `scaled` of at most 1, and its even powers.
struct Scaled {
  Array scaled, power;
  std::vector<Array> powers;  // of `scaled`: 2, 4, ...
};

Scaled scaled_of(const Array& x, int powers) {
  // Sums of large elements do not overflow, nor does a power of two whose half is an exponent.
  constexpr double apart = 20;
  const Array power = 2 * ceil(maximum(log2(norm_of(x * std::exp2(-apart))) + apart, 0) / 2);
  const Array half = to_each(exp2(-power / 2));
  Scaled result{x * half * half, power, {}};
  for (int j = 0; j < powers; ++j) {
    result.powers.push_back(j == 0 ? product(result.scaled, result.scaled)
                                   : product(result.powers.back(), result.powers.front()));
  }
  return result;
}

/// How often r(x / 2^s) is to be squared: at least so often that the norms of powers, which may be far less than powers
/// of the norm, keep the error below half an epsilon, and more often where rounding needs it.
Array squarings(const Scaled& x, const Pade& pade) {
  const std::size_t first = pade.degree == 13 ? 2 : 1;
  const auto root = [&](std::size_t i) { return log2(norm_of(x.powers[i])) / static_cast<double>(2 * (i + 1)); };
  const Array middle = root(first + 1);
  const Array size = minimum(maximum(root(first), middle), maximum(middle, root(first + 2)));
  const Array fewest = maximum(maximum(ceil(size + x.power - std::log2(pade.theta)), 0), x.power - pade.most_growth);
  const int order = 2 * pade.degree;
  const double allowed = std::log2(api::epsilon(x.scaled.dtype()) / 2);
  const Array norm = maximum(norm_of(x.scaled), static_cast<double>(std::numeric_limits<float>::min()));
  const Array error = log2_norm_of_power(x.scaled, order + 1) - log2(norm) + (pade.log2_error() - allowed);
  return fewest + maximum(ceil(error / static_cast<double>(order) + x.power - fewest), 0);
}

}  // namespace

Array expm(const Array& x) {
  const base::NamedCall call("expm");
  api::require_square(x, "expm");
  const Array all = api::factorable(x, "expm");
  if (all.size() == 0) return all;
  const Array finite = isfinite(max(abs(all), {.axis = {-2, -1}, .keepdims = true}));
  const Pade pade = pade_for(all.dtype());
  const Scaled scaled = scaled_of(where(finite, all, 0), pade.degree == 13 ? 5 : 4);
  const Array times = squarings(scaled, pade);
  const auto most = max(astype(times, int64)).item<std::int64_t>();
  // Powers of x / 2^times.
  const Array growth = scaled.power - times, x1 = scaled.scaled * to_each(exp2(growth));
  const auto even = [&](std::size_t i) {
    return i == 0 ? eye(x.shape(-1), x.shape(-1), {.dtype = all.dtype(), .device = x.device()})
                  : scaled.powers[i - 1] * to_each(exp2(growth * static_cast<double>(2 * i)));
  };
  const std::vector<double> b = pade.coefficients();
  // The sum of even powers, or of those times x, up to x^7, and behind it what is to be multiplied by x^6.
  const auto low = [&](std::size_t odd) {
    return b[odd] * even(0) + b[odd + 2] * even(1) + b[odd + 4] * even(2) + b[odd + 6] * even(3);
  };
  const auto high = [&](std::size_t odd) {
    return b[odd + 8] * even(1) + b[odd + 10] * even(2) + b[odd + 12] * even(3);
  };
  const auto part = [&](std::size_t odd) {
    return pade.degree == 7 ? low(odd) : product(even(3), high(odd)) + low(odd);
  };
  const Array with_odd = product(x1, part(1)), with_even = part(0);
  Array result = api::solved(with_even - with_odd, with_even + with_odd, "expm");
  for (std::int64_t i = 0; i < most; ++i) {
    result = where(to_each(times > static_cast<double>(i)), product(result, result), result);
  }
  return where(finite, result, std::numeric_limits<double>::quiet_NaN());
}

}  // namespace koine::linalg
