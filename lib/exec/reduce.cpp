// SPDX-License-Identifier: Apache-2.0
// Running reductions: passes over blocks until one value is left for each result.
#include "exec/reduce.hpp"

#include "base/convert.hpp"
#include "exec/families.hpp"
#include "graph/infer.hpp"

#include <cmath>
#include <complex>

namespace koine::exec {
namespace {

using codegen::ReducePass;
using codegen::ReduceWalk;

runtime::KernelRef kernel_of(runtime::Queue& queue, const ReducePass& pass, const ReduceWalk& walk) {
  std::string key = "r";
  append_key(key, walk, pass);
  return ready_kernel(queue, key, [&] { return program_text(print_reduce(pass, walk, queue.traits())); });
}

/// The results of reducing nothing. (The API refuses those that have none.)
void write_nothing(runtime::Queue& queue, graph::ReduceKind kind, DType type, std::uint64_t count,
                   runtime::Buffer& result) {
  const double one = graph::info(kind).nothing;
  const std::vector<std::complex<double>> nothing(count, {one, std::isnan(one) ? one : 0});
  std::vector<std::byte> values(count * size_of(type));
  base::convert(nothing.data(), DType::complex128, values.data(), type, count);
  queue.write(result, 0, values.data(), values.size());
}

/// An argument of `type`, a real floating one as it is in registers.
void add_constant(runtime::Launch& launch, DType type, double value) {
  if (type == DType::float64) {
    launch.value(value);
  } else {
    launch.value(static_cast<float>(value));
  }
}

}  // namespace

Reduction::Reduction(runtime::Queue& queue, codegen::Body body, Order order, graph::Place place,
                     std::string_view function, runtime::BufferRef result)
    : queue_(queue), reduction_(std::move(order.reduction)), passes_(1) {
  passes_.back().body = std::move(body);
  std::vector<std::size_t> axes = reduction_.axes;
  bool partial = false;
  while (true) {
    Pass& now = passes_.back();
    now.pass = {reduction_.kind, &now.body, partial, true, order.type, order.fixed};
    now.walk = make_reduce_walk(now.pass, axes, queue.traits());
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
    Pass& next = passes_.emplace_back();
    for (const codegen::Component& component : components(now.pass)) {
      const std::uint64_t bytes = static_cast<std::uint64_t>(shape.elements()) * size_of(component.type);
      now.outputs.push_back(queue.allocate(bytes, function));
      next.partials.push_back(graph::make_leaf(component.type, graph::row_major(shape), now.outputs.back(), place));
    }
    axes = {now.walk.columns ? std::size_t{0} : std::size_t{1}};
    next.body = stored_body(next.partials, shape, now.body.outputs[0].node);
    partial = true;
  }
}

void Reduction::run() const {
  for (const Pass& pass : passes_) {
    const ReduceWalk& walk = pass.walk;
    runtime::Launch launch(queue_, pass.kernel);
    add_loads(launch, pass.body);
    for (const runtime::BufferRef& output : pass.outputs) launch.out(*output);
    add_constants(launch, pass.body);
    if (takes_constants(pass.pass)) {
      const DType type = graph::real_part(combined_type(pass.pass));
      add_constant(launch, type, reduction_.divisor);
      add_constant(launch, type, reduction_.scale);
    }
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
    write_nothing(queue, info.kind, node.dtype, results, *result);
  } else if (results > 0) {
    // Whole numbers, and the positions of equal ones, come out the same in any order. Exponentials differ anyway.
    const bool fixed = node.place.reproducible && !is_integer(node.dtype) && !is_bool(node.dtype) &&
                       graph::info(info.kind).state == graph::State::value;
    Reduction(queue, std::move(step.body), {info, node.dtype, fixed}, node.place, function_of(node), result).run();
  }
  graph::fulfil(node, std::move(result), graph::row_major(node.shape));
}

}  // namespace koine::exec
