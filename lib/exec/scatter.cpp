// SPDX-License-Identifier: Apache-2.0
// Running kernels that put values where positions say.
#include "exec/donate.hpp"
#include "exec/elementwise.hpp"
#include "exec/families.hpp"
#include "exec/kernel_run.hpp"

#include <utility>

namespace koine::exec {
namespace {

using codegen::Scatters;

/// `claim`: null where no two positions can be equal, or one kernel claims them and puts the values there, too.
runtime::BufferRef launch(runtime::Queue& queue, const codegen::Step& step, const ElementsKernel& claim,
                          const ElementsKernel& put, bool claimed) {
  const graph::Node &node = *step.node, &x = *node.inputs[0];
  const auto elements = static_cast<std::uint64_t>(node.shape.elements());
  const std::uint64_t bytes = elements * size_of(node.dtype);
  // An array is not overwritten where a kernel could still fail after it ran: the work would be tried again.
  const auto waits = [&](const ElementsKernel& kernel) {
    return kernel.kernel && queue.context().waits_after(*kernel.kernel);
  };
  runtime::BufferRef out = waits(claim) || waits(put) ? nullptr : donated(node, node.inputs[0], bytes);
  const auto words = position_words(queue, step.body, out.get());
  const auto run = [&](const ElementsKernel& kernel, const runtime::Buffer* into, const runtime::Buffer* owners) {
    runtime::Launch launch(queue, kernel.kernel);
    add_loads(launch, queue, step.body, words);
    if (into) launch.out(*into);
    if (owners) launch.out(*owners);
    const runtime::BufferRef held = add_parameters(launch, queue, step.parameters, step.walk.spilled);
    launch.run({kernel.groups * kernel.local}, {kernel.local});
  };
  runtime::BufferRef owners;
  if (claimed) owners = queue.allocate(elements * sizeof(std::uint32_t), "subscript");
  if (claim.kernel) {
    queue.fill_zero(*owners, 0, owners->size(), "subscript");
    run(claim, nullptr, owners.get());
  }
  if (!out) {
    out = queue.allocate(bytes, "subscript");
    queue.copy(*out, 0, *x.storage, static_cast<std::uint64_t>(x.layout.offset) * size_of(node.dtype), bytes,
               "subscript");
  }
  if (put.kernel) run(put, out.get(), owners.get());
  return out;
}

}  // namespace

// The inputs are an array in row-major order, positions in it flattened, of which those below zero were reported as
// wrong and are none, and as many values. Of equal positions the last counts: where there may be some, a first kernel
// finds for each element the last value that goes there, or the only one, which a single group runs. The result is the
// array's own memory where nobody else needs it.
Work prepare_scatter(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  const bool claimed = node.get<graph::Op::scatter>().repeats;
  const bool together = claimed && codegen::scatters_together(queue.traits(), step.body.domain.elements());
  const ElementsKernel claim =
      claimed && !together ? prepare_elements(programs, queue, step, Scatters::claims) : ElementsKernel{};
  const ElementsKernel put = prepare_elements(programs, queue, step,
                                              together  ? Scatters::together
                                              : claimed ? Scatters::claimed
                                                        : Scatters::all);
  return [&queue, &node, &step, claim, put, claimed] {
    graph::fulfil(node, launch(queue, step, claim, put, claimed), graph::row_major(node.shape));
  };
}

}  // namespace koine::exec
