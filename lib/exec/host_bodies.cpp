// SPDX-License-Identifier: Apache-2.0
// Element-wise code, whole rows, reductions, scans and scatters on the calling thread.
#include "codegen/names.hpp"
#include "exec/families.hpp"
#include "exec/host_run.hpp"
#include "exec/kernel_run.hpp"
#include "exec/reduce.hpp"
#include "host/each_run.hpp"
#include "host/parts.hpp"
#include "host/reduction.hpp"
#include "host/scan.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace koine::exec {

using codegen::Body;

namespace {

bool host_reads_all(const Body& body) {
  return std::all_of(body.loads.begin(), body.loads.end(),
                     [](const codegen::Load& load) { return load.iota || host_reads(*load.source); });
}

bool host_writes_all(const Body& body) {
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
  const DType type = body.type_of(output);
  const std::size_t size = host::size_in_registers(type), count = static_cast<std::size_t>(rows);
  std::vector<std::byte> firsts(count * size);
  host::gather({{rows}, {length}}, {}, static_cast<const std::byte*>(lines.values(output.line)), size, 0, count,
               firsts.data());
  const std::int64_t all = body.domain.elements() / length, row = static_cast<std::int64_t>(first) / length;
  host::store(graph::row_major({all}), type, memory, row, count, firsts.data());
}

/// Whether results lie side by side in rows alone.
bool is_in_rows(const Body& body, const graph::Destination& result) {
  return body.folds.empty() && !graph::is_row_major(result.layout) && host::lies_in_rows(result.layout);
}

/// For each output whether its line may leave its values in memory at once: side by side, in memory that nothing is
/// read from.
std::vector<bool> stored_at_once(const Body& body, std::span<const graph::Destination> results) {
  std::vector<bool> stored;
  for (std::size_t k = 0; k < results.size(); ++k) {
    const codegen::Output& output = body.outputs[k];
    const DType type = body.type_of(output);
    const bool first = std::none_of(body.outputs.data(), &output,
                                    [&](const codegen::Output& other) { return other.line == output.line; });
    const bool read = std::any_of(body.loads.begin(), body.loads.end(), [&](const codegen::Load& load) {
      return !load.iota && load.source->storage == results[k].storage;
    });
    stored.push_back(first && !read && !body.of_row(output) &&
                     (graph::is_row_major(results[k].layout) || is_in_rows(body, results[k])) &&
                     size_of(type) == host::size_in_registers(type));
  }
  return stored;
}

/// Elements of one thread.
class Elements {
 public:
  Elements(const Body& body, const DeviceTraits& traits, std::span<const graph::Destination> results)
      : body_(body), results_(results), at_once_(stored_at_once(body, results)), lines_(body, traits, memory_of(body)) {
    const bool rows = std::any_of(results.begin(), results.end(),
                                  [&](const graph::Destination& result) { return is_in_rows(body, result); });
    if (rows) row_ = static_cast<std::size_t>(body.domain.back());
  }

  void compute(std::size_t first, std::size_t end) {
    for (std::size_t count; first < end; first += count) {
      count = std::min(lines_.most_from(first), end - first);
      if (row_ > 0) count = std::min(count, row_ - first % row_);
      for (std::size_t k = 0; k < results_.size(); ++k) {
        if (at_once_[k]) at_once_[k] = lines_.redirect(body_.outputs[k].line, at(k, first));
      }
      lines_.compute(static_cast<std::int64_t>(first), count);
      for (std::size_t k = 0; k < results_.size(); ++k) {
        if (!at_once_[k]) store(k, static_cast<std::int64_t>(first), count);
      }
    }
  }
  const std::optional<host::Lines::Astray>& astray() const { return lines_.astray(); }

 private:
  std::byte* memory(std::size_t k) const { return results_[k].storage->host(); }
  std::byte* at(std::size_t k, std::size_t element) const {
    const std::int64_t offset = host::offset_of(results_[k].layout, static_cast<std::int64_t>(element));
    return memory(k) + offset * static_cast<std::int64_t>(size_of(body_.type_of(body_.outputs[k])));
  }

  void store(std::size_t k, std::int64_t first, std::size_t count) const {
    const codegen::Output& output = body_.outputs[k];
    if (body_.of_row(output)) {
      return store_rows(body_, lines_, output, memory(k), static_cast<std::size_t>(first), count);
    }
    host::store(results_[k].layout, body_.type_of(output), memory(k), first, count, lines_.values(output.line));
  }

