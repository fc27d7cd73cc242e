// SPDX-License-Identifier: Apache-2.0
// Running reductions: passes over blocks until one value is left for each result.
#include "codegen/reduce.hpp"
#include "base/convert.hpp"
#include "exec/kernel_run.hpp"

#include <deque>

namespace koine::exec {
namespace {

using codegen::Body;
using codegen::ReducePass;
using codegen::ReduceWalk;

/// One kernel of a reduction, ready to run.
struct Pass {
  Body body;
  ReducePass pass;
  ReduceWalk walk;
  runtime::KernelRef kernel;
  std::vector<graph::NodeRef> partials;  // that the body reads
  std::vector<runtime::BufferRef> outputs;
};

runtime::KernelRef kernel_of(runtime::Queue& queue, const ReducePass& pass, const ReduceWalk& walk) {
  std::string key = "r";
  append_key(key, walk, pass);
  return ready_kernel(queue, key, [&] { return program_text(print_reduce(pass, walk, queue.traits())); });
}

void launch(runtime::Queue& queue, const Pass& pass) {
  const ReduceWalk& walk = pass.walk;
  runtime::Launch launch(queue, pass.kernel);
  add_loads(launch, pass.body);
  for (const runtime::BufferRef& output : pass.outputs) launch.out(*output);
  add_constants(launch, pass.body);
  add_words(launch, bounds(walk));
  std::size_t items = (walk.units + walk.units_per_item - 1) / walk.units_per_item, local = 1;
  if (!walk.cpu) {
    local = codegen::reduce_group;
    items *= static_cast<std::size_t>(walk.lanes);
    items = (items + local - 1) / local * local;
  }
  launch.run({items}, {local});
}

/// The results of reducing nothing: 1 for prod and all, else 0. (The API refuses those that have none.)
void write_identity(runtime::Queue& queue, graph::ReduceKind kind, DType type, std::uint64_t count,
                    runtime::Buffer& result) {
  const bool one = kind == graph::ReduceKind::prod || kind == graph::ReduceKind::all;
  const std::vector<float> identity(count, one ? 1.0f : 0.0f);
  std::vector<std::byte> values(count * size_of(type));
  base::convert(identity.data(), DType::float32, values.data(), type, count);
  queue.write(result, 0, values.data(), values.size());
}

}  // namespace

void run_reduce(runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  const auto& info = node.reduction();
  const auto results = static_cast<std::uint64_t>(node.shape.elements());
  auto result = queue.allocate(results * size_of(node.dtype), function_of(node));
  std::vector<std::size_t> axes = info.axes;
  if (results > 0 && step.body.domain.elements() == 0) {
    write_identity(queue, info.kind, node.dtype, results, *result);
  } else if (results > 0) {
    // All kernels are at hand before the first runs: where one must be built, nothing is done twice.
    std::deque<Pass> passes(1);
    passes.back().body = std::move(step.body);
    std::int32_t position = -1;
    // Whole numbers, and the positions of equal ones, come out the same in any order.
    const bool fixed = node.place.reproducible && !is_integer(node.dtype) && !is_bool(node.dtype);
    for (bool last = false; !last;) {
      Pass& now = passes.back();
      now.pass = {info.kind, &now.body, position, true, node.dtype, fixed};
      now.walk = make_reduce_walk(now.pass, axes, queue.traits());
      last = now.pass.last = now.walk.blocks == 1;
      now.kernel = kernel_of(queue, now.pass, now.walk);
      if (last) {
        now.outputs = {result};
        break;
      }
      // Rows leave their blocks side by side, columns one row of results for each block.
      const auto blocks = static_cast<std::int64_t>(now.walk.blocks), count = static_cast<std::int64_t>(results);
      const Shape shape = now.walk.columns ? Shape{blocks, count} : Shape{count, blocks};
      std::vector<DType> types = {partial_type(now.pass)};
      if (codegen::is_position(info.kind)) types.push_back(DType::int64);
      Pass& next = passes.emplace_back();
      for (DType type : types) {
        now.outputs.push_back(
            queue.allocate(static_cast<std::uint64_t>(shape.elements()) * size_of(type), function_of(node)));
        next.partials.push_back(graph::make_leaf(type, graph::row_major(shape), now.outputs.back(), node.place));
      }
      axes = {now.walk.columns ? std::size_t{0} : std::size_t{1}};
      next.body = stored_body(next.partials, shape, &node);
      position = codegen::is_position(info.kind) ? 1 : -1;
    }
    for (const Pass& pass : passes) launch(queue, pass);
  }
  graph::fulfil(node, std::move(result), graph::row_major(node.shape));
}

}  // namespace koine::exec
