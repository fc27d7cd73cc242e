// SPDX-License-Identifier: Apache-2.0
// The options that reductions share.
#pragma once

#include <koine/dtype.hpp>
#include <koine/options.hpp>
#include <koine/shape.hpp>

#include <optional>

namespace koine {

/// Options of max, min, mean, any, all, count_nonzero, logsumexp: the axes to reduce (all by default), and whether they
/// stay with size one.
struct ReductionOptions {
  detail::Named names_only = detail::named;
  Axis axis = none;
  bool keepdims = false;
};

/// Options of sum and prod; `.dtype` is the type of the result and of the accumulation.
struct SumOptions {
  detail::Named names_only = detail::named;
  Axis axis = none;
  std::optional<DType> dtype = std::nullopt;
  bool keepdims = false;
};

/// Options of var and std; the divisor is the number of elements less `.correction`.
struct VarianceOptions {
  detail::Named names_only = detail::named;
  Axis axis = none;
  double correction = 0.0;
  bool keepdims = false;
};

namespace detail {
/// What NumPy's users write, who then read what it is called here.
struct Ddof {
  Named names_only = named;
  Axis axis = none;
  double ddof = 0.0;
  bool keepdims = false;
};
}  // namespace detail

/// Options of softmax: the axes whose elements share one.
struct SoftmaxOptions {
  detail::Named names_only = detail::named;
  Axis axis = none;
};

/// Options of cumulative_sum and cumulative_prod: the axis, which may be left out for one dimension; `.dtype` is the
/// type of the result and of the accumulation; `.include_initial` puts the value for no elements before the first.
struct CumulativeOptions {
  detail::Named names_only = detail::named;
  Axis axis = none;
  std::optional<DType> dtype = std::nullopt;
  bool include_initial = false;
};

/// Options of cumulative_max and cumulative_min: the axis, which may be left out for one dimension.
struct CumulativeExtremeOptions {
  detail::Named names_only = detail::named;
  Axis axis = none;
};

/// Options of argmax and argmin: one axis, or none for the position in the flattened array.
struct ArgOptions {
  detail::Named names_only = detail::named;
  Axis axis = none;
  bool keepdims = false;
};

}  // namespace koine
