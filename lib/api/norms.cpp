// SPDX-License-Identifier: Apache-2.0
// Norms of vectors and matrices.
#include "api/build.hpp"
#include "api/matrices.hpp"

#include <koine/elementwise.hpp>
#include <koine/error.hpp>
#include <koine/linalg_spectra.hpp>
#include <koine/manipulation.hpp>
#include <koine/searching.hpp>
#include <koine/statistics.hpp>
#include <koine/types.hpp>

#include <cmath>
#include <limits>
#include <string>

namespace koine::linalg {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

/// What a norm of x has as its type.
DType norm_type(const Array& x) { return graph::real_part(api::floating_type(x.dtype())); }

/// The magnitudes of the elements, in the type in which a norm is accumulated.
Array magnitudes(const Array& x) {
  const DType type = graph::accumulation_type(api::floating_type(x.dtype()));
  return abs(astype(x, type));
}

Array squares(const Array& x) {
  const Array wide = astype(x, graph::accumulation_type(api::floating_type(x.dtype())));
  if (!is_complex(wide.dtype())) return wide * wide;
  const Array re = real(wide), im = imag(wide);
  return re * re + im * im;
}

}  // namespace

Array vector_norm(const Array& x, const VectorNormOptions& options) {
  const base::NamedCall call("vector_norm");
  const double ord = options.ord;
  if (std::isnan(ord)) throw ValueError("[vector_norm] .ord is NaN; it can be any other number");
  const ReductionOptions along{.axis = options.axis, .keepdims = options.keepdims};
  const SumOptions summed{.axis = options.axis, .keepdims = options.keepdims};
  const auto norm = [&]() -> Array {
    if (ord == inf) return max(magnitudes(x), along);
    if (ord == -inf) return min(magnitudes(x), along);
    if (ord == 0) return count_nonzero(x, along);
    if (ord == 1) return sum(magnitudes(x), summed);
    if (ord == 2) return sqrt(sum(squares(x), summed));
    return pow(sum(pow(magnitudes(x), ord), summed), 1 / ord);
  };
  return astype(norm(), norm_type(x));
}

Array matrix_norm(const Array& x, const MatrixNormOptions& options) {
  const base::NamedCall call("matrix_norm");
  api::require_matrices(x, "matrix_norm");
  const std::string& name = options.ord.name();
  const double number = options.ord.number();
  const bool named = !name.empty();
  const auto with_axes = [&](const Array& norm) {
    const Array result = astype(norm, norm_type(x));
    return options.keepdims ? expand_dims(result, {-2, -1}) : result;
  };
  if (name == "fro") return with_axes(sqrt(sum(squares(x), {.axis = {-2, -1}})));
  if (name == "nuc") return with_axes(sum(svdvals(x), {.axis = -1}));
  if (!named && number == 2) return with_axes(max(svdvals(x), {.axis = -1}));
  if (!named && number == -2) return with_axes(min(svdvals(x), {.axis = -1}));
  if (!named && (std::abs(number) == 1 || std::abs(number) == inf)) {
    const Array sums = sum(magnitudes(x), {.axis = std::abs(number) == 1 ? -2 : -1});
    return with_axes(number > 0 ? max(sums, {.axis = -1}) : min(sums, {.axis = -1}));
  }
  throw ValueError("[matrix_norm] .ord is " + (named ? "\"" + name + "\"" : std::to_string(number)) +
                   "; it can be \"fro\", \"nuc\", 1, -1, 2, -2, inf and -inf");
}

}  // namespace koine::linalg
