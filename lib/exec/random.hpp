// SPDX-License-Identifier: Apache-2.0
// Random numbers on a device: kernels/random.cl and kernels/rejection.cl.
#pragma once

#include "graph/node.hpp"
#include "runtime/context.hpp"

#include <koine/dtype.hpp>

#include <cstdint>

namespace koine::exec {

/// Writes `count` numbers of type `dtype`, which `info.kind` must be able to draw, to the front of `out`.
void run_random(runtime::Queue& queue, const graph::RandomInfo& info, DType dtype, std::int64_t count,
                runtime::Buffer& out);

}  // namespace koine::exec
