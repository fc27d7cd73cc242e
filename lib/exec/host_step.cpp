// SPDX-License-Identifier: Apache-2.0
// Doing steps on the calling thread.
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
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace koine::exec {
namespace {

using codegen::Body;
using graph::Op;

// Of a step in place of a program that is not compiled yet: some 50 ms, where a compiler in a process takes 30 ms to
// find it in a cache of its own, 150 ms to compile it, and 500 ms for the first.
constexpr std::uint64_t most_cold_work = std::uint64_t{1} << 25;
// As soon as a program comes again, only so small a part: who comes a third time may come many times.
constexpr std::uint64_t cold_work_again = 16;
constexpr std::uint64_t fold_work = 4;  // to reduce an element

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

/// The first element of each of the rows that begin with element number `first`.
void store_rows(const Body& body, const host::Lines& lines, const codegen::Output& output, std::byte* memory,
                std::size_t first, std::size_t elements) {
  const std::int64_t length = body.domain[body.domain.size() - 1];
  const std::int64_t rows = static_cast<std::int64_t>(elements) / length;
  const DType type = output.node->dtype;
  const std::size_t size = host::size_in_registers(type), count = static_cast<std::size_t>(rows);
  std::vector<std::byte> firsts(count * size);
  host::gather({{rows}, {length}}, {}, static_cast<const std::byte*>(lines.values(output.line)), size, 0, count,
               firsts.data());
  const std::int64_t all = body.domain.elements() / length, row = static_cast<std::int64_t>(first) / length;
  host::store(graph::row_major({all}), type, memory, row, count, firsts.data());
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
        store_rows(body, lines, output, memory, first, count);
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
void run(runtime::Queue& queue, const codegen::Step& step, std::span<const graph::Destination> results, bool cold,
         Work work) {
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
                                               (cold ? "as it is not compiled yet, " : "") +
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
Work prepare_elements(runtime::Queue& queue, codegen::Step& step, bool cold) {
  return [&queue, &step, cold] {
    const Body& body = step.body;
    std::vector<graph::Destination> results = results_of(queue, body, nullptr);
    run(queue, step, results, cold, [&] { return compute_elements(body, queue.traits(), results); });
    fulfil_all(body, results);
  };
}

/// A reduction, pass by pass.
struct Fold {
  Reduction::Order order;
  std::deque<Reduction::Pass> passes;
  std::vector<host::Reduction> reductions;
};

std::optional<host::Lines::Astray> compute_fold(const Fold& fold, const DeviceTraits& traits, const Body& body,
                                                std::span<const std::byte* const> beside,
                                                std::span<std::byte* const> results) {
  std::optional<host::Lines::Astray> astray;
  std::vector<const std::byte*> read = memory_of(body);
  std::vector<std::vector<std::byte>> partials, before;
  for (const host::Reduction& reduction : fold.reductions) {
    std::vector<std::byte*> written(results.begin(), results.end());
    if (!reduction.last()) {
      partials.clear();
      written.clear();
      for (std::size_t k = 0; k < fold.order.values.size(); ++k) {
        written.push_back(partials.emplace_back(reduction.count() * sizeof(std::int64_t)).data());
      }
    }
    const auto found = reduction.run(traits, read, beside, written);
    if (found) astray = found;
    std::swap(before, partials);
    read.clear();
    for (const std::vector<std::byte>& each : before) read.push_back(each.data());
  }
  return astray;
}

Work prepare_fold(runtime::Queue& queue, codegen::Step& step, bool cold) {
  const DeviceTraits& traits = queue.traits();
  const auto fold = std::make_shared<Fold>();
  fold->order = Reduction::order_of(step);
  fold->passes = Reduction::passes_of(fold->order, step.body, traits, step.node->place);
  std::vector<host::Reduction::Value> values;
  for (const Reduction::Value& value : fold->order.values) {
    values.push_back({value.reduction.kind, value.reduction.divisor, value.reduction.scale});
  }
  for (const Reduction::Pass& pass : fold->passes) {
    auto reduction = host::Reduction::of(pass.pass, pass.walk, pass.axes, values, traits);
    if (!reduction) return nullptr;
    fold->reductions.push_back(std::move(*reduction));
    if (fold->reductions.back().last()) break;
  }
  return [&queue, &step, fold, cold] {
    const Body& storing = step.storing();
    std::vector<graph::Destination> results = new_results(queue, storing);
    std::vector<std::byte*> memory;
    for (const graph::Destination& result : results) memory.push_back(result.storage->host());
    std::vector<const std::byte*> beside;
    for (const codegen::Load& load : loads_beside(fold->passes.back().pass)) {
      beside.push_back(load.source->storage->host());
    }
    run(queue, step, results, cold, [&] { return compute_fold(*fold, queue.traits(), step.body, beside, memory); });
    fulfil_all(storing, results);
  };
}

/// Elements by operations; none of what the host does not know.
std::optional<std::uint64_t> host_work_of(runtime::Queue& queue, const codegen::Step& step) {
  const bool known = step.family == Op::elementwise || step.family == Op::rows || step.family == Op::reduce;
  if (!known || step.body.domain.elements() == 0) return std::nullopt;
  if (!host_reads(step.body) || !host_reads(step.finish) || !host_writes(step.body)) return std::nullopt;
  return host::work_of(step.body, queue.traits());
}

/// `cold`: in place of kernels that are not compiled yet.
Work prepare_on_host(runtime::Queue& queue, codegen::Step& step, bool cold) {
  return step.family == Op::reduce ? prepare_fold(queue, step, cold) : prepare_elements(queue, step, cold);
}

}  // namespace

HostSteps::HostSteps(runtime::Context& context)
    : context_(context),
      on_(context.works_in_host_memory() && context.traits().tuning.host_step_work > 0 && context.known_idle()) {}

Work HostSteps::prepare(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  const bool on = on_ && step.family != Op::view;  // a view is nobody's work
  doer_ = Doer::host_small;
  if (Work small = on ? prepare_small(queue, step) : nullptr) return small;
  doer_ = Doer::host_cold;
  const std::size_t before = programs.missing().size();
  Work work = exec::prepare(programs, queue, step);
  if (on && programs.missing().size() > before) {
    if (Work cold = prepare_cold(queue, step, programs.missing(), before)) {
      programs.forget_missing(before);
      return cold;
    }
  }
  doer_ = Doer::device;
  if (step.family != Op::view) on_ = false;
  return work;
}

Work HostSteps::prepare_small(runtime::Queue& queue, codegen::Step& step) const {
  const auto work = host_work_of(queue, step);
  return work && *work <= queue.traits().tuning.host_step_work ? prepare_on_host(queue, step, false) : nullptr;
}

Work HostSteps::prepare_cold(runtime::Queue& queue, codegen::Step& step, const std::vector<Programs::Missing>& missing,
                             std::size_t first) const {
  const Programs::Missing& program = missing[first];
  auto work = host_work_of(queue, step);
  if (!work || program.compile) return nullptr;
  if (step.family == Op::reduce) *work += fold_work * static_cast<std::uint64_t>(step.body.domain.elements());
  const std::uint64_t done = context_.cold_work().done(program.signature);
  if (done + *work > (done == 0 ? most_cold_work : most_cold_work / cold_work_again)) return nullptr;
  if (context_.is_on_disk(program.text)) return nullptr;
  Work prepared = prepare_on_host(queue, step, true);
  if (!prepared) return nullptr;
  return [&context = context_, signature = program.signature, work = *work, prepared = std::move(prepared)] {
    context.cold_work().add(signature, work);
    prepared();
  };
}

}  // namespace koine::exec
