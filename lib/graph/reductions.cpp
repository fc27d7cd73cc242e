// SPDX-License-Identifier: Apache-2.0
// The table of reductions as data.
#include "graph/reductions.hpp"

#include <cmath>

namespace koine::graph {
namespace {

constexpr ReductionInfo rows[] = {
#define KN_ROW(row_name, takes, result, sentence, ...) \
  {                                                    \
    .name = #row_name, .domain = Domain::takes, .gives = Gives::result, .doc = sentence, __VA_ARGS__
#define KN_REDUCTION(...) \
  KN_ROW(__VA_ARGS__)     \
  }                       \
  ,
#define KN_REDUCTION_STEP(...)            \
  KN_ROW(__VA_ARGS__), .is_public = false \
  }                                       \
  ,
#include "graph/reductions.def"
};

}  // namespace

const ReductionInfo& info(ReduceKind kind) { return rows[static_cast<int>(kind)]; }

}  // namespace koine::graph
