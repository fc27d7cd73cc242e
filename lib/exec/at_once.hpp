// SPDX-License-Identifier: Apache-2.0
// Small results of functions that are made of many nodes, which the calling thread computes at the call from arrays
// that are in memory: building the nodes would take many times as long.
#pragma once

#include "graph/node.hpp"

#include <cstdint>
#include <span>

namespace koine::exec {

/// The piecewise linear function through the points at some positions; null where it is not computed at once. All are
/// of one type, of which the result is too: float32 or float64.
graph::NodeRef interpolated_at_once(const graph::Node& at, const graph::Node& points, const graph::Node& heights,
                                    const graph::Place& place);

/// Element k is the sum over i of x[k + i - before] times y[i], of x with zeros around it, for `results` of them; null
/// where it is not computed at once. Both have one axis and are of one type.
graph::NodeRef slid_at_once(const graph::Node& x, const graph::Node& y, std::int64_t before, std::int64_t results,
                            const graph::Place& place);

/// How often each number from 0 to below `count` is among `values`, those of the node, as int64; null where it is not
/// computed at once.
graph::NodeRef counted_at_once(const graph::Node& node, std::span<const std::int64_t> values, std::int64_t count,
                               const graph::Place& place);

}  // namespace koine::exec
