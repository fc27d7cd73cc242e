// SPDX-License-Identifier: Apache-2.0
// Launching kernels/run_products.cl, pass after pass.
#include "exec/run_products.hpp"

#include "exec/kernel_parameters.hpp"
#include "exec/kernel_run.hpp"
#include "exec/scatter_reduce.hpp"
#include "graph/infer.hpp"
#include "host/run_products.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace koine::exec {
namespace {

using host::rows_of_block;
using runtime::BufferRef;

struct RunProductsSpec {
  DType values, ids;

  std::string_view number() const {
    if (is_integer(values) || is_bool(values)) return size_of(values) == 4 ? "uint" : "ulong";
    return codegen::register_type(values);
  }
  template <class Visit>
  void visit(Visit& v) const {
    v.define("KN_T", number());
    v.define("KN_COMPLEX", is_complex(values));
    v.define("KN_DOUBLE", graph::real_part(values) == DType::float64);
    v.define("KN_ID", codegen::memory_type(ids));
  }
};

BufferRef run(runtime::Queue& queue, const graph::Node& node, const runtime::KernelRef& fill,
              const runtime::KernelRef& multiply) {
  const graph::ScatterReduceInfo& info = node.get<graph::Op::scatter_reduce>();
  const graph::Node &values = *node.inputs[0], &ids = *node.inputs[1];
  const auto allocate = [&](std::uint64_t bytes) { return queue.allocate(bytes, info.name); };
  const auto entries = static_cast<std::uint64_t>(node.shape.elements());
  parameters::kn_runs d{};
  d.values_offset = static_cast<std::uint64_t>(values.layout.offset);
  d.ids_offset = static_cast<std::uint64_t>(ids.layout.offset);
  d.rows = static_cast<std::uint64_t>(ids.shape.elements());
  d.groups = static_cast<std::uint64_t>(info.groups);
  d.inner = entries / d.groups;
  d.step = static_cast<std::uint64_t>(values.shape.elements()) < d.rows * d.inner ? 0 : 1;
  d.per_block = rows_of_block;

  BufferRef out = allocate(entries * size_of(node.dtype)), part_values, part_ids;
  runtime::Launch ones(queue, fill);
  ones.out(*out).value(d);
  const std::uint64_t fewest = queue.traits().tuning.elements_per_item;
  run_over(ones, queue, *fill, entries, fewest);
  const auto outside = queue.fault(id_cause(info));
  const auto falling = fault_of_falling_ids(queue, info);
  const runtime::Buffer *from = values.storage.get(), *named = ids.storage.get();
  while (d.rows > 0) {
    d.blocks = (d.rows + d.per_block - 1) / d.per_block;
    const std::uint64_t parts = d.blocks > 1 ? 2 * d.blocks : 1;
    BufferRef next_values = allocate(parts * d.inner * size_of(node.dtype)),
              next_ids = allocate(parts * size_of(ids.dtype));
    runtime::Launch launch(queue, multiply);
    launch.in(*from).in(*named).out(*next_values).out(*next_ids).out(*out);
    launch.out(outside->word()).out(falling->word()).value(d);
    run_over(launch, queue, *multiply, d.blocks * d.inner, std::max<std::uint64_t>(fewest / rows_of_block, 1));
    part_values = std::move(next_values);
    part_ids = std::move(next_ids);
    from = part_values.get();
    named = part_ids.get();
    d.values_offset = d.ids_offset = 0;
    d.step = 1;
    d.rows = d.blocks > 1 ? parts : 0;
  }
  if (info.ids != graph::IdsAre::known_positions) queue.add_fault(*out, outside);
  queue.add_fault(*out, falling);
  return out;
}

}  // namespace

std::shared_ptr<runtime::Fault> fault_of_falling_ids(runtime::Queue& queue, const graph::ScatterReduceInfo& info) {
  return std::make_shared<runtime::Fault>(queue, [function = info.name](std::int64_t id) {
    return "[" + std::string(function) + "] id " + std::to_string(id) +
           " stands behind a larger one; with .sorted ids must not fall";
  });
}

std::function<BufferRef()> prepare_run_products(Programs& programs, runtime::Queue& queue, const graph::Node& node) {
  const RunProductsSpec spec{node.dtype, node.inputs[1]->dtype};
  const auto kernel = [&](const char* entry) { return programs.kernel_of_file("run_products", spec, entry); };
  return [&queue, &node, fill = kernel("run_products_fill"), multiply = kernel("run_products")] {
    return run(queue, node, fill, multiply);
  };
}

}  // namespace koine::exec
