// SPDX-License-Identifier: Apache-2.0
// The text of custom operations in kernels.
#pragma once

#include "codegen/body.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace koine::codegen {

/// An earlier line of the same loop whose call gives the value of line k, one of a custom operation, too: another of
/// its results, or the same one.
std::optional<std::size_t> shared_call(const Body& body, std::size_t k);

/// The head of a loop over the `width` elements of vectors, which calls a function of single elements. A CPU's compiler
/// would unroll it before it looks for vectors in it, and find few.
std::string loop_over_lanes(int width, bool cpu);

/// Definitions of all custom operations of a body, and of `fold`, which takes its values; those of folds for vectors of
/// `width` elements and their halves, too, element by element.
std::string custom_functions(const Body& body, int width, bool cpu, const graph::CustomCode* fold = nullptr);

/// What tells a custom operation from others, for a spec or a key.
template <class Visit>
void visit_digest(Visit& v, const graph::CustomCode& code) {
  for (const std::uint64_t word : code.digest) v.shape("digest", word);
}

}  // namespace koine::codegen
