// SPDX-License-Identifier: Apache-2.0
// The compaction engine: what a mask keeps. How much that is the host must know, so each call waits for the device.
#pragma once

#include "graph/node.hpp"

#include <string_view>

namespace koine::exec {

/// The positions in the flattened mask, a bool_ array, that are true, in rising order: int64, of one axis.
graph::NodeRef positions_of(const graph::NodeRef& mask, std::string_view function);
/// The elements of x, of the mask's shape, where the mask is true, in row-major order: of one axis.
graph::NodeRef compact(const graph::NodeRef& x, const graph::NodeRef& mask, std::string_view function);

}  // namespace koine::exec
