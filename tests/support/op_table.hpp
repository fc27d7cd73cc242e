// SPDX-License-Identifier: Apache-2.0
// Runs every row of the op table for one element type, in one layout of its inputs, and compares with the references.
// A row without a reference does not compile.
#pragma once

#include "support/devices.hpp"
#include "support/values.hpp"

#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <functional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace koine::test {

// The table's own words, as types, so that they can be looked at while compiling.
namespace domain {
enum Domain { any, numeric, real, real_or_bool, floating, real_floating, integer, bits, logical };
}
namespace result {
enum Result { same, boolean, real };
}

/// The type that an operation computes in, given the type of its inputs; void where it does not take them.
template <domain::Domain D, class T>
constexpr auto compute_type() {
  constexpr bool whole = std::is_integral_v<T>, is_bool = std::is_same_v<T, bool>, complex = is_complex_float<T>;
  if constexpr (D == domain::logical) {
    return Tag<bool>{};
  } else if constexpr ((D == domain::numeric && is_bool) || (D == domain::real && (is_bool || complex)) ||
                       (D == domain::real_or_bool && complex) || (D == domain::real_floating && complex) ||
                       (D == domain::integer && (!whole || is_bool)) || (D == domain::bits && !whole)) {
    return Tag<void>{};
  } else if constexpr ((D == domain::floating || D == domain::real_floating) && whole) {
    return Tag<float>{};
  } else {
    return Tag<T>{};
  }
}

template <class T>
struct PartOf {
  using type = T;
};
template <class P>
struct PartOf<std::complex<P>> {
  using type = P;
};

template <result::Result R, class C>
using ResultType =
    std::conditional_t<R == result::boolean, bool, std::conditional_t<R == result::real, typename PartOf<C>::type, C>>;

enum class Layout { contiguous, reversed, transposed };

/// The same points in memory in another order, seen through a view that puts them right again.
template <class T>
Array laid_out(std::vector<T> values, Layout layout) {
  const std::size_t count = values.size();
  if (layout == Layout::contiguous) return asarray(values);
  if (layout == Layout::reversed) {
    std::vector<T> spread(2 * count);
    for (std::size_t i = 0; i < count; ++i) spread[2 * (count - i) - 1] = values[i];
    return asarray(spread)(slice(none, none, -2));
  }
  REQUIRE(count % 7 == 0);
  std::vector<T> turned(count);
  const std::size_t columns = count / 7;
  for (std::size_t i = 0; i < count; ++i) turned[i % columns * 7 + i / columns] = values[i];
  return asarray(turned, {columns, 7}).T();
}

template <class C, class T>
Wide<C> input_of(T x) {
  if constexpr (std::is_same_v<C, bool>) {
    return x != T(0);
  } else if constexpr (std::is_integral_v<T>) {
    return widened(static_cast<C>(x));
  } else {
    return widened(x);
  }
}

inline std::string shown(std::complex<long double> x) {
  std::ostringstream out;
  out.precision(21);
  if (x.imag() == 0 && !std::signbit(x.imag())) {
    out << x.real();
  } else {
    out << x;
  }
  return out.str();
}
inline std::string shown(std::int64_t x) { return std::to_string(x); }
inline std::string shown(std::uint64_t x) { return std::to_string(x); }
template <class T>
std::string shown(T x) {
  if constexpr (std::is_integral_v<T>) {
    return shown(static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(x));
  } else {
    return shown(std::complex<long double>(widened(x)));
  }
}

inline bool all_finite() { return true; }
template <class W, class... More>
bool all_finite(W x, More... more) {
  if constexpr (is_wide_complex<W>) {
    return std::isfinite(x.real()) && std::isfinite(x.imag()) && all_finite(more...);
  } else {
    return all_finite(more...);
  }
}

/// What a result may be off by, at the inputs x.
template <class R, class C, class... W>
Tolerance tolerance_at(std::string_view op, const Bound& bound, W... x) {
  Tolerance tolerance;
  if constexpr (is_complex_float<C>) {
    tolerance.ulps = bound.complex;
    // The elementary functions promise each part and the signs of zero; in these, parts may cancel.
    const bool elementary = op != "divide" && op != "reciprocal" && op != "pow" && op != "expm1";
    tolerance.by_part = elementary;
    tolerance.zero_sign = elementary && op != "sign";
    tolerance.one_infinity = op == "pow" || ((op == "divide" || op == "reciprocal") && !all_finite(x...));
    if constexpr (sizeof...(W) == 2) {
      // The angle of a power carries the error of w log z; there is nothing left to compare where that is a turn.
      if (op == "pow") {
        const auto size = [](auto z, auto w) { return std::abs(w * std::log(z)); }(x...);
        tolerance.ulps = std::isfinite(size) ? 16 + 8 * static_cast<double>(size) : 16;
        tolerance.any = tolerance.ulps * epsilon<typename C::value_type>() > 0.1L || !all_finite(x...);
      }
    }
  } else {
    tolerance.ulps = std::is_same_v<C, double> ? bound.twice : bound.single;
    if (is_small_float<C>) tolerance.ulps = std::min(tolerance.ulps, 1.0);
    tolerance.zero_sign = op != "maximum" && op != "minimum" && op != "sign";
    if constexpr (sizeof...(W) == 2 && is_real_float<C>) {
      // The sum of a number and a logarithm that may cancel.
      if (op == "logaddexp") {
        for (const long double size : {std::abs(x)...})
          tolerance.scale = std::max(tolerance.scale, std::isinf(size) ? 0 : size);
      }
    }
  }
  return tolerance;
}

