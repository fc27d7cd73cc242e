// SPDX-License-Identifier: Apache-2.0
// Running scans: totals of blocks, a scan of those, and then the results.
#include "exec/scan.hpp"

#include "exec/families.hpp"
#include "exec/kernel_run.hpp"

namespace koine::exec {

using codegen::Body;
using codegen::ScanPass;
using codegen::ScanWalk;

struct Scan::OfTotals {
  Pass totals;
  graph::NodeRef leaf;  // the totals, in memory while they are scanned
  Body body;
  std::unique_ptr<const Scan> scan;
};

Scan::Scan(Programs& programs, runtime::Queue& queue, const Body& body, const graph::ScanInfo& info, DType result)
    : queue_(queue),
      pass_{.kind = info.kind,
            .body = &body,
            .axis = info.axis,
            .result = result,
            .exclusive = info.exclusive,
            .custom = info.custom.get()},
      function_(function_of(*body.outputs[0].node)) {
  const DeviceTraits& traits = queue.traits();
  const bool one_kernel = carries_blocks(pass_, traits) || chains_blocks(pass_, traits);
  if (body.domain[info.axis] > codegen::scan_block(result) && !one_kernel) {
    inner_ = std::make_unique<OfTotals>();
    inner_->totals = make_pass(programs, true);
    const DType type = total_type(pass_);
    Shape shape = body.domain;
    shape[info.axis] = static_cast<std::int64_t>(inner_->totals.walk.blocks);
    graph::Node* node = body.outputs[0].node;
    inner_->leaf = graph::make_leaf(type, graph::row_major(shape), nullptr, node->place);
    inner_->body = stored_body({inner_->leaf}, shape, node);
    graph::ScanInfo of_totals = info;
    of_totals.exclusive = false;
    inner_->scan = std::make_unique<Scan>(programs, queue, inner_->body, of_totals, type);
  }
  last_ = make_pass(programs, false);
}

Scan::~Scan() = default;

Scan::Pass Scan::make_pass(Programs& programs, bool totals) const {
  Pass result;
  result.pass = pass_;
  result.pass.totals = totals;
  result.pass.exclusive = pass_.exclusive && !totals;
  result.pass.prefixed = !totals && inner_ != nullptr;
  result.pass.carried = carries_blocks(pass_, queue_.traits());
  result.pass.chained = chains_blocks(pass_, queue_.traits());
  result.walk = make_scan_walk(result.pass, queue_.traits());
  result.parameters = parameters_of(result.pass, result.walk);
  const std::size_t others = result.pass.prefixed || result.pass.chained ? 2 : 1;
  result.walk.spilled = result.parameters.spills(buffers_read(*pass_.body) + others, queue_.traits());
  std::string key = "s";
  append_key(key, codegen::ScanSpec{result.walk, result.pass});
  append_key(key, *pass_.body);
  result.kernel = programs.kernel(
      key, [&] { return program_text(print_scan(result.pass, result.walk, result.parameters, queue_.traits())); });
  return result;
}

void Scan::launch(const Pass& pass, const runtime::Buffer& output, const runtime::Buffer* prefixes) const {
  const ScanWalk& walk = pass.walk;
  runtime::Launch launch(queue_, pass.kernel);
  add_loads(launch, queue_, *pass_.body);
  launch.out(output);
  if (prefixes) launch.in(*prefixes);
  runtime::BufferRef chain;
  if (pass.pass.chained) {
    chain = queue_.allocate(chain_words(pass.pass, walk).all * sizeof(std::uint64_t), function_);
    queue_.fill_zero(*chain, 0, chain->size(), function_);
    launch.out(*chain);
  }
  const runtime::BufferRef held = add_parameters(launch, queue_, pass.parameters, walk.spilled);
  std::size_t items = (walk.units + walk.units_per_item - 1) / walk.units_per_item, local = 1;
  if (!walk.cpu) {
    local = static_cast<std::size_t>(walk.group);
    items *= walk.columns ? local : static_cast<std::size_t>(walk.lanes);
    items = (items + local - 1) / local * local;
  }
  launch.run({items}, {local});
}

runtime::BufferRef Scan::run() const {
  const auto allocate = [&](const Shape& shape, DType type) {
    return queue_.allocate(static_cast<std::uint64_t>(shape.elements()) * size_of(type), function_);
  };
  runtime::BufferRef prefixes;
  if (inner_) {
    inner_->leaf->storage = allocate(inner_->leaf->shape, inner_->leaf->dtype);
    launch(inner_->totals, *inner_->leaf->storage, nullptr);
    prefixes = inner_->scan->run();
    inner_->leaf->storage = nullptr;
  }
  runtime::BufferRef output = allocate(pass_.body->domain, pass_.result);
  launch(last_, *output, prefixes.get());
  return output;
}

Work prepare_scan(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  const auto& info = node.get<graph::Op::scan>();
  std::shared_ptr<const Scan> scan;
  if (node.shape.elements() > 0) {
    graph::ScanInfo walked = info;
    walked.axis = *graph::whole_part(node.inputs[0]->shape, step.body.domain, info.axis);
    scan = std::make_shared<Scan>(programs, queue, step.body, walked, node.dtype);
  }
  return [&queue, &node, scan = std::move(scan)] {
    auto result = scan ? scan->run() : queue.allocate(0, function_of(node));
    graph::fulfil(node, std::move(result), graph::row_major(node.shape));
  };
}

}  // namespace koine::exec
