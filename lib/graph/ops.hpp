// SPDX-License-Identifier: Apache-2.0
// What a node can be, and what the table of element-wise operations says of each.
#pragma once

#include <koine/dtype.hpp>

#include <cstdint>
#include <string_view>

namespace koine::graph {

enum class Op : std::uint8_t {
// element-wise, in the table's order
#define KN_OP(name, ...) name,
#include "graph/ops.def"
  // element-wise, with rules of their own
  cast,
  where,
  // sources inside a kernel
  constant,
  iota,  // the position in row-major order, an int64
  // no arithmetic
  view,
  // kernels of their own
  reduce,
  scan,
  softmax,  // of rows short enough, and logsumexp
  matmul,
  random,
  take,
  scatter,
  sort,
  search,
  // what memory holds
  leaf,
};

inline constexpr int table_size = static_cast<int>(Op::cast);
inline bool in_table(Op op) { return op < Op::cast; }
inline bool is_elementwise(Op op) { return op <= Op::where; }
/// Two elements in, whether they stand in an order or are equal out.
bool is_comparison(Op op);
/// Computed where it is needed inside a kernel, so never worth storing.
inline bool is_source(Op op) { return op == Op::constant || op == Op::iota; }

enum class Domain : std::uint8_t {
  any,
  numeric,  // every type but bool_
  real,     // integers and real floating
  real_or_bool,
  floating,       // real and complex floating; integers and bool_ become float32
  real_floating,  // likewise, without complex
  integer,
  bits,     // integers and bool_
  logical,  // every type, read as "is not zero"
};

enum class Result : std::uint8_t { same, boolean, real };

/// OpenCL C for each kind of type; null where the operation does not take it.
struct Expressions {
  const char* b = nullptr;
  const char* i = nullptr;
  const char* u = nullptr;
  const char* f = nullptr;
  const char* c = nullptr;
  std::string_view approximate = "";  ///< of "fc": the kinds of which devices may give different bits
};

struct OpInfo {
  std::string_view name;
  int arity;
  Domain domain;
  Result result;
  int cost;
  std::string_view doc;
  Expressions expressions;
};

/// The table's row of an operation; in_table(op) holds.
const OpInfo& info(Op op);
/// The expression for inputs of `type`.
const char* expression(const Expressions& expressions, DType type);
inline const char* expression(const OpInfo& row, DType type) { return expression(row.expressions, type); }
/// Whether every device gives the same bits for inputs of `type` (koine::reproducible says how far).
bool is_exact(const OpInfo& row, DType type);
/// A word for any operation, for messages and listings.
std::string_view name(Op op);

}  // namespace koine::graph
