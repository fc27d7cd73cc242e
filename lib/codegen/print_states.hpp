// SPDX-License-Identifier: Apache-2.0
// The hooks of kernels/reduce_rows.cl and kernels/reduce_columns.cl that depend on what a reduction keeps of the values
// so far.
#pragma once

#include "codegen/reduce.hpp"

#include <string>
#include <vector>

namespace koine::codegen {

/// The line of what is reduced; of positions found by a pass before, that of the values.
std::size_t value_line(const ReducePass& pass);
DType value_type(const ReducePass& pass);

/// The arrays that a pass writes, in the order of the kernel's parameters, and the name of one there.
std::vector<Component> outputs_of(const ReducePass& pass);
std::string output_name(const Component& output);

/// x<k> of each load whose vectors a work-item has read before, for a vector of a row, or for a row of columns.
std::string steady_vectors(const ReducePass& pass, const ReduceWalk& walk, const Printer& printer);

/// The types of states and all hooks that depend on them, but for KN_PUT or KN_PUT_ALL of a pass with a finish.
std::string state_hooks(const ReducePass& pass, const ReduceWalk& walk, const Printer& printer);
/// KN_PUT, or KN_PUT_ALL, of a pass with a finish. The lines are those of vectors: of a single value, which each lane
/// has, the first lane is stored.
std::string finish_hook(const ReducePass& pass, const ReduceWalk& walk, const Body& finish, const Printer& printer);

}  // namespace koine::codegen
