// SPDX-License-Identifier: Apache-2.0
// The memory of steps on the calling thread, and what is told of them.
#include "exec/host_run.hpp"

#include "base/log.hpp"
#include "exec/kernel_run.hpp"
#include "exec/traffic.hpp"

#include <array>
#include <memory>
#include <memory_resource>
#include <utility>
#include <vector>

namespace koine::exec {

using codegen::Body;

bool host_reads(const graph::Node& node) { return !node.is_ready() || node.storage->host() != nullptr; }

bool host_reads_inputs(const codegen::Step& step) {
  for (std::size_t i = 0; i < step.node->inputs.size(); ++i) {
    if (!host_reads(read_as(step, *step.node, i))) return false;
  }
  return true;
}

graph::Destination new_result(runtime::Queue& queue, const graph::Node& node) {
  return {queue.allocate(bytes_of(node), function_of(node)), graph::row_major(node.shape)};
}

bool untold() { return !runtime::recording() && !base::log_enabled(base::LogTopic::launch); }

void log_on_host(const runtime::Queue& queue, const std::string& name, bool cold, std::int64_t elements) {
  queue.context().did_on_host();
  if (!base::log_enabled(base::LogTopic::launch)) return;
  base::log_line(base::LogTopic::launch, name + " on " + queue.traits().selector + ", by the host, " +
                                             (cold ? "as it is not compiled yet, " : "") + std::to_string(elements) +
                                             " elements");
}

void run_on_host(const HostRun& run, const std::function<std::string()>& name,
                 std::span<const graph::Destination> results, const std::function<Astray()>& work) {
  runtime::Queue& queue = run.queue;
  const codegen::Step& step = run.step;
  const bool of_body = !step.body.outputs.empty();
  std::array<std::byte, 512> few;
  std::pmr::monotonic_buffer_resource memory(few.data(), few.size());
  std::pmr::vector<runtime::Use> uses(&memory);
  uses.reserve(step.body.loads.size() + step.finish.loads.size() + step.node->inputs.size() + results.size());
  for (const Body* each : {&step.body, &step.finish}) {
    for (const codegen::Load& load : each->loads) {
      if (load.source->storage != nullptr) uses.push_back({load.source->storage.get(), false});
    }
  }
  if (!of_body || step.family == graph::Op::scatter) {
    for (std::size_t i = 0; i < step.node->inputs.size(); ++i) {
      const graph::Node& read = read_as(step, *step.node, i);
      if (read.storage != nullptr) uses.push_back({read.storage.get(), false});
    }
  }
  for (const graph::Destination& result : results) uses.push_back({result.storage.get(), true});
  const bool recorded = runtime::recording(), logged = base::log_enabled(base::LogTopic::launch);
  const std::string called = recorded || logged ? name() : std::string();
  log_on_host(queue, called, run.cold, of_body ? step.body.domain.elements() : step.node->shape.elements());
  std::int64_t start = 0;
  Astray astray;
  queue.on_host_at_last(uses, [&] {
    if (recorded) start = runtime::now();
    astray = work();
  });
  if (astray) {
    const auto fault = queue.fault(take_cause(*astray->take));
    const runtime::FaultWord word{1, 0, astray->position};
    queue.write(const_cast<runtime::Buffer&>(fault->word()), 0, &word, sizeof word);  // as a kernel would
    for (const graph::Destination& result : results) queue.add_fault(*result.storage, fault);
  }
  if (!recorded) return;
  Traffic traffic;
  if (of_body) {
    traffic = traffic_of(step.body);
  } else {
    for (std::size_t i = 0; i < step.node->inputs.size(); ++i) traffic.read += bytes_of(read_as(step, *step.node, i));
    traffic.written = bytes_of(*step.node);
  }
  runtime::record_on_host(queue.handle(), {runtime::Command::Kind::kernel, called, traffic.read, traffic.written},
                          start);
}

Work prepare_result_on_host(const HostRun& run, std::function<Astray(std::byte*)> fill) {
  return [run, fill = std::move(fill)] {
    graph::Node& node = *run.step.node;
    graph::Destination result = new_result(run.queue, node);
    run_on_host(
        run, [&] { return std::string(function_of(node)); }, {&result, 1},
        [&] { return fill(result.storage->host()); });
    graph::fulfil(node, std::move(result.storage), std::move(result.layout));
  };
}

}  // namespace koine::exec
