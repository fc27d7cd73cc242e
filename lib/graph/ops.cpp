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

bool is_comparison(Op op) {
  return in_table(op) && info(op).arity == 2 && info(op).result == Result::boolean &&
         info(op).domain != Domain::logical;
}

std::string_view name(Op op) {
  if (in_table(op)) return info(op).name;
  switch (op) {
    case Op::cast: return "astype";
    case Op::where: return "where";
    case Op::constant: return "constant";
    case Op::iota: return "iota";
    case Op::view: return "view";
    case Op::reduce: return "reduce";
    case Op::scan: return "scan";
    case Op::softmax: return "softmax";
    case Op::matmul: return "matmul";
    case Op::random: return "random";
    case Op::take: return "take";
    case Op::scatter: return "scatter";
    case Op::sort: return "sort";
    case Op::search: return "searchsorted";
    default: return "leaf";
  }
}

}  // namespace koine::graph
