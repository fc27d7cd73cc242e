// SPDX-License-Identifier: Apache-2.0
// Running one planned kernel: what the families of kernels share.
#pragma once

#include "codegen/plan.hpp"
#include "codegen/print.hpp"
#include "codegen/print_walk.hpp"
#include "exec/programs.hpp"
#include "runtime/context.hpp"
#include "runtime/launch.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace koine::exec {

/// A body that reads arrays in memory, of that shape, as they are; its output is the first.
codegen::Body stored_body(const std::vector<graph::NodeRef>& arrays, const Shape& shape, graph::Node* node);

/// Where a body's results go: to their destinations, over an operand that nobody needs any more, or to new memory. All
/// of it is there before the launch: past it an operand may be overwritten, and nothing that fails could be tried
/// again.
std::vector<graph::Destination> results_of(runtime::Queue& queue, const codegen::Body& body,
                                           const runtime::KernelRef& kernel);

/// The whole text of a program.
runtime::ProgramText program_text(const codegen::KernelText& text);
/// The buffers in the order of Printer's parameters, and words for positions that are out of range.
void add_loads(runtime::Launch& launch, runtime::Queue& queue, const codegen::Body& body);
void add_loads(runtime::Launch& launch, runtime::Queue& queue, const codegen::Body& body,
               const std::vector<std::shared_ptr<runtime::Fault>>& words);
/// Those words, null for positions that are known to be in range. `replaced`: of Queue::fault.
std::vector<std::shared_ptr<runtime::Fault>> position_words(runtime::Queue& queue, const codegen::Body& body,
                                                            const runtime::Buffer* replaced = nullptr);
/// What kernels report of a position along an axis that is out of range.
runtime::FaultCause position_cause(std::string_view function, std::size_t axis, std::int64_t size);
/// The same of a node that takes elements by positions.
runtime::FaultCause take_cause(const graph::Node& take);
/// The last argument: the block, or the buffer that it is written to, to be held until the kernel is enqueued.
[[nodiscard]] runtime::BufferRef add_parameters(runtime::Launch& launch, runtime::Queue& queue,
                                                const codegen::ParamBlock& block, bool spilled);

/// Computes and records all results of a step's body by one kernel, of so many work-groups of `local` work-items; none
/// where there is nothing to compute.
void run_step(runtime::Queue& queue, codegen::Step& step, const runtime::KernelRef& kernel, bool spilled,
              std::size_t groups, std::size_t local);

/// The OpenCL type that elements are moved as where nothing is computed with them.
const char* moved_as(DType type);

/// Enqueues a kernel over `count` elements, one or more, of which a work-item takes several: on a CPU at least
/// `fewest`, so that starting it costs little beside them, and with at most `most` work-items; on a GPU with at most
/// `each_unit` for a compute unit, the tuning's items_per_unit unless given.
void run_over(runtime::Launch& launch, const runtime::Queue& queue, const runtime::Kernel& kernel, std::uint64_t count,
              std::uint64_t fewest, std::uint64_t most = std::numeric_limits<std::uint64_t>::max(),
              std::optional<std::uint64_t> each_unit = std::nullopt);

/// Work-items of a group on a GPU for kernels without a reason for another number.
inline constexpr std::size_t group_size = 256;

}  // namespace koine::exec