  const Body& body_;
  const std::span<const graph::Destination> results_;
  std::vector<bool> at_once_;
  host::Lines lines_;
  std::size_t row_ = 0;  // elements of a row, where results lie side by side in rows alone
};

std::optional<host::Lines::Astray> compute_elements(const Body& body, const DeviceTraits& traits, std::uint64_t work,
                                                    std::span<const graph::Destination> results) {
  constexpr std::size_t few_elements = 1 << 14;
  const auto elements = static_cast<std::size_t>(body.domain.elements());
  const std::size_t row = body.folds.empty() ? 1 : static_cast<std::size_t>(body.domain[body.domain.size() - 1]);
  const std::size_t of_part = std::max(few_elements / row, std::size_t{1}) * row;
  host::Parts parts((elements + of_part - 1) / of_part);
  std::mutex mutex;
  std::optional<host::Lines::Astray> astray;
  host::share(traits, work, parts, [&] {
    Elements mine(body, traits, results);
    for (std::size_t part; parts.take(part);) mine.compute(part * of_part, std::min(elements, (part + 1) * of_part));
    const std::lock_guard lock(mutex);
    if (mine.astray()) astray = mine.astray();
  });
  return astray;
}

/// The results of a reduction, in row-major order.
std::vector<graph::Destination> new_results(runtime::Queue& queue, const Body& body) {
  std::vector<graph::Destination> results;
  for (const codegen::Output& output : body.outputs) {
    results.push_back(new_result(queue, *output.node));
  }
  return results;
}

void fulfil_all(const Body& body, std::vector<graph::Destination>& results) {
  for (std::size_t k = 0; k < body.outputs.size(); ++k) {
    graph::fulfil(*body.outputs[k].node, std::move(results[k].storage), std::move(results[k].layout));
  }
}

/// A reduction, pass by pass.
struct Fold {
  Reduction::Order order;
  std::deque<Reduction::Pass> passes;
  std::vector<host::Reduction> reductions;
};

std::optional<host::Lines::Astray> compute_fold(const Fold& fold, const DeviceTraits& traits, std::uint64_t work,
                                                const Body& body, std::span<const std::byte* const> beside,
                                                std::span<std::byte* const> results) {
  std::optional<host::Lines::Astray> astray;
  std::vector<const std::byte*> read = memory_of(body);
  std::vector<std::vector<std::byte>> partials, before;
  for (const host::Reduction& reduction : fold.reductions) {
    std::vector<std::byte*> written(results.begin(), results.end());
    if (!reduction.last()) {
      partials.clear();
      written.clear();
      for (std::size_t k = 0; k < reduction.parts(); ++k) {
        written.push_back(partials.emplace_back(reduction.count() * host::widest_in_registers).data());
      }
    }
    const auto found = reduction.run(traits, std::exchange(work, 0), read, beside, written);
    if (found) astray = found;
    std::swap(before, partials);
    read.clear();
    for (const std::vector<std::byte>& each : before) read.push_back(each.data());
  }
  return astray;
}

/// The values of a body put where its positions say, one after another: of equal positions the last counts.
std::optional<host::Lines::Astray> scatter(const Body& body, const DeviceTraits& traits, const graph::Node& from,
                                           std::byte* to) {
  const codegen::Output& output = body.outputs[0];
  const std::size_t size = size_of(from.dtype), number = static_cast<std::size_t>(body.type_of(output));
  std::memcpy(to, from.storage->host() + from.layout.offset * static_cast<std::int64_t>(size),
              static_cast<std::size_t>(from.shape.elements()) * size);
  host::Lines lines(body, traits, memory_of(body));
  std::vector<std::byte> values(lines.most() * size);
  const auto elements = static_cast<std::size_t>(body.domain.elements());
  for (std::size_t first = 0; first < elements; first += lines.most()) {
    const std::size_t count = std::min(lines.most(), elements - first);
    lines.compute(static_cast<std::int64_t>(first), count);
    const void* const computed[] = {lines.values(output.line), nullptr, nullptr};
    host::functions().stores[number](values.data(), computed, count);
    const auto* const at = static_cast<const std::int64_t*>(lines.values(output.at));
    for (std::size_t i = 0; i < count; ++i) {
      if (at[i] >= 0) std::memcpy(to + static_cast<std::size_t>(at[i]) * size, values.data() + i * size, size);
    }
  }
  return lines.astray();
}

/// A scan of one axis of a body.
struct HostScan {
  codegen::ScanPass pass;
  std::optional<host::Scan> scan;
};

/// Whether rows come down to one value each, which the host finds in vectors, and nothing else is made of them.
bool folds_alone(const Body& body, std::int64_t shortest_row) {
  const auto in_vectors = [&](const codegen::RowFold& fold) {
    const graph::State state = graph::info(fold.node->get<graph::Op::reduce>().kind).state;
    return state == graph::State::value || state == graph::State::position;
  };
  return body.lines.back().op == graph::Op::reduce && body.domain.back() >= shortest_row &&
         std::all_of(body.folds.begin(), body.folds.end(), in_vectors) &&
         std::all_of(body.outputs.begin(), body.outputs.end(), [&](const auto& output) { return body.of_row(output); });
}

}  // namespace

