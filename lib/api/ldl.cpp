// SPDX-License-Identifier: Apache-2.0
// Factors of symmetric and Hermitian matrices: checks, and upper triangles as lower ones.
#include "api/build.hpp"
#include "api/matrices.hpp"

#include <koine/creation.hpp>
#include <koine/elementwise.hpp>
#include <koine/linalg_ldl.hpp>
#include <koine/manipulation.hpp>
#include <koine/types.hpp>

#include <cstdint>
#include <vector>

namespace koine::linalg {

LdlResult ldl(const Array& x, const LdlOptions& options) {
  const base::NamedCall call("ldl");
  api::require_square(x, "ldl");
  const Array all = api::factorable(x, "ldl");
  const std::int64_t n = x.shape(-1);
  if (all.size() == 0) {
    return {all, all,
            zeros(Shape(std::vector(x.shape().begin(), x.shape().end() - 1)), {.dtype = int64, .device = x.device()})};
  }
  const Array lower = options.lower ? all : flip(all, {-2, -1});
  const std::vector<Array> results = api::results_of<graph::Op::ldl>(lower, {options.hermitian});
  if (options.lower) return {results[0], results[1], results[2]};
  return {flip(results[0], {-2, -1}), flip(results[1], {-2, -1}), n - 1 - flip(results[2], -1)};
}

}  // namespace koine::linalg
