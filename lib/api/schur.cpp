// SPDX-License-Identifier: Apache-2.0
// Schur's form: checks, and the node.
#include "api/build.hpp"
#include "api/integers.hpp"
#include "api/matrices.hpp"

#include <koine/elementwise.hpp>
#include <koine/linalg_schur.hpp>
#include <koine/manipulation.hpp>
#include <koine/types.hpp>

#include <vector>

namespace koine::linalg {

SchurResult schur(const Array& x, const SchurOptions& options) {
  const base::NamedCall call("schur");
  const bool complex = api::choice(options.output, {"real", "complex"}, "schur", "output") == 1;
  api::require_square(x, "schur");
  const Array given = api::factorable(x, "schur");
  const Array all = complex ? astype(given, graph::complex_of(graph::real_part(given.dtype()))) : given;
  if (all.size() == 0) return {all, all};
  const std::vector<Array> results = api::results_of<graph::Op::schur>(all, {});
  return {results[0], results[1]};
}

}  // namespace koine::linalg
