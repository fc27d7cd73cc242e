// SPDX-License-Identifier: Apache-2.0
// What the table of reductions says of each.
#pragma once

#include "graph/ops.hpp"

#include <cstdint>
#include <string_view>

namespace koine::graph {

enum class ReduceKind : std::uint8_t {
#define KN_REDUCTION(name, ...) name,
#include "graph/reductions.def"
};

inline constexpr ReduceKind reductions[] = {
#define KN_REDUCTION(name, ...) ReduceKind::name,
#include "graph/reductions.def"
};

/// What is kept of the values that were combined.
enum class State : std::uint8_t {
  value,
  position,      // a value and its position among the elements
  moments,       // kernels/common/moments.clh
  exponentials,  // kernels/common/exponentials.clh
};

enum class Gives : std::uint8_t {
  boolean,
  count,     // int64, of bool_
  floating,  // the same type, the default floating one for integers
  position,  // int64
  same,
  sum,  // the same type, int64 or uint64 for integers
};

struct ReductionInfo {
  std::string_view name;
  Domain domain;
  Gives gives;
  std::string_view doc;
  State state = State::value;
  Expressions identity = {}, combine = {};
  const char* map = "$0";
  const char* finish = "$0";
  double nothing = 0;
  std::string_view scan = "";
  bool is_public = true;

  bool maps() const { return std::string_view(map) != "$0"; }
  /// Whether the last step of the last pass is one that no other pass takes.
  bool finishes() const { return std::string_view(finish) != "$0"; }
  /// Whether it takes `divisor` and `scale`.
  bool has_constants() const { return std::string_view(finish).find("divisor") != std::string_view::npos; }
};

/// The table's row of a reduction.
const ReductionInfo& info(ReduceKind kind);

}  // namespace koine::graph
