// SPDX-License-Identifier: Apache-2.0
// Computing pending nodes: plan, allocate, launch, record the results.
#pragma once

#include "graph/node.hpp"
#include "runtime/queue.hpp"

#include <span>

namespace koine::exec {

/// Where a node's work goes: the queue that its thread had chosen when it was built, or its context's own.
runtime::Queue& queue_of(const graph::Node& node);

/// Makes every root ready; does not wait for the device. Roots may live on different devices. What failed stays pending
/// and may be tried again.
void evaluate(std::span<const graph::NodeRef> roots);
void evaluate(const graph::NodeRef& root);
/// The same of what the calling thread makes at once, without a plan and without waiting for anybody. Whether it is
/// ready.
bool evaluate_at_once(const graph::NodeRef& root);

/// Called for each new node: submits the older half of pending work that has passed the limits on it, which are on
/// nodes and on memory kept alive (pending.cpp).
void bound_pending(const graph::NodeRef& root);

/// Writes `value`, which broadcasts to `shape` and has the target's type, to the part of `target` that `map` names: in
/// place where nobody else holds the memory and it is not borrowed, else `target` becomes a copy first. `place` is
/// where this is done. If it throws, `target` is as before.
void assign(graph::NodeRef& target, const graph::ViewMap& map, const Shape& shape, graph::NodeRef value,
            graph::Place place);

/// The same of a number, to a part of a target that is in memory, where that is a small step of the host's, which is
/// told more quickly than it is to make a node of the number. Whether it was done.
bool assign_number(const graph::NodeRef& target, const graph::Layout& part, const graph::ConstantValue& value,
                   const graph::Place& place);

/// Puts `value`, of the target's type, where positions along an axis of the target say, of equal ones the last, where
/// both are in memory and that is a small step of the host's. Whether it was done: not where a position is out of
/// range.
bool assign_at(const graph::NodeRef& target, std::size_t axis, const graph::NodeRef& positions,
               const graph::NodeRef& value, const graph::Place& place);

/// Adds `value`, of the target's type, to the elements of a target of one axis where positions say that differ from
/// each other, likewise. Whether it was done: only where an addition has the bits of the exact sum that others give.
bool add_at(const graph::NodeRef& target, const graph::NodeRef& positions, const graph::NodeRef& value,
            const graph::Place& place);

/// A part of an array, and what it is to be: of the array's type, or one that is cast to it, and broadcasting to
/// `shape`.
struct Part {
  graph::ViewMap map;
  Shape shape;
  graph::NodeRef value;
};
/// Writes the parts, which do not overlap, of an array that nobody has read yet; those of one shape by one kernel.
void write_parts(const graph::NodeRef& target, std::span<const Part> parts);

/// A ready node with the same values in row-major order without gaps: the node itself where it is so already.
graph::NodeRef row_major(const graph::NodeRef& node);

}  // namespace koine::exec
