// SPDX-License-Identifier: Apache-2.0
// Launching kernels/matmul_split.cl.
#include <algorithm>

#include "exec/kernel_parameters.hpp"
#include "exec/matmul_routes.hpp"
#include "exec/programs.hpp"
#include "runtime/launch.hpp"

namespace koine::exec {
namespace {

/// The kernel is for one type alone.
struct SplitSpec {
  template <class Visit>
  void visit(Visit&) const {}
};

}  // namespace

std::function<void(const runtime::Buffer&, runtime::Buffer&)> prepare_split(Programs& programs, runtime::Queue& queue,
                                                                            const SplitOperand& operand) {
  const runtime::KernelRef kernel = programs.kernel_of_file("matmul_split", SplitSpec(), "matmul_split");
  parameters::kn_matmul_split d{};
  d.offset = operand.offset;
  d.line_stride = operand.line_stride;
  d.depth_stride = operand.depth_stride;
  d.lines = operand.lines;
  d.depth = operand.depth;
  d.pitch = operand.pitch;
  std::copy(operand.sizes.begin(), operand.sizes.end(), d.batch_sizes);
  std::copy(operand.strides.begin(), operand.strides.end(), d.batch);
  constexpr std::int64_t side = 32, items = 256;
  std::int64_t groups = ((operand.lines + side - 1) / side) * ((operand.depth + side - 1) / side);
  for (const std::int64_t size : operand.sizes) groups *= size;
  return [&queue, kernel, d, groups](const runtime::Buffer& from, runtime::Buffer& to) {
    runtime::Launch launch(queue, kernel);
    launch.in(from).out(to).value(d);
    launch.run({static_cast<std::size_t>(groups * items)}, {static_cast<std::size_t>(items)});
  };
}

}  // namespace koine::exec
