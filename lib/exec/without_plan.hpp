// SPDX-License-Identifier: Apache-2.0
// Small results that the calling thread makes at once, since planning them would take most of the time.
#pragma once

#include "graph/node.hpp"
#include "runtime/context.hpp"

#include <memory>

namespace koine::exec {

/// Makes an array of one number, a copy, or the results of one element-wise operation or of a reduction in integers on
/// what is in memory, where that is a small step of the host's and nobody wants to be told of steps. Under the
/// evaluation mutex. Whether it did.
bool made_without_plan(const runtime::Context& context, graph::Node& node);

/// The same of few results of an element-wise operation, which become a part of memory that is there: written there,
/// where the operation may read them at the same places. Whether it did.
bool made_in_place(runtime::Queue& queue, graph::Node& node, const std::shared_ptr<runtime::Buffer>& memory,
                   const graph::Layout& part);

}  // namespace koine::exec
