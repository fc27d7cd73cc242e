// SPDX-License-Identifier: Apache-2.0
// Running reductions: passes over blocks until one value is left for each result.
#include "codegen/reduce.hpp"
#include "base/convert.hpp"
#include "exec/kernel_run.hpp"

#include <algorithm>

namespace koine::exec {
namespace {

using codegen::Body;
using codegen::ReducePass;
using codegen::ReduceWalk;

/// A body that reads partial values (and, of positions, their places) as they lie in memory.
Body partial_body(const std::vector<graph::NodeRef>& partials, const Shape& shape, graph::Node* node) {
  Body body;
  body.domain = shape;
  for (const graph::NodeRef& partial : partials) {
    const auto at = static_cast<std::int32_t>(body.loads.size());
    body.loads.push_back({partial.get(), partial->layout, partial->dtype, false});
    body.lines.push_back({graph::Op::leaf, partial->dtype, partial->dtype, {at, -1, -1}});
  }
  body.outputs.push_back({node, 0});
  return body;
}

void launch_pass(runtime::Queue& queue, const ReducePass& pass, const ReduceWalk& walk,
                 const std::vector<runtime::BufferRef>& outputs) {
  std::string key = "r";
  append_key(key, walk, pass);
  const runtime::KernelRef kernel =
      queue.context().kernel(key, [&] { return program_text(print_reduce(pass, walk, queue.traits())); });
  runtime::Launch launch(queue, kernel);
  add_loads(launch, *pass.body);
  for (const runtime::BufferRef& output : outputs) launch.out(*output);
  add_constants(launch, *pass.body);
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
  auto result = queue.allocate(results * size_of(node.dtype), "reduce");
  Body body = std::move(step.body);
  std::vector<std::size_t> axes = info.axes;
  std::vector<graph::NodeRef> partials;
  ReducePass pass{info.kind, &body, -1, true, node.dtype};
  while (results > 0) {
    if (body.domain.elements() == 0) {
      write_identity(queue, info.kind, node.dtype, results, *result);
      break;
    }
    const ReduceWalk walk = make_reduce_walk(pass, axes, queue.traits());
    pass.last = walk.blocks == 1;
    if (pass.last) {
      launch_pass(queue, pass, walk, {result});
      break;
    }
    // Rows leave their blocks side by side, columns one row of results for each block.
    const auto blocks = static_cast<std::int64_t>(walk.blocks), count = static_cast<std::int64_t>(results);
    const Shape shape = walk.columns ? Shape{blocks, count} : Shape{count, blocks};
    std::vector<DType> types = {partial_type(pass)};
    if (codegen::is_position(pass.kind)) types.push_back(DType::int64);
    std::vector<graph::NodeRef> next;
    std::vector<runtime::BufferRef> buffers;
    for (DType type : types) {
      buffers.push_back(queue.allocate(static_cast<std::uint64_t>(shape.elements()) * size_of(type), "reduce"));
      next.push_back(graph::make_leaf(type, graph::row_major(shape), buffers.back(), node.place));
    }
    launch_pass(queue, pass, walk, buffers);
    axes = {walk.columns ? std::size_t{0} : std::size_t{1}};
    partials = std::move(next);
    body = partial_body(partials, shape, &node);
    pass.position = codegen::is_position(pass.kind) ? 1 : -1;
  }
  graph::fulfil(node, std::move(result), graph::row_major(node.shape));
}

}  // namespace koine::exec
