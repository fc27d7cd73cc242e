// SPDX-License-Identifier: Apache-2.0
// Filling in the expressions of the table of reductions.
#include "codegen/combine.hpp"

#include "base/dtypes.hpp"

namespace koine::codegen {
namespace {

/// The lowest and highest values of a type, as OpenCL C writes them.
std::string limit(DType type, bool lowest) {
  if (is_real_floating(type)) return lowest ? "(-INFINITY)" : "INFINITY";
  if (is_unsigned_integer(type) && lowest) return "0";
  return std::string(base::row_of(type).limits) + (lowest ? "_MIN" : "_MAX");
}

std::string typed(const graph::Expressions& expressions, DType type) {
  const char* text = graph::expression(expressions, type);
  std::string result;
  for (const char* c = text ? text : ""; *c; ++c) {
    if (*c != '$') {
      result += *c;
    } else if (*++c == 'T') {
      result += base::row_of(type).registers;
    } else {
      result += limit(type, *c == 'L');
    }
  }
  return result;
}

}  // namespace

Combine combine_of(graph::ReduceKind kind, DType type, const graph::CustomCode* custom) {
  if (custom) return {custom->function + "_identity()", custom->function + "_combine(a, b)"};
  const graph::ReductionInfo& row = graph::info(kind);
  return {typed(row.identity, type), typed(row.combine, type)};
}

std::string finish_of(graph::ReduceKind kind, const graph::CustomCode* custom) {
  return custom && custom->finishes ? custom->function + "_finish($0)" : graph::info(kind).finish;
}

std::string applied(std::string_view expression, std::string_view value) {
  std::string result;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    if (expression[i] != '$') {
      result += expression[i];
    } else {
      result.append("(").append(value).append(")");
      ++i;
    }
  }
  return result;
}

}  // namespace koine::codegen