bool goes_along_memory(const Body& body) {
  // Kernels keep longer bodies in registers, and read several shifted operands at once.
  constexpr std::size_t most_lines = 12, most_loads = 2;
  const bool rows = !body.folds.empty();
  const auto in_place = [&](const codegen::Load& load) {
    if (load.in_order()) return true;
    if (load.iota || load.loop >= 0 || !load.seams.empty()) return false;
    const Shape& strides = load.layout.strides;
    // Elements that are taken by positions are, too, as far as nothing else says where they lie.
    if (std::all_of(strides.begin(), strides.end(), [](std::int64_t stride) { return stride == 0; })) return true;
    if (!load.take && !rows && host::is_beside_rows(load.layout)) return true;
    return !load.take && !rows && body.loads.size() <= most_loads && host::lies_in_rows(load.layout);
  };
  const auto in_rows = [&](const codegen::Output& output) {
    return !output.destination || graph::is_row_major(output.destination->layout) ||
           is_in_rows(body, *output.destination);
  };
  return (!rows || folds_alone(body, host::shortest_row)) && body.loops.empty() && body.lines.size() <= most_lines &&
         std::all_of(body.loads.begin(), body.loads.end(), in_place) &&
         std::all_of(body.outputs.begin(), body.outputs.end(), in_rows);
}

namespace {

std::optional<std::uint64_t> work_of_body(const HostRun& run) {
  const codegen::Step& step = run.step;
  if (step.body.domain.elements() == 0) return std::nullopt;
  if (!host_reads_all(step.body) || !host_reads_all(step.finish) || !host_writes_all(step.body)) return std::nullopt;
  const bool scatters = step.family == graph::Op::scatter;
  for (const codegen::Output& output : step.body.outputs) {
    if ((output.at >= 0) != scatters) return std::nullopt;
  }
  if (scatters && !host_reads(*step.node->inputs[0])) return std::nullopt;
  return host::work_of(step.body, run.queue.traits());
}

Work elements_on_host(const HostRun& run) {
  return [run] {
    const Body& body = run.step.body;
    std::vector<graph::Destination> results = results_of(run.queue, body, nullptr);
    const auto compute = [&] { return compute_elements(body, run.queue.traits(), run.work, results); };
    run_on_host(
        run, [&] { return codegen::kernel_name(body); }, results, std::cref(compute));  // which allocates nothing
    fulfil_all(body, results);
  };
}

Work reduce_on_host(const HostRun& run) {
  const DeviceTraits& traits = run.queue.traits();
  codegen::Step& step = run.step;
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
    if (fold->reductions.empty() && run.only_shared && !reduction->streams(run.work)) return nullptr;
    fold->reductions.push_back(std::move(*reduction));
    if (fold->reductions.back().last()) break;
  }
  return [run, fold] {
    const Body& storing = run.step.storing();
    std::vector<graph::Destination> results = new_results(run.queue, storing);
    std::vector<std::byte*> memory;
    for (const graph::Destination& result : results) memory.push_back(result.storage->host());
    std::vector<const std::byte*> beside;
    for (const codegen::Load& load : loads_beside(fold->passes.back().pass)) {
      beside.push_back(load.source->storage->host());
    }
    codegen::ReducePass whole = fold->passes.front().pass;
    whole.last = true;
    const auto compute = [&] {
      return compute_fold(*fold, run.queue.traits(), run.work, run.step.body, beside, memory);
    };
    run_on_host(
        run, [&] { return codegen::kernel_name(whole); }, results, std::cref(compute));
    fulfil_all(storing, results);
  };
}

Work scatter_on_host(const HostRun& run) {
  return prepare_result_on_host(
      run, [run](std::byte* to) { return scatter(run.step.body, run.queue.traits(), *run.step.node->inputs[0], to); });
}

Work scan_on_host(const HostRun& run) {
  const graph::Node& node = *run.step.node;
  const auto& info = node.get<graph::Op::scan>();
  const auto scan = std::make_shared<HostScan>();
  scan->pass = {.kind = info.kind,
                .body = &run.step.body,
                .axis = *graph::whole_part(node.inputs[0]->shape, run.step.body.domain, info.axis),
                .result = node.dtype,
                .exclusive = info.exclusive,
                .custom = info.custom.get()};
  scan->scan = host::Scan::of(scan->pass, run.queue.traits());
  if (!scan->scan) return nullptr;
  return [run, scan] {
    graph::Node& scanned = *run.step.node;
    graph::Destination result = new_result(run.queue, scanned);
    run_on_host(
        run, [&] { return codegen::kernel_name(scan->pass); }, {&result, 1},
        [&] { return scan->scan->run(run.queue.traits(), memory_of(run.step.body), result.storage->host()); });
    graph::fulfil(scanned, std::move(result.storage), std::move(result.layout));
  };
}

}  // namespace

const HostRunner host_elementwise{.work = work_of_body, .prepare = elements_on_host, .shares = true};
const HostRunner host_rows{.work = work_of_body, .prepare = elements_on_host, .shares = true};
const HostRunner host_reduce{.work = work_of_body, .prepare = reduce_on_host, .shares = true};
const HostRunner host_scatter{.work = work_of_body, .prepare = scatter_on_host};
const HostRunner host_scan{.work = work_of_body, .prepare = scan_on_host};

}  // namespace koine::exec
