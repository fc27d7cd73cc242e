// SPDX-License-Identifier: Apache-2.0
// What the kernels of reductions by ids share (scatter_reduce.cl, run_products.cl).
#pragma once

#include "device/traits.hpp"
#include "graph/node.hpp"
#include "runtime/fault.hpp"

#include <cstdint>
#include <limits>
#include <utility>

namespace koine::exec {

/// An id on the host: as in kernels, what is no int64 is the largest.
template <class T>
std::int64_t id_of(T id) {
  return std::in_range<std::int64_t>(id) ? static_cast<std::int64_t>(id) : std::numeric_limits<std::int64_t>::max();
}

/// The fault of an id that names no group.
runtime::FaultCause id_cause(const graph::ScatterReduceInfo& info);

/// Whether a single work-group brings so many values together with entries of an array, in place: real numbers, of
/// complex ones both parts.
bool updates_at_once(const DeviceTraits& traits, std::int64_t values);

}  // namespace koine::exec
