// SPDX-License-Identifier: Apache-2.0
// Small results that the calling thread computes at the call from arrays that are in memory: of functions that are made
// of many nodes, as building them would take many times as long, and numbers, which need no memory.
#pragma once

#include "graph/node.hpp"

#include <koine/array.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
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

/// What an operation of the table, which computes in `type` and gives `result`, makes of numbers and of arrays of one
/// element; nothing where it is not computed at once.
std::optional<graph::ConstantValue> number_at_once(graph::Op op, DType type, DType result, const graph::Place& place,
                                                   std::initializer_list<const Operand*> operands);

}  // namespace koine::exec
