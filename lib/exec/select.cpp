// SPDX-License-Identifier: Apache-2.0
// Launching kernels/select.cl and select_rows.cl.
#include "exec/select.hpp"

#include "base/rounding.hpp"
#include "exec/families.hpp"
#include "exec/kernel_parameters.hpp"
#include "exec/kernel_run.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace koine::exec {
namespace {

using runtime::BufferRef;

// Of the kernels' tables.
constexpr std::uint64_t digits = 256, first_bits = 11;

using base::divide_up;

}  // namespace

std::uint64_t longest_whole_row(const DeviceTraits& traits) { return traits.cpu_loops() ? 4096 : 32768; }

std::uint64_t blocks_of(const runtime::Queue& queue, const SelectedRows& rows) {
  const DeviceTraits& traits = queue.traits();
  const Tuning& tuning = traits.tuning;
  const std::uint64_t per_unit = traits.cpu_loops() ? tuning.sort_blocks_per_core : tuning.sort_blocks_per_unit;
  return std::clamp<std::uint64_t>(rows.count / tuning.select_elements_per_block, 1,
                                   divide_up(per_unit * traits.compute_units, rows.rows));
}

std::uint64_t rows_of_item(const runtime::Queue& queue, const SelectedRows& rows) {
  const DeviceTraits& traits = queue.traits();
  if (!traits.cpu_loops()) return 1;
  return std::max(divide_up(rows.rows, std::uint64_t{traits.tuning.items_per_core} * traits.compute_units),
                  divide_up(traits.tuning.select_elements_per_block, rows.count));
}

void run_units(runtime::Launch& launch, const runtime::Queue& queue, std::uint64_t units) {
  const std::size_t local = queue.traits().cpu_loops() ? 1 : group_size;
  launch.run({units * local}, {local});
}

SelectBlocks::SelectBlocks(Programs& programs, runtime::Queue& queue, const SelectSpec& spec,
                           std::vector<std::int64_t> ranks)
    : queue_(queue), cpu_(spec.cpu), bits_(8 * size_of(spec.key.type)), ranks_(std::move(ranks)) {
  count_ = programs.kernel_of_file("select", spec, "select_count");
  step_ = programs.kernel_of_file("select", spec, "select_step");
}

BufferRef SelectBlocks::run(const SelectedRows& rows, std::string_view function) const {
  const auto allocate = [&](std::uint64_t bytes) { return queue_.allocate(bytes, function); };
  const std::uint64_t jobs = ranks_.size(), first = std::min(bits_, first_bits), key = bits_ / 8;
  const std::uint64_t levels = 1 + divide_up(bits_ - first, 8);
  parameters::kn_select d{};
  d.count = rows.count;
  d.offset = rows.offset;
  d.flip = rows.flip;
  d.blocks = blocks_of(queue_, rows);
  std::copy(ranks_.begin(), ranks_.end(), d.ranks);
  d.jobs = static_cast<std::uint32_t>(jobs);

  // As KN_ROW_WORDS of the kernels.
  const std::uint64_t words = (std::uint64_t{1} << first) + (levels - 1) * jobs * digits + levels * jobs;
  const BufferRef control = allocate(rows.rows * words * sizeof(std::uint32_t));
  const BufferRef states = allocate(rows.rows * (levels + 1) * jobs * sizeof(parameters::kn_job));
  const BufferRef out = allocate(rows.rows * jobs * key);
  const std::uint64_t kept = levels > 1 ? rows.rows * rows.count * key : key;
  const BufferRef one = allocate(kept), two = allocate(levels > 2 ? kept : key);
  queue_.fill_zero(*control, 0, control->size(), function);
  {
    runtime::Launch counts(queue_, count_);
    counts.in(rows.from).out(*control).value(d);
    run_units(counts, queue_, rows.rows * d.blocks);
  }
  for (; d.level < levels; ++d.level) {
    if (d.level + 1 == levels) d.blocks = 1;
    runtime::Launch step(queue_, step_);
    step.in(rows.from).out(*one).out(*two).out(*control).out(*states).out(*out).value(d);
    run_units(step, queue_, rows.rows * d.blocks);
  }
  return out;
}

Work prepare_select(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  const auto elements = static_cast<std::uint64_t>(node.shape.elements());
  if (elements == 0) {
    return [&queue, &node] { graph::fulfil(node, queue.allocate(0, function_of(node)), graph::row_major(node.shape)); };
  }
  const std::vector<std::int64_t>& ranks = node.get<graph::Op::select>().ranks;
  const graph::Node& x = *node.inputs[0];
  const auto count = static_cast<std::uint64_t>(x.shape.back());
  const SelectSpec spec{{x.dtype}, false, queue.traits().cpu_loops()};
  const auto rows_of = [&queue, &node, count, elements, jobs = ranks.size()] {
    const graph::Node& from = *node.inputs[0];
    return SelectedRows{count, elements / jobs, static_cast<std::uint64_t>(from.layout.offset), 0, *from.storage};
  };
  if (count > longest_whole_row(queue.traits())) {
    return [&node, rows_of, blocks = std::make_shared<const SelectBlocks>(programs, queue, spec, ranks)] {
      graph::fulfil(node, blocks->run(rows_of(), function_of(node)), graph::row_major(node.shape));
    };
  }
  return [&queue, &node, rows_of, elements, kernel = programs.kernel_of_file("select_rows", spec, "select_rows")] {
    const SelectedRows rows = rows_of();
    const std::vector<std::int64_t>& ranks_of_row = node.get<graph::Op::select>().ranks;
    parameters::kn_select_rows d{};
    d.count = rows.count;
    d.rows = rows.rows;
    d.offset = rows.offset;
    d.rows_each = rows_of_item(queue, rows);
    std::copy(ranks_of_row.begin(), ranks_of_row.end(), d.ranks);
    d.jobs = static_cast<std::uint32_t>(ranks_of_row.size());
    BufferRef out = queue.allocate(elements * size_of(node.dtype), function_of(node));
    runtime::Launch launch(queue, kernel);
    run_units(launch.in(rows.from).out(*out).value(d), queue, divide_up(d.rows, d.rows_each));
    graph::fulfil(node, std::move(out), graph::row_major(node.shape));
  };
}

}  // namespace koine::exec
