// SPDX-License-Identifier: Apache-2.0
// Running scans: totals of blocks, a scan of those, and then the results.
#include "exec/scan.hpp"

#include "codegen/scan.hpp"
#include "exec/families.hpp"
#include "exec/kernel_run.hpp"

#include <deque>

namespace koine::exec {
namespace {

using codegen::Body;
using codegen::ScanPass;
using codegen::ScanWalk;

/// One kernel of a scan, ready to run.
struct Pass {
  Body body;
  ScanPass pass;
  ScanWalk walk;
  runtime::KernelRef kernel;
  runtime::BufferRef output, prefixes;
  graph::NodeRef totals;  // that the body reads
};

runtime::KernelRef kernel_of(runtime::Queue& queue, const ScanPass& pass, const ScanWalk& walk) {
  std::string key = "s";
  append_key(key, walk, pass);
  return ready_kernel(queue, key, [&] { return program_text(print_scan(pass, walk, queue.traits())); });
}

void launch(runtime::Queue& queue, const Pass& pass) {
  const ScanWalk& walk = pass.walk;
  runtime::Launch launch(queue, pass.kernel);
  add_loads(launch, pass.body);
  launch.out(*pass.output);
  if (pass.prefixes) launch.in(*pass.prefixes);
  add_constants(launch, pass.body);
  add_words(launch, bounds(walk));
  std::size_t items = (walk.units + walk.units_per_item - 1) / walk.units_per_item, local = 1;
  if (!walk.cpu) {
    local = walk.columns ? group_size : static_cast<std::size_t>(codegen::scan_group(pass.pass.result));
    items *= static_cast<std::size_t>(walk.lanes);
    items = (items + local - 1) / local * local;
  }
  launch.run({items}, {local});
}

/// Adds the passes of a scan in the order in which they run; gives where its results go.
runtime::BufferRef add_passes(runtime::Queue& queue, Body body, const ScanPass& wanted, std::string_view function,
                              std::deque<Pass>& passes) {
  const auto add = [&](const ScanPass& pass) -> Pass& {
    Pass& added = passes.emplace_back();
    added.body = body;
    added.pass = pass;
    added.pass.body = &added.body;
    added.walk = make_scan_walk(added.pass, queue.traits());
    added.kernel = kernel_of(queue, added.pass, added.walk);
    Shape shape = body.domain;
    if (pass.totals) shape[pass.axis] = static_cast<std::int64_t>(added.walk.blocks);
    const DType stored = pass.totals ? total_type(pass) : pass.result;
    added.output = queue.allocate(static_cast<std::uint64_t>(shape.elements()) * size_of(stored), function);
    return added;
  };
  runtime::BufferRef prefixes;
  if (body.domain[wanted.axis] > codegen::scan_block(wanted.result)) {
    ScanPass totals = wanted;
    totals.totals = true;
    const Pass& first = add(totals);
    const DType type = total_type(wanted);
    Shape shape = body.domain;
    shape[wanted.axis] = static_cast<std::int64_t>(first.walk.blocks);
    const graph::NodeRef leaf =
        graph::make_leaf(type, graph::row_major(shape), first.output, body.outputs[0].node->place);
    ScanPass inner = wanted;
    inner.result = type;
    const std::size_t begin = passes.size();
    prefixes = add_passes(queue, stored_body({leaf}, shape, body.outputs[0].node), inner, function, passes);
    for (std::size_t k = begin; k < passes.size(); ++k) {
      if (!passes[k].totals) passes[k].totals = leaf;
    }
  }
  ScanPass last = wanted;
  last.prefixed = prefixes != nullptr;
  Pass& pass = add(last);
  pass.prefixes = std::move(prefixes);
  return pass.output;
}

}  // namespace

runtime::BufferRef scan(runtime::Queue& queue, const Body& body, graph::ReduceKind kind, std::size_t axis,
                        DType result) {
  // All kernels are at hand before the first runs: where one must be built, nothing is done twice.
  std::deque<Pass> passes;
  ScanPass pass;
  pass.kind = kind;
  pass.body = &body;
  pass.axis = axis;
  pass.result = result;
  auto output = add_passes(queue, body, pass, function_of(*body.outputs[0].node), passes);
  for (const Pass& each : passes) launch(queue, each);
  return output;
}

void run_scan(runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  const auto& info = node.get<graph::Op::scan>();
  auto result = node.shape.elements() > 0 ? scan(queue, step.body, info.kind, info.axis, node.dtype)
                                          : queue.allocate(0, function_of(node));
  graph::fulfil(node, std::move(result), graph::row_major(node.shape));
}

}  // namespace koine::exec
