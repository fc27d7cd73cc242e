// SPDX-License-Identifier: Apache-2.0
// Doing a step on the calling thread: what the families share. Each has a HostRunner (exec/families.hpp) in a file of
// exec, which says what a step takes and prepares it.
#pragma once

#include "codegen/plan.hpp"
#include "exec/programs.hpp"
#include "host/body.hpp"
#include "runtime/queue.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace koine::exec {

/// A step of the host's, which outlives this.
struct HostRun {
  runtime::Queue& queue;
  codegen::Step& step;
  bool cold;                 ///< it takes the place of kernels that are not compiled yet
  std::uint64_t work = 0;    ///< elements by operations
  bool only_shared = false;  ///< more than one thread is to do alone
};

/// Of what threads share and go along memory for the host does so much, where it does `alone` of what one thread does:
/// then it takes the device as long.
constexpr std::uint64_t shared_host_work(std::uint64_t alone) { return 256 * alone; }

/// Whether so many multiplications of a matrix algorithm, four of which take as long as another operation, take the
/// calling thread no longer than a command of a queue.
inline bool multiplied_at_once(const DeviceTraits& traits, double multiplications) {
  return multiplications <= 4.0 * traits.tuning.host_step_work;
}

/// A position, or an id, that was found out of range, if one was, and the operation that takes by it.
using Astray = std::optional<host::Lines::Astray>;

/// Does `work()` in the memory of a step's operands and results, once nothing else is under way there. `name` is what a
/// kernel would be called.
void run_on_host(const HostRun& run, const std::function<std::string()>& name,
                 std::span<const graph::Destination> results, const std::function<Astray()>& work);

/// Whether nobody wants to be told of steps.
bool untold();

/// Counts what the calling thread does, and tells the log.
void log_on_host(const runtime::Queue& queue, const std::string& name, bool cold, std::int64_t elements);

/// Whether the host reaches a node's memory, which may be the result of a step before that the host does.
bool host_reads(const graph::Node& node);
/// The same of all that a step reads.
bool host_reads_inputs(const codegen::Step& step);

/// A ready node's elements in the host's memory.
template <class T>
const T* elements_of(const graph::Node& node) {
  return reinterpret_cast<const T*>(node.storage->host()) + node.layout.offset;
}
inline std::size_t count_of(const graph::Node& node) { return static_cast<std::size_t>(node.shape.elements()); }

/// New memory for a node's elements in row-major order.
graph::Destination new_result(runtime::Queue& queue, const graph::Node& node);

/// Of a step with one result in new memory, which `fill` writes.
Work prepare_result_on_host(const HostRun& run, std::function<Astray(std::byte*)> fill);

/// Whether threads share a body's elements and go along memory in vectors, so that they keep up with the device: few
/// operations on operands that lie as the results do, are single values, or are taken from one axis by positions.
bool goes_along_memory(const codegen::Body& body);

}  // namespace koine::exec
