// SPDX-License-Identifier: Apache-2.0
// The scan engine: running sums, products and extremes along an axis.
#pragma once

#include "codegen/body.hpp"
#include "runtime/queue.hpp"

#include <cstddef>

namespace koine::exec {

/// The inclusive scan of a body's value along `axis` of its domain, which has elements: new memory in row-major order.
/// The order of operations follows from the shape and the type alone (codegen/scan.hpp).
runtime::BufferRef scan(runtime::Queue& queue, const codegen::Body& body, graph::ReduceKind kind, std::size_t axis,
                        DType result);

}  // namespace koine::exec
