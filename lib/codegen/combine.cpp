// SPDX-License-Identifier: Apache-2.0
// Identities and combinations of the kinds of reductions.
#include "codegen/combine.hpp"

#include "codegen/print.hpp"

namespace koine::codegen {

using graph::ReduceKind;

namespace {

/// The lowest and highest values of a type, as OpenCL C writes them.
std::string limit(DType type, bool lowest) {
  if (is_real_floating(type)) return lowest ? "(-INFINITY)" : "INFINITY";
  if (is_unsigned_integer(type) && lowest) return "0";
  constexpr std::string_view names[] = {"", "CHAR", "SHRT", "INT", "LONG", "UCHAR", "USHRT", "UINT", "ULONG"};
  return std::string(names[static_cast<int>(type)]) + (lowest ? "_MIN" : "_MAX");
}

}  // namespace

Combine combine_of(ReduceKind kind, DType type) {
  const std::string element(register_type(type));
  switch (kind) {
    case ReduceKind::sum: return {"0", "(a) + (b)"};
    case ReduceKind::count_nonzero: return {"0", "(a) + (b)"};
    case ReduceKind::prod:
      if (is_complex(type)) return {"(" + element + ")(1, 0)", "kn_c_multiply_" + element + "(a, b)"};
      return {"1", "(a) * (b)"};
    case ReduceKind::any: return {"0", "(a) | (b)"};
    case ReduceKind::all: return {"1", "(a) & (b)"};
    case ReduceKind::max:
      if (is_bool(type)) return combine_of(ReduceKind::any, type);
      if (is_integer(type)) return {limit(type, true), "max(a, b)"};
      return {limit(type, true), "((isnan(a) | ((a) > (b))) ? (a) : (b))"};
    case ReduceKind::min:
      if (is_bool(type)) return combine_of(ReduceKind::all, type);
      if (is_integer(type)) return {limit(type, false), "min(a, b)"};
      return {limit(type, false), "((isnan(a) | ((a) < (b))) ? (a) : (b))"};
    default: return {};
  }
}

}  // namespace koine::codegen
