// SPDX-License-Identifier: Apache-2.0
// Doing small steps on the calling thread.
#include "exec/host_step.hpp"

#include "base/log.hpp"
#include "codegen/names.hpp"
#include "exec/families.hpp"
#include "exec/kernel_run.hpp"
#include "exec/reduce.hpp"
#include "exec/traffic.hpp"
#include "host/body.hpp"
#include "host/fold.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace koine::exec {
namespace {

using codegen::Body;
using graph::Op;

/// What is not in memory yet is the result of a step before, which the host did.
bool host_reads(const Body& body) {
  return std::all_of(body.loads.begin(), body.loads.end(), [](const codegen::Load& load) {
    return load.iota || !load.source->is_ready() || load.source->storage->host() != nullptr;
  });
}

bool host_writes(const Body& body) {
  return std::all_of(body.outputs.begin(), body.outputs.end(), [](const codegen::Output& output) {
    return !output.destination || output.destination->storage->host() != nullptr;
  });
}

std::vector<const std::byte*> memory_of(const Body& body) {
  std::vector<const std::byte*> memory;
  memory.reserve(body.loads.size());
  for (const codegen::Load& load : body.loads) memory.push_back(load.iota ? nullptr : load.source->storage->host());
  return memory;
}

/// The first element of each row.
void store_rows(const Body& body, const host::Lines& lines, const codegen::Output& output, std::byte* memory) {
  const std::int64_t length = body.domain[body.domain.size() - 1], rows = body.domain.elements() / length;
  const DType type = output.node->dtype;
  const std::size_t size = host::size_in_registers(type), count = static_cast<std::size_t>(rows);
  std::vector<std::byte> firsts(count * size);
  host::gather({{rows}, {length}}, {}, static_cast<const std::byte*>(lines.values(output.line)), size, 0, count,
               firsts.data());
  host::store(graph::row_major({rows}), type, memory, 0, count, firsts.data());
}

std::optional<host::Lines::Astray> compute_elements(const Body& body, const DeviceTraits& traits,
                                                    std::span<const graph::Destination> results) {
  host::Lines lines(body, traits, memory_of(body));
  const auto elements = static_cast<std::size_t>(body.domain.elements());
  for (std::size_t first = 0; first < elements; first += lines.most()) {
    const std::size_t count = std::min(lines.most(), elements - first);
    lines.compute(static_cast<std::int64_t>(first), count);
    for (std::size_t k = 0; k < results.size(); ++k) {
      const codegen::Output& output = body.outputs[k];
      std::byte* const memory = results[k].storage->host();
      if (body.of_row(output)) {
        store_rows(body, lines, output, memory);
      } else {
        host::store(results[k].layout, output.node->dtype, memory, static_cast<std::int64_t>(first), count,
                    lines.values(output.line));
      }
    }
  }
  return lines.astray();
}

/// Does `work()` in the memory of a step's operands and results, once nothing else is under way there. It gives the
/// position that was found out of range, if one was.
template <class Work>
void run(runtime::Queue& queue, const codegen::Step& step, std::span<const graph::Destination> results, Work work) {
  const Body& body = step.body;
  std::vector<runtime::Use> uses;
  uses.reserve(body.loads.size() + step.finish.loads.size() + results.size());
  for (const Body* each : {&body, &step.finish}) {
    for (const codegen::Load& load : each->loads) {
      if (load.source->storage != nullptr) uses.push_back({load.source->storage.get(), false});
    }
  }
  for (const graph::Destination& result : results) uses.push_back({result.storage.get(), true});
  const bool recorded = runtime::recording(), logged = base::log_enabled(base::LogTopic::launch);
  const std::string name = recorded || logged ? codegen::kernel_name(body) : std::string();
  if (logged) {
    base::log_line(base::LogTopic::launch, name + " on " + queue.traits().selector + ", by the host, " +
                                               std::to_string(body.domain.elements()) + " elements");
  }
  std::int64_t start = 0;
  std::optional<host::Lines::Astray> astray;
  queue.context().did_on_host();
  queue.on_host_at_last(uses, [&] {
    if (recorded) start = runtime::now();
    astray = work();
  });
  if (astray) {
    const auto fault = take_fault(queue, *astray->take);
    const runtime::FaultWord word{1, 0, astray->position};
    queue.write(const_cast<runtime::Buffer&>(fault->word()), 0, &word, sizeof word);  // as a kernel would
    for (const graph::Destination& result : results) queue.add_fault(*result.storage, fault);
  }
  if (recorded) {
    const Traffic traffic = traffic_of(body);
    runtime::record_on_host(queue.handle(), {runtime::Command::Kind::kernel, name, traffic.read, traffic.written},
                            start);
  }
}

/// The results of a reduction, in row-major order.
std::vector<graph::Destination> new_results(runtime::Queue& queue, const Body& body) {
  std::vector<graph::Destination> results;
  for (const codegen::Output& output : body.outputs) {
    const graph::Node& node = *output.node;
    results.push_back({queue.allocate(bytes_of(node), function_of(node)), graph::row_major(node.shape)});
  }
  return results;
}

void fulfil_all(const Body& body, std::vector<graph::Destination>& results) {
  for (std::size_t k = 0; k < body.outputs.size(); ++k) {
    graph::fulfil(*body.outputs[k].node, std::move(results[k].storage), std::move(results[k].layout));
  }
}

/// A step of element-wise code, or of whole rows.
Work prepare_elements(runtime::Queue& queue, codegen::Step& step) {
  return [&queue, &step] {
    const Body& body = step.body;
    std::vector<graph::Destination> results = results_of(queue, body, nullptr);
    run(queue, step, results, [&] { return compute_elements(body, queue.traits(), results); });
    fulfil_all(body, results);
  };
}

/// A reduction that takes one pass.
struct Fold {
  codegen::ReducePass pass;
  std::optional<host::Reduction> reduction;
};

Work prepare_fold(runtime::Queue& queue, codegen::Step& step) {
  const Reduction::Order order = Reduction::order_of(step);
  const auto fold = std::make_shared<Fold>();
  fold->pass = Reduction::pass_of(order, step.body, false);
  std::vector<host::Reduction::Value> values;
  for (const Reduction::Value& value : order.values) {
    values.push_back({value.reduction.kind, value.reduction.divisor, value.reduction.scale});
  }
  fold->reduction = host::Reduction::of(fold->pass, order.values[0].reduction.axes, std::move(values), queue.traits());
  if (!fold->reduction) return nullptr;
  return [&queue, &step, fold] {
    const Body& storing = step.storing();
    std::vector<graph::Destination> results = new_results(queue, storing);
    std::vector<std::byte*> memory;
    for (const graph::Destination& result : results) memory.push_back(result.storage->host());
    std::vector<const std::byte*> beside;
    for (const codegen::Load& load : loads_beside(fold->pass)) beside.push_back(load.source->storage->host());
    run(queue, step, results,
        [&] { return fold->reduction->run(queue.traits(), memory_of(step.body), beside, memory); });
    fulfil_all(storing, results);
  };
}

}  // namespace

HostSteps::HostSteps(const runtime::Context& context)
    : on_(context.works_in_host_memory() && context.traits().tuning.host_step_work > 0 && context.known_idle()) {}

Work HostSteps::prepare(runtime::Queue& queue, codegen::Step& step) {
  if (!on_ || step.family == Op::view) return nullptr;  // a view is nobody's work
  on_ = false;
  const bool elements = step.family == Op::elementwise || step.family == Op::rows;
  if (!elements && step.family != Op::reduce) return nullptr;
  if (step.body.domain.elements() == 0 || !host_reads(step.body) || !host_reads(step.finish)) return nullptr;
  if (!host_writes(step.body)) return nullptr;
  const auto work = host::work_of(step.body, queue.traits());
  if (!work || *work > queue.traits().tuning.host_step_work) return nullptr;
  Work prepared = elements ? prepare_elements(queue, step) : prepare_fold(queue, step);
  on_ = prepared != nullptr;
  return prepared;
}

}  // namespace koine::exec
