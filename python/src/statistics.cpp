// SPDX-License-Identifier: Apache-2.0
// Reductions, scans, quantiles, counts and differences.
#include "module.hpp"

#include "waiting.hpp"

namespace koine::python {
namespace {

constexpr const char* reduction = "(x, /, axis=None, *, keepdims=False)";
constexpr const char* summation = "(x, /, axis=None, *, dtype=None, keepdims=False)";
constexpr const char* average = "(x, /, axis=None, *, dtype=None, keepdims=False)";
// NumPy's name of the correction is ddof.
constexpr const char* variance = "(x, /, axis=None, *, correction=0.0, keepdims=False, ddof=None, dtype=None)";
constexpr const char* cumulation = "(x, /, axis=None, *, dtype=None, include_initial=False)";

ReductionOptions reduction_options(const Arguments& a) { return {.axis = a.axis(1), .keepdims = a.flag(2, false)}; }
SumOptions sum_options(const Arguments& a) {
  return {.axis = a.axis(1), .dtype = a.dtype(2), .keepdims = a.flag(3, false)};
}
VarianceOptions variance_options(const Arguments& a) {
  return {.axis = a.axis(1), .correction = a.real(4, a.real(2, 0.0)), .keepdims = a.flag(3, false)};
}
CumulativeOptions cumulative_options(const Arguments& a) {
  return {.axis = a.axis(1), .dtype = a.dtype(2), .include_initial = a.flag(3, false)};
}

/// x in the type that a mean or a variance is to be computed in, which NumPy calls dtype.
Operand computed_in(const Arguments& a, std::size_t dtype) {
  const auto type = a.dtype(dtype);
  return type ? Operand(astype(a.array(0), *type)) : a.operand(0);
}

template <class F>
void bind_reduction(nb::module_& m, const char* name, F) {
  function(m, name, reduction, [](const Arguments& a) { return F{}(a.operand(0), reduction_options(a)); });
}

/// `of` is quantile or percentile; q is a number or a list of them.
template <class F>
Array quantile_of(const Arguments& a, F of) {
  const Operand x = a.operand(0);
  const ReductionOptions options = {.axis = a.axis(2), .keepdims = a.flag(3, false)};
  if (PyTuple_Check(a[1].ptr()) || PyList_Check(a[1].ptr())) {
    return of(x, a.reals(1), options);
  }
  if (is_array(a[1]) && a.array(1).ndim() == 1) {
    const Array q = a.array(1);
    return of(x, once_ready(q, [&] { return q.to_vector<double>(); }), options);
  }
  return of(x, a.real(1), options);
}

}  // namespace

void bind_statistics(nb::module_& m) {
#define KN_REDUCTION(name) \
  bind_reduction(m, #name, \
                 [](Operand x, const ReductionOptions& options) { return koine::name(std::move(x), options); })
  KN_REDUCTION(max);
  KN_REDUCTION(min);
  KN_REDUCTION(any);
  KN_REDUCTION(all);
  KN_REDUCTION(logsumexp);
  KN_REDUCTION(median);
  KN_REDUCTION(nanmax);
  KN_REDUCTION(nanmin);
#undef KN_REDUCTION
  function(m, "nanargmax", reduction, [](const Arguments& a) {
    return nanargmax(a.operand(0), {.axis = a.axis(1), .keepdims = a.flag(2, false)});
  });
  function(m, "nanargmin", reduction, [](const Arguments& a) {
    return nanargmin(a.operand(0), {.axis = a.axis(1), .keepdims = a.flag(2, false)});
  });
  function(m, "mean", average, [](const Arguments& a) {
    return mean(computed_in(a, 2), {.axis = a.axis(1), .keepdims = a.flag(3, false)});
  });
  function(m, "nanmean", average, [](const Arguments& a) {
    return nanmean(computed_in(a, 2), {.axis = a.axis(1), .keepdims = a.flag(3, false)});
  });
  function(m, "sum", summation, [](const Arguments& a) { return sum(a.operand(0), sum_options(a)); });
  function(m, "prod", summation, [](const Arguments& a) { return prod(a.operand(0), sum_options(a)); });
  function(m, "nansum", summation, [](const Arguments& a) { return nansum(a.operand(0), sum_options(a)); });
  function(m, "nanprod", summation, [](const Arguments& a) { return nanprod(a.operand(0), sum_options(a)); });
  function(m, "var", variance, [](const Arguments& a) { return var(computed_in(a, 5), variance_options(a)); });
  function(m, "std", variance, [](const Arguments& a) { return koine::std(computed_in(a, 5), variance_options(a)); });
  function(m, "nanvar", variance, [](const Arguments& a) { return nanvar(computed_in(a, 5), variance_options(a)); });
  function(m, "nanstd", variance, [](const Arguments& a) { return nanstd(computed_in(a, 5), variance_options(a)); });
  function(m, "cumulative_sum", cumulation,
           [](const Arguments& a) { return cumulative_sum(a.operand(0), cumulative_options(a)); });
  function(m, "cumulative_prod", cumulation,
           [](const Arguments& a) { return cumulative_prod(a.operand(0), cumulative_options(a)); });
  function(m, "cumulative_max", "(x, /, axis=None)",
           [](const Arguments& a) { return cumulative_max(a.operand(0), {.axis = a.axis(1)}); });
  function(m, "cumulative_min", "(x, /, axis=None)",
           [](const Arguments& a) { return cumulative_min(a.operand(0), {.axis = a.axis(1)}); });
  function(m, "softmax", "(x, /, axis=None)",
           [](const Arguments& a) { return softmax(a.operand(0), {.axis = a.axis(1)}); });
  function(m, "quantile", "(x, q, /, axis=None, *, keepdims=False)", [](const Arguments& a) {
    return quantile_of(a, [](const Operand& x, const auto& q, const ReductionOptions& o) { return quantile(x, q, o); });
  });
  function(m, "percentile", "(x, q, /, axis=None, *, keepdims=False)", [](const Arguments& a) {
    return quantile_of(a,
                       [](const Operand& x, const auto& q, const ReductionOptions& o) { return percentile(x, q, o); });
  });
  function(m, "diff", "(x, /, n=1, axis=-1, *, prepend=None, append=None)", [](const Arguments& a) {
    return diff(
        a.operand(0),
        {.axis = a.integer(2, -1), .n = a.integer(1, 1), .prepend = a.maybe_operand(3), .append = a.maybe_operand(4)});
  });
  function(m, "bincount", "(x, /, weights=None, minlength=0)", [](const Arguments& a) {
    const Array x = a.array(0);
    const BincountOptions options = {.weights = a.maybe_array(1), .minlength = a.integer(2, 0)};
    return when_ready(x, [&] { return bincount(x, options); });
  });
  function(m, "_histogram", "(x, /, bins=10, range=None)", [](const Arguments& a) {
    const Array x = a.array(0);
    const auto both = [](const HistogramResult& result) { return std::vector<Array>{result.counts, result.edges}; };
    if (a.given(1) && is_array(a[1])) {
      const Array edges = a.array(1);
      return both(when_ready(edges, [&] { return histogram(x, edges); }));
    }
    if (a.given(1) && !read_integer(a[1])) a.refuse(1, "a number of bins, or an array of their edges");
    HistogramOptions options = {.bins = a.integer(1, 10)};
    if (a.given(2)) {
      const std::vector<double> ends = a.reals(2);
      if (ends.size() != 2) a.refuse(2, "the two ends, a pair of numbers");
      options.range = {ends[0], ends[1]};
    }
    const auto counted = [&] { return histogram(x, options); };
    return both(options.range ? without_gil(counted) : when_ready(x, counted));
  });
}

}  // namespace koine::python
