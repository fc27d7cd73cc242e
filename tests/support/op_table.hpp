// SPDX-License-Identifier: Apache-2.0
// Runs every row of the op table for one element type, in one layout of its inputs, and compares with the references.
// A row without a reference does not compile.
#pragma once

#include "support/allowances.hpp"
#include "support/devices.hpp"
#include "support/judge.hpp"
#include "support/values.hpp"

#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace koine::test {

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

/// What was wrong with a row's results; the first few in words.
struct Findings {
  std::size_t count = 0, wrong = 0;
  std::string words;

  void add(std::string_view op, const std::string& inputs, const std::string& got, const std::string& want) {
    if (++wrong <= 5) words.append(op).append("(" + inputs + ") = " + got + ", expected " + want + "\n");
  }
};

template <int Arity, class R, class C, class T, const auto& reference>
Findings compare(std::string_view op, const Points<T>& points, const Array& array) {
  const std::vector<R> got = array.to_vector<R>();
  Bound bound = bound_of(op);
  bound.flushes = may_flush(op, is_complex_float<C>);
  Findings findings{got.size(), 0, {}};
  if (is_sketched(op)) return findings;
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

/// Rows that wait to be computed by one eval. A row's functions are pointers: of std::function, which is a dozen
/// functions, there would be thousands to compile.
template <class T>
struct Batch {
  struct Row {
    std::string_view op;
    Array array;
    DType type;
    Findings (*compare)(std::string_view, const Points<T>&, const Array&);
  };
  const Points<T>& points;
  const Array x1, x2;
  std::vector<Row> rows = {};

  void run() {
    std::vector<const Array*> list;
    for (const Row& row : rows) list.push_back(&row.array);
    detail::eval_all(list);
    for (const Row& row : rows) {
      CAPTURE(row.op);
      REQUIRE(row.array.dtype() == row.type);
      const Findings findings = row.compare(row.op, points, row.array);
      CHECK(findings.count == points.x1.size());
      CHECK_MESSAGE(findings.wrong == 0, findings.wrong, " are wrong:\n", findings.words);
    }
    rows.clear();
  }
};

template <class Function>
Array called(Function function, const Array& x1, const Array& x2) {
  if constexpr (requires { function(x1, x2); }) {
    return function(x1, x2);
  } else {
    return function(x1);
  }
}

template <class Function>
void check_refused(std::string_view op, Function function, const Array& x1, const Array& x2) {
  CAPTURE(op);
  std::string message = "no error";
  try {
    called(function, x1, x2);
  } catch (const DTypeError& error) {
    message = error.what();
  }
  CHECK(message.rfind("[" + std::string(op) + "] does not take ", 0) == 0);
}

template <int Arity, domain::Domain D, result::Result R, const auto& reference, class T, class Function>
void add_row(std::string_view op, Function function, Batch<T>& batch) {
  using C = typename decltype(compute_type<D, T>())::type;
  if constexpr (std::is_void_v<C>) {
    check_refused(op, function, batch.x1, batch.x2);
  } else {
    using Out = ResultType<R, C>;
    batch.rows.push_back(
        {op, called(function, batch.x1, batch.x2), dtype_of<Out>, compare<Arity, Out, C, T, reference>});
  }
}

/// Whether a row of complex numbers has no form for vectors of them. A CPU's kernel computes these one at a time, and
/// whatever stands beside them.
constexpr bool is_computed_singly(std::string_view op) {
  for (const std::string_view single :
       {"acos", "acosh", "asin", "asinh", "atan", "atanh", "expm1", "log1p", "pow", "sign"}) {
    if (op == single) return true;
  }
  return false;
}

/// Every row of the table for inputs of type T in one layout. Rows are computed a few to a kernel: that takes fewer of
/// them, and shows that results that share inputs come out right together.
template <class T>
void check_table(Layout layout) {
  on_each_device(dtype_of<T>, [&] {
    constexpr std::size_t together = 16;
    const Points<T> p = points<T>(3003);
    Batch<T> batch{p, laid_out(p.x1, layout), laid_out(p.x2, layout)}, singles{p, batch.x1, batch.x2};
#define KN_OP(name, arity, takes, gives, ...)                                              \
  {                                                                                        \
    Batch<T>& to = is_complex_float<T> && is_computed_singly(#name) ? singles : batch;     \
    add_row<arity, domain::takes, result::gives, reference::name>(#name, koine::name, to); \
    if (to.rows.size() == together) to.run();                                              \
  }
#include "graph/ops.def"
    batch.run();
    singles.run();
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