/// Whether a result is right; R is its type, C the type computed in.
template <class R, class C, class F, class... W>
bool right(std::string_view op, const Bound& bound, const F& reference, R got, std::string* wanted, W... x) {
  const auto want = [&] {
    if constexpr (std::is_invocable_v<const F&, Tag<C>, W...>) {
      return reference(Tag<C>{}, x...);
    } else {
      return reference(x...);
    }
  }();
  bool ok = false;
  if constexpr (std::is_integral_v<R>) {
    ok = got == static_cast<R>(want);
  } else if constexpr (is_complex_float<R>) {
    const Tolerance tolerance = tolerance_at<R, C>(op, bound, x...);
    ok = tolerance.any || near<typename R::value_type>(widened(got), want, tolerance, all_finite(x...));
  } else {
    ok = near<R>(widened(got), want, tolerance_at<R, C>(op, bound, x...));
  }
  if (!ok) *wanted = shown(want);
  return ok;
}

/// What was wrong with a row's results; the first few in words.
struct Findings {
  std::size_t count = 0, wrong = 0;
  std::string words;

  void add(std::string_view op, const std::string& inputs, const std::string& got, const std::string& want) {
    if (++wrong <= 5) words.append(op).append("(" + inputs + ") = " + got + ", expected " + want + "\n");
  }
};

template <int Arity, class R, class C, class T, class F>
Findings compare(std::string_view op, const F& reference, const Points<T>& points, const Array& array) {
  const std::vector<R> got = array.to_vector<R>();
  const Bound bound = bound_of(op);
  Findings findings{got.size(), 0, {}};
  for (std::size_t i = 0; i < got.size() && i < points.x1.size(); ++i) {
    const T x1 = points.x1[i], x2 = points.x2[i];
    std::string want;
    if constexpr (Arity == 1) {
      if (!right<R, C>(op, bound, reference, R(got[i]), &want, input_of<C>(x1))) {
        findings.add(op, shown(x1), shown(R(got[i])), want);
      }
    } else {
      if (!right<R, C>(op, bound, reference, R(got[i]), &want, input_of<C>(x1), input_of<C>(x2))) {
        findings.add(op, shown(x1) + ", " + shown(x2), shown(R(got[i])), want);
      }
    }
  }
  return findings;
}

/// Rows that wait to be computed by one eval.
struct Batch {
  struct Row {
    std::string_view op;
    Array array;
    DType type;
    std::size_t count;
    std::function<Findings(const Array&)> compare;
  };
  std::vector<Row> rows;

  void run() {
    std::vector<const Array*> list;
    for (const Row& row : rows) list.push_back(&row.array);
    eval(std::span<const Array* const>(list));
    for (const Row& row : rows) {
      CAPTURE(row.op);
      REQUIRE(row.array.dtype() == row.type);
      const Findings findings = row.compare(row.array);
      CHECK(findings.count == row.count);
      CHECK_MESSAGE(findings.wrong == 0, findings.wrong, " are wrong:\n", findings.words);
    }
    rows.clear();
  }
};

inline void check_refused(std::string_view op, const std::function<void()>& call) {
  CAPTURE(op);
  CHECK_THROWS_AS(call(), DTypeError);
}

template <int Arity, domain::Domain D, result::Result R, class T, class F, class Function>
void add_row(std::string_view op, const F& reference, Function function, const Points<T>& points, const Array& x1,
             const Array& x2, Batch& batch) {
  const auto call = [function, &x1, &x2] {
    if constexpr (Arity == 1) {
      return function(x1);
    } else {
      return function(x1, x2);
    }
  };
  const auto add = [&]<class C>(Tag<C>) {
    if constexpr (std::is_void_v<C>) {
      check_refused(op, call);
    } else {
      using Out = ResultType<R, C>;
      batch.rows.push_back({op, call(), dtype_of<Out>, points.x1.size(), [op, &reference, &points](const Array& array) {
                              return compare<Arity, Out, C>(op, reference, points, array);
                            }});
    }
  };
  add(compute_type<D, T>());
}

/// Every row of the table for inputs of type T in one layout. Rows are computed a few to a kernel: that takes fewer of
/// them, and shows that results that share inputs come out right together.
template <class T>
void check_table(Layout layout) {
  on_each_device(dtype_of<T>, [&] {
    constexpr std::size_t together = 16;
    const Points<T> p = points<T>(3003);
    const Array x1 = laid_out(p.x1, layout), x2 = laid_out(p.x2, layout);
    Batch batch;
#define KN_OP(name, arity, takes, gives, ...)                                                             \
  add_row<arity, domain::takes, result::gives, T>(#name, reference::name, koine::name, p, x1, x2, batch); \
  if (batch.rows.size() == together) batch.run();
#include "graph/ops.def"
    batch.run();
  });
}

/// Contiguous inputs, and in the long run every layout.
template <class T>
void check_table() {
  check_table<T>(Layout::contiguous);
  if (!exhaustive()) return;
  check_table<T>(Layout::reversed);
  check_table<T>(Layout::transposed);
}

}  // namespace koine::test
