// SPDX-License-Identifier: Apache-2.0
// Running reductions: passes over blocks until one value is left for each result.
#include "exec/reduce.hpp"

#include "base/convert.hpp"
#include "exec/families.hpp"

namespace koine::exec {
namespace {

using codegen::ReducePass;
using codegen::ReduceWalk;

runtime::KernelRef kernel_of(runtime::Queue& queue, const ReducePass& pass, const ReduceWalk& walk) {
  std::string key = "r";
  append_key(key, walk, pass);
  return ready_kernel(queue, key, [&] { return program_text(print_reduce(pass, walk, queue.traits())); });
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

Reduction::Reduction(runtime::Queue& queue, codegen::Body body, Order order, graph::Place place,
                     std::string_view function, runtime::BufferRef result)
    : queue_(queue), passes_(1) {
  passes_.back().body = std::move(body);
  std::int32_t position = -1;
  while (true) {
    Pass& now = passes_.back();
    now.pass = {order.kind, &now.body, position, true, order.type, order.fixed};
    now.walk = make_reduce_walk(now.pass, order.axes, queue.traits());
    now.pass.last = now.walk.blocks == 1;
    now.kernel = kernel_of(queue, now.pass, now.walk);
    if (now.pass.last) {
      now.outputs = {std::move(result)};
      return;
    }
    // Rows leave their blocks side by side, columns one row of results for each block.
    const auto blocks = static_cast<std::int64_t>(now.walk.blocks);
    const std::int64_t count = now.walk.kept.shape.elements();
    const Shape shape = now.walk.columns ? Shape{blocks, count} : Shape{count, blocks};
    std::vector<DType> types = {partial_type(now.pass)};
    if (codegen::is_position(order.kind)) types.push_back(DType::int64);
    Pass& next = passes_.emplace_back();
    for (DType type : types) {
      now.outputs.push_back(queue.allocate(static_cast<std::uint64_t>(shape.elements()) * size_of(type), function));
      next.partials.push_back(graph::make_leaf(type, graph::row_major(shape), now.outputs.back(), place));
    }
    order.axes = {now.walk.columns ? std::size_t{0} : std::size_t{1}};
    next.body = stored_body(next.partials, shape, now.body.outputs[0].node);
    position = codegen::is_position(order.kind) ? 1 : -1;
  }
}

void Reduction::run() const {
  for (const Pass& pass : passes_) {
    const ReduceWalk& walk = pass.walk;
    runtime::Launch launch(queue_, pass.kernel);
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
}

void run_reduce(runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  const auto& info = node.get<graph::Op::reduce>();
  const auto results = static_cast<std::uint64_t>(node.shape.elements());
  auto result = queue.allocate(results * size_of(node.dtype), function_of(node));
  if (results > 0 && step.body.domain.elements() == 0) {
    write_identity(queue, info.kind, node.dtype, results, *result);
  } else if (results > 0) {
    // Whole numbers, and the positions of equal ones, come out the same in any order.
    const bool fixed = node.place.reproducible && !is_integer(node.dtype) && !is_bool(node.dtype);
    Reduction(queue, std::move(step.body), {info.kind, info.axes, node.dtype, fixed}, node.place, function_of(node),
              result)
        .run();
  }
  graph::fulfil(node, std::move(result), graph::row_major(node.shape));
}

}  // namespace koine::exec
