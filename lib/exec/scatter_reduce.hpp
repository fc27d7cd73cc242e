// SPDX-License-Identifier: Apache-2.0
// What the kernels of reductions by ids share (scatter_reduce.cl, run_products.cl).
#pragma once

#include "device/traits.hpp"
#include "graph/node.hpp"
#include "runtime/fault.hpp"

#include <cstdint>

namespace koine::exec {

/// The fault of an id that names no group.
runtime::FaultCause id_cause(const graph::ScatterReduceInfo& info);

/// Whether a single work-group brings so many values together with entries of an array, in place: real numbers, of
/// complex ones both parts.
bool updates_at_once(const DeviceTraits& traits, std::int64_t values);

}  // namespace koine::exec
