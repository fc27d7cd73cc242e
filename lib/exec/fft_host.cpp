// SPDX-License-Identifier: Apache-2.0
// Fourier transforms as host commands.
#include "exec/fft_host.hpp"

#include "exec/fft_plan.hpp"
#include "exec/host_run.hpp"
#include "graph/families.hpp"
#include "graph/infer.hpp"
#include "host/aligned.hpp"
#include "host/fft.hpp"
#include "runtime/host_command.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

namespace koine::exec {
namespace {

using graph::FftKind;
using host::FftSide;

constexpr std::uint64_t work_of_element = 32;  // in operations, of all passes

}  // namespace

bool host_transforms(const runtime::Queue& queue, const graph::Node& node) {
  return queue.traits().host_commands && queue.context().works_in_host_memory() && !node.place.reproducible;
}

std::function<runtime::BufferRef()> prepare_fft_on_host(Programs& programs, runtime::Queue& queue,
                                                        const graph::Node& node) {
  const graph::FftInfo& info = node.get<graph::Op::fft>();
  const graph::Node& x = *node.inputs[0];
  const LinesOfAxis lines(x.shape, info.axis);
  host::Fourier job{};
  job.wide = size_of(graph::real_part(node.dtype)) == sizeof(double);
  job.in_side = info.kind == FftKind::half_to_real   ? FftSide::half
                : info.kind == FftKind::real_to_half ? FftSide::real
                                                     : FftSide::complex;
  job.out_side = info.kind == FftKind::half_to_real   ? FftSide::real
                 : info.kind == FftKind::real_to_half ? FftSide::half
                                                      : FftSide::complex;
  job.n = info.n;
  job.outer = static_cast<std::int64_t>(lines.outer);
  job.inner = static_cast<std::int64_t>(lines.inner);
  job.in_size = x.shape[info.axis];
  job.out_size = node.shape[info.axis];
  job.inverse = info.inverse;
  job.scale = info.scale;
  const auto elements = static_cast<std::uint64_t>(std::max(x.shape.elements(), node.shape.elements()));
  const bool small = work_of_element * elements <= shared_host_work(queue.traits().tuning.host_step_work);
  programs.host_command("fft_host", small);
  return [&queue, &node, &x, job, small] {
    const std::uint64_t size = size_of(x.dtype),
                        bytes = static_cast<std::uint64_t>(node.shape.elements()) * size_of(node.dtype);
    const runtime::BufferRef out = queue.allocate(bytes, function_of(node));
    // After that: tables for results that do not fit would take long, and memory that no limit counts.
    const auto work = std::make_shared<const host::FourierWork>(host::prepare_fourier(queue.traits(), job));
    const runtime::BufferRef room = queue.allocate(work->room + host::vector_bytes, function_of(node));
    runtime::HostCommand command(queue, "fft_host");
    command.in(*x.storage).out(*out).out(*room);
    command.moves(static_cast<std::uint64_t>(x.shape.elements()) * size, bytes);
    runtime::HostCommand::Function run = [work, first = static_cast<std::uint64_t>(x.layout.offset) *
                                                        size](std::span<void* const> at) {
      work->run(static_cast<const std::byte*>(at[0]) + first, static_cast<std::byte*>(at[1]), host::aligned(at[2]));
    };
    small ? command.run_small(std::move(run)) : command.run(std::move(run));
    return out;
  };
}

}  // namespace koine::exec
