// SPDX-License-Identifier: Apache-2.0
// Running reductions: passes over blocks until one value is left for each result.
#include "exec/reduce.hpp"

#include "base/convert.hpp"
#include "exec/families.hpp"
#include "exec/ordered_copies.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

namespace koine::exec {
namespace {

using codegen::ReduceWalk;

/// The results of reducing nothing. (The API refuses those that have none.)
void write_nothing(runtime::Queue& queue, graph::ReduceKind kind, DType type, std::uint64_t count,
                   runtime::Buffer& result) {
  const double one = graph::info(kind).nothing;
  const std::vector<std::complex<double>> nothing(count, {one, std::isnan(one) ? one : 0});
  std::vector<std::byte> values(count * size_of(type));
  base::convert(nothing.data(), DType::complex128, values.data(), type, count);
  queue.write(result, 0, values.data(), values.size());
}

/// Copies of what the reduction's kernel would gather again and again; null where there is nothing of the kind.
std::shared_ptr<OrderedCopies> copies_for(Programs& programs, runtime::Queue& queue, const codegen::Step& step,
                                          const Reduction::Order& order) {
  const codegen::Body& body = step.body;
  if (!may_be_copied(body, queue.traits())) return nullptr;
  const ReduceWalk walk = Reduction::passes_of(order, body, queue.traits(), step.node->place).front().walk;
  const std::vector<std::size_t>& reduced = order.values[0].reduction.axes;
  std::size_t axis = body.domain.size() - 1;  // that its vectors lie along
  while (axis > 0 &&
         (body.domain[axis] == 1 || std::binary_search(reduced.begin(), reduced.end(), axis) == walk.columns)) {
    --axis;
  }
  std::vector<bool> gathered;
  for (std::size_t k = 0; k < body.loads.size(); ++k) {
    const std::int64_t step_of = walk.innermost().step(k);
    gathered.push_back(walk.width > 1 && walk.steady[k] == codegen::Steady::no && step_of != 0 && step_of != 1 &&
                       body.loads[k].layout.strides[axis] == step_of);
  }
  return OrderedCopies::of(programs, queue, body, axis, gathered);
}

}  // namespace

Reduction::Order Reduction::order_of(const codegen::Step& step) {
  const graph::Node& node = *step.node;
  // The positions of equal ones come out the same in any order. Exponentials differ anyway.
  const bool value = graph::info(node.get<graph::Op::reduce>().kind).state == graph::State::value;
  Order order{{}, codegen::has_fixed_order(node) && value, step.finished ? &step.finish : nullptr};
  const Shape &shape = node.inputs[0]->shape, &domain = step.body.domain;
  for (const codegen::Output& output : step.body.outputs) {
    order.values.push_back({output.node->get<graph::Op::reduce>(), output.node->dtype});
    if (domain == shape) continue;
    std::vector<std::size_t>& axes = order.values.back().reduction.axes;
    const std::vector<std::size_t> whole = std::exchange(axes, {});
    for (std::size_t part = 0; part < domain.size(); ++part) {
      const std::size_t axis = graph::axis_of_part(shape, domain, part);
      if (std::binary_search(whole.begin(), whole.end(), axis)) axes.push_back(part);
    }
  }
  return order;
}

std::deque<Reduction::Pass> Reduction::passes_of(const Order& order, const codegen::Body& body,
                                                 const DeviceTraits& traits, graph::Place place) {
  const graph::ReduceInfo& first = order.values[0].reduction;
  std::vector<codegen::ReducedValue> several;
  for (const Value& value : order.values) several.push_back({value.reduction.kind, value.type});
  several = several.size() > 1 ? codegen::reduced_values(several) : std::vector<codegen::ReducedValue>();
  const graph::ReduceKind kind = several.empty() ? first.kind : codegen::state_kind(several, 0);
  std::deque<Pass> passes(1);
  passes[0].body = &body;
  passes[0].axes = first.axes;
  for (bool partial = false;; partial = true) {
    Pass& now = passes.back();
    now.pass = {.kind = kind,
                .body = now.body,
                .partial = partial,
                .result = order.values[0].type,
                .fixed = order.fixed,
                .several = several,
                .custom = first.custom.get(),
                .finish = order.finish};
    now.walk = make_reduce_walk(now.pass, now.axes, traits);
    now.pass.last = now.walk.blocks == 1;
    if (now.pass.last) return passes;
    // Rows leave their blocks side by side, columns one row of results for each block.
    const auto blocks = static_cast<std::int64_t>(now.walk.blocks);
    const std::int64_t count = now.walk.kept.shape.elements();
    const Shape shape = now.walk.columns ? Shape{blocks, count} : Shape{count, blocks};
    for (const codegen::Component& component : components(now.pass)) {
      now.partials.push_back(graph::make_leaf(component.type, graph::row_major(shape), nullptr, place));
    }
    Pass& next = passes.emplace_back();
    next.partial_body = stored_body(now.partials, shape, body.outputs[0].node);
    next.body = &next.partial_body;
    next.axes = {now.walk.columns ? std::size_t{0} : std::size_t{1}};
  }
}

Reduction::Reduction(Programs& programs, runtime::Queue& queue, const codegen::Body& body, Order order,
                     graph::Place place, std::string_view function)
    : queue_(queue),
      order_(std::move(order)),
      function_(function),
      passes_(passes_of(order_, body, queue.traits(), place)) {
  for (Pass& pass : passes_) prepare_kernel(programs, pass);
}

void Reduction::prepare_kernel(Programs& programs, Pass& now) const {
  const DeviceTraits& traits = queue_.traits();
  std::vector<codegen::Finish> finishes;
  for (const Value& value : order_.values) finishes.push_back({value.reduction.divisor, value.reduction.scale});
  now.parameters = parameters_of(now.pass, now.walk, finishes);
  now.walk.spilled = now.parameters.spills(buffers_of(now.pass), traits);
  std::string key = "r";
  append_key(key, codegen::ReduceSpec{now.walk, now.pass});
  append_key(key, *now.body);
  if (const codegen::Body* finish = finish_body(now.pass)) {
    append_key(key, *finish);
    for (const codegen::Output& output : finish->outputs) key.push_back(static_cast<char>(output.node->dtype));
  }
  now.kernel =
      programs.kernel(key, [&] { return program_text(print_reduce(now.pass, now.walk, now.parameters, traits)); });
}

void Reduction::run(std::span<const runtime::Buffer* const> results) const {
  const Pass* before = nullptr;
  for (const Pass& pass : passes_) {
    const ReduceWalk& walk = pass.walk;
    for (const graph::NodeRef& partial : pass.partials) {
      const auto elements = static_cast<std::uint64_t>(partial->shape.elements());
      partial->storage = queue_.allocate(elements * size_of(partial->dtype), function_);
    }
    runtime::Launch launch(queue_, pass.kernel);
    add_loads(launch, queue_, *pass.body);
    for (const graph::NodeRef& partial : pass.partials) launch.out(*partial->storage);
    if (pass.pass.last) {
      for (const runtime::Buffer* result : results) launch.out(*result);
    }
    for (const codegen::Load& load : loads_beside(pass.pass)) launch.in(*load.source->storage);
    const runtime::BufferRef held = add_parameters(launch, queue_, pass.parameters, walk.spilled);
    std::size_t items = (walk.units + walk.units_per_item - 1) / walk.units_per_item, local = 1;
    if (!walk.cpu) {
      local = codegen::reduce_group;
      items *= static_cast<std::size_t>(walk.lanes);
      items = (items + local - 1) / local * local;
    }
    launch.run({items}, {local});
    if (before) {
      for (const graph::NodeRef& partial : before->partials) partial->storage = nullptr;
    }
    before = &pass;
  }
}

Work prepare_reduce(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  std::shared_ptr<const Reduction> reduction;
  std::shared_ptr<OrderedCopies> copies;
  if (node.shape.elements() > 0 && step.body.domain.elements() > 0) {
    Reduction::Order order = Reduction::order_of(step);
    copies = copies_for(programs, queue, step, order);
    if (!copies) share_loads(step.body, queue.traits());
    reduction = std::make_shared<Reduction>(programs, queue, copies ? copies->body() : step.body, std::move(order),
                                            node.place, function_of(node));
  }
  return [&queue, &step, copies = std::move(copies), reduction = std::move(reduction)] {
    const std::vector<codegen::Output>& outputs = step.storing().outputs;
    std::vector<runtime::BufferRef> results;
    std::vector<const runtime::Buffer*> memory;
    for (const codegen::Output& output : outputs) {
      const auto count = static_cast<std::uint64_t>(output.node->shape.elements());
      results.push_back(queue.allocate(count * size_of(output.node->dtype), function_of(*output.node)));
      memory.push_back(results.back().get());
      if (!reduction && count > 0) {
        const graph::ReduceKind kind = output.node->get<graph::Op::reduce>().kind;
        write_nothing(queue, kind, output.node->dtype, count, *results.back());
      }
    }
    if (copies) copies->make();
    if (reduction) reduction->run(memory);
    if (copies) copies->release();
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      graph::fulfil(*outputs[k].node, std::move(results[k]), graph::row_major(outputs[k].node->shape));
    }
  };
}

}  // namespace koine::exec
