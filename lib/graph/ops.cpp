// SPDX-License-Identifier: Apache-2.0
// The table of element-wise operations as data.
#include "graph/ops.hpp"

#include <iterator>

namespace koine::graph {
namespace {

constexpr OpInfo rows[] = {
#define KN_OP(name, arity, domain, result, cost, doc, ...) \
  {#name, arity, Domain::domain, Result::result, cost, doc, {__VA_ARGS__}},
#include "graph/ops.def"
};
static_assert(std::size(rows) == table_size);

}  // namespace

const OpInfo& info(Op op) { return rows[static_cast<int>(op)]; }

const char* expression(const Expressions& expressions, DType type) {
  if (is_bool(type)) return expressions.b;
  if (is_signed_integer(type)) return expressions.i;
  if (is_unsigned_integer(type)) return expressions.u;
  return is_complex(type) ? expressions.c : expressions.f;
}

bool is_exact(const OpInfo& row, DType type) {
  if (is_complex(type)) return row.expressions.approximate.find('c') == std::string_view::npos;
  return !is_real_floating(type) || row.expressions.approximate.find('f') == std::string_view::npos;
}

const OwnExpression& own_expression(const OpInfo& row, DType type) {
  static constexpr OwnExpression none;
  if (is_integer(type)) return row.expressions.own_i;
  return is_real_floating(type) ? row.expressions.own_f : none;
}

bool is_comparison(Op op) {
  return in_table(op) && info(op).arity == 2 && info(op).result == Result::boolean &&
         info(op).domain != Domain::logical;
}

std::string_view name(Op op) {
  constexpr std::string_view names[] = {
#define KN_INLINE(name, ...) #name,
#define KN_FAMILY(name, ...) #name,
#include "graph/families.def"
  };
  return in_table(op) ? info(op).name : names[static_cast<int>(op) - table_size];
}

}  // namespace koine::graph
