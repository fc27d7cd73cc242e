// SPDX-License-Identifier: Apache-2.0
// The op table's rows for one type: included by the files that share the types out, as all of them are much to compile.
#pragma once

#include "check.hpp"
#include "support/judge.hpp"

namespace koine::fuzz {

template <int Arity, class R, class C, class F>
Verdict check_elements(std::string_view op, const F& reference, const Plain& got, const Plain& x1, const Plain* x2) {
  const test::Bound bound = test::bound_of(op);
  for (std::size_t i = 0, count = got.count(); i < count; ++i) {
    const R result = got.at<R>(i);
    const C a = x1.at<C>(i);
    std::string want;
    bool right;
    if constexpr (Arity == 1) {
      right = test::right<R, C>(op, bound, reference, result, &want, test::input_of<C>(a));
    } else {
      right =
          test::right<R, C>(op, bound, reference, result, &want, test::input_of<C>(a), test::input_of<C>(x2->at<C>(i)));
    }
    if (right) continue;
    return {std::string(op) + "(" + test::shown(a) + (Arity == 2 ? ", " + element_text(*x2, i) : "") + ") of element " +
            std::to_string(i) + " is " + test::shown(result) + ", expected " + want};
  }
  return {};
}

template <int Arity, test::domain::Domain D, test::result::Result R, class C, class F>
Verdict check_named(std::string_view op, const F& reference, const Plain& got, const Plain& x1, const Plain* x2) {
  if constexpr (std::is_same_v<decltype(test::compute_type<D, C>()), test::Tag<C>>) {
    using Out = test::ResultType<R, C>;
    if (got.type != dtype_of<Out>) return {std::string(op) + " gave " + std::string(name(got.type))};
    return check_elements<Arity, Out, C>(op, reference, got, x1, x2);
  } else {
    return {std::string(op) + " took a type that it does not take"};
  }
}

template <class C>
Verdict check_row(std::size_t row, const Plain& got, const Plain& x1, const Plain* x2) {
  std::size_t index = 0;
#define KN_OP(name, arity, takes, gives, ...) \
  if (index++ == row)                         \
    return check_named<arity, test::domain::takes, test::result::gives, C>(#name, test::reference::name, got, x1, x2);
#include "graph/ops.def"
  return {"no such row"};
}

}  // namespace koine::fuzz
