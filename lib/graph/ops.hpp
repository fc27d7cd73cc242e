// SPDX-License-Identifier: Apache-2.0
// What a node can be, and what the table of element-wise operations says of each.
#pragma once

#include <koine/dtype.hpp>

#include <cstdint>
#include <string_view>

namespace koine::graph {

enum class Op : std::uint8_t {
#define KN_OP(name, ...) name,
#include "graph/ops.def"
#define KN_INLINE(name, ...) name,
#define KN_FAMILY(name, ...) name,
#include "graph/families.def"
};

/// What the planner has to know of a family: what element i of a result is, and what can be computed together with it.
enum class Role : std::uint8_t {
  source,       // a function of i alone: computed wherever it is read
  pointwise,    // straight-line code of the inputs at i
  movement,     // an element of an input, at a position that follows from i
  fold,         // a loop along axes over an expression, which its kernel computes on the way
  contraction,  // sums of products
  opaque,       // kernels of its own, over inputs in memory
  result,       // one of several that its input, an opaque operation, computes together
  memory,       // what has been computed
};

inline constexpr int table_size = 0
#define KN_OP(...) +1
#include "graph/ops.def"
    ;
inline constexpr bool in_table(Op op) { return static_cast<int>(op) < table_size; }
namespace detail {
// No local of role(), which would be written to the stack by each call.
inline constexpr Role roles[] = {
#define KN_INLINE(name, role, ...) Role::role,
#define KN_FAMILY(name, role, ...) Role::role,
#include "graph/families.def"
};
}  // namespace detail
inline constexpr Role role(Op op) {
  return in_table(op) ? Role::pointwise : detail::roles[static_cast<int>(op) - table_size];
}
inline bool is_elementwise(Op op) { return role(op) == Role::pointwise; }
/// Computed where it is needed inside a kernel, so never worth storing.
inline bool is_source(Op op) { return role(op) == Role::source; }
/// Runs kernels of its own, whose results are stored.
inline bool has_own_kernel(Op op) {
  const Role own = role(op);
  return own == Role::fold || own == Role::contraction || own == Role::opaque;
}
/// Two elements in, whether they stand in an order or are equal out.
bool is_comparison(Op op);
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

/// An expression by a function of Koine's own, and the file of kernels where that function stands.
struct OwnExpression {
  const char* text = nullptr;
  const char* file = "";
};

/// OpenCL C for each kind of type; null where the operation does not take it.
struct Expressions {
  const char* b = nullptr;
  const char* i = nullptr;
  const char* u = nullptr;
  const char* f = nullptr;
  const char* c = nullptr;
  const char* c_file = "";            ///< where the function of complex numbers stands, a file of kernels
  std::string_view approximate = "";  ///< of "fc": the kinds of which devices may give different bits
  OwnExpression own_f = {};           ///< of real numbers, with the same bits everywhere
  OwnExpression own_i = {};           ///< of integers, for devices that divide and multiply vectors of them one by one
  bool fast_double = false;           ///< of float64 own_f is shorter than what drivers of cards have
  const char* pairs = nullptr;        ///< of vectors of complex numbers, which are pairs of vectors of their parts
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
/// The expression by Koine's own function; its text is null where there is none, since the other has the same bits
/// everywhere, or none promises them.
const OwnExpression& own_expression(const OpInfo& row, DType type);
/// The name of a row or of a family, for messages and listings.
std::string_view name(Op op);

}  // namespace koine::graph
