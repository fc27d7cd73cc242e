// SPDX-License-Identifier: Apache-2.0
// Launching kernels/topk.cl, and topk_rows of select_rows.cl.
#include "exec/families.hpp"
#include "exec/kernel_parameters.hpp"
#include "exec/kernel_run.hpp"
#include "exec/select.hpp"
#include "exec/topk_host.hpp"

#include <memory>
#include <optional>

namespace koine::exec {
namespace {

using runtime::BufferRef;

class Topk {
 public:
  /// Asks for all kernels.
  Topk(Programs& programs, runtime::Queue& queue, graph::Node& node)
      : queue_(queue),
        node_(node),
        info_(node.get<graph::Op::topk>()),
        results_(wanted_results(node)),
        count_(static_cast<std::uint64_t>(node.inputs[0]->shape.back())),
        rows_(static_cast<std::uint64_t>(node.inputs[0]->shape.elements()) / count_),
        host_(host_finds_topk(queue, static_cast<std::uint64_t>(info_.k))) {
    if (host_) {
      programs.host_command(topk_on_host, topk_at_once(queue.traits(), count_ * rows_));
      return;
    }
    const SelectSpec spec{{node.inputs[0]->dtype}, true, queue.traits().cpu_loops()};
    if (count_ <= longest_whole_row(queue.traits())) {
      whole_ = programs.kernel_of_file("select_rows", spec, "topk_rows");
      return;
    }
    limits_.emplace(programs, queue, spec, std::vector{info_.k - 1});
    counts_ = programs.kernel_of_file("topk", spec, "topk_count");
    writes_ = programs.kernel_of_file("topk", spec, "topk_write");
  }

  void run() const {
    const graph::Node& x = *node_.inputs[0];
    const SelectedRows rows{count_, rows_, static_cast<std::uint64_t>(x.layout.offset),
                            info_.descending ? ~std::uint64_t{0} : 0, *x.storage};
    const std::uint64_t elements = rows_ * static_cast<std::uint64_t>(info_.k);
    BufferRef values = allocate(elements * size_of(x.dtype)), positions = allocate(elements * sizeof(std::int64_t));
    if (host_) {
      run_topk_on_host(queue_, {x.dtype}, rows, static_cast<std::uint64_t>(info_.k), *values, *positions);
    } else {
      whole_ ? run_rows(rows, *values, *positions) : run_blocks(rows, *values, *positions);
    }
    graph::fulfil_results(node_, results_, {{std::move(values), std::move(positions)}});
  }

 private:
  BufferRef allocate(std::uint64_t bytes) const { return queue_.allocate(bytes, function_of(node_)); }

  void run_rows(const SelectedRows& rows, const runtime::Buffer& values, const runtime::Buffer& positions) const {
    parameters::kn_select_rows d{};
    d.count = rows.count;
    d.rows = rows.rows;
    d.offset = rows.offset;
    d.flip = rows.flip;
    d.rows_each = rows_of_item(queue_, rows);
    d.k = static_cast<std::uint64_t>(info_.k);
    runtime::Launch launch(queue_, whole_);
    run_units(launch.in(rows.from).out(values).out(positions).value(d), queue_,
              (d.rows + d.rows_each - 1) / d.rows_each);
  }

  void run_blocks(const SelectedRows& rows, const runtime::Buffer& values, const runtime::Buffer& positions) const {
    const BufferRef limits = limits_->run(rows, function_of(node_));
    parameters::kn_topk d{};
    d.count = rows.count;
    d.offset = rows.offset;
    d.flip = rows.flip;
    // Only blocks with a result are read twice.
    d.per_block = queue_.traits().tuning.sort_elements_per_block;
    d.blocks = (rows.count + d.per_block - 1) / d.per_block;
    d.k = static_cast<std::uint64_t>(info_.k);
    const BufferRef table = allocate(rows.rows * d.blocks * 2 * sizeof(std::uint32_t));
    runtime::Launch counts(queue_, counts_);
    run_units(counts.in(rows.from).in(*limits).out(*table).value(d), queue_, rows.rows * d.blocks);
    runtime::Launch writes(queue_, writes_);
    writes.in(rows.from).in(*limits).in(*table).out(values).out(positions).value(d);
    run_units(writes, queue_, rows.rows * d.blocks);
  }

  runtime::Queue& queue_;
  graph::Node& node_;
  const graph::TopkInfo& info_;
  const std::vector<graph::NodeRef> results_;
  const std::uint64_t count_, rows_;
  const bool host_;
  runtime::KernelRef whole_, counts_, writes_;
  std::optional<const SelectBlocks> limits_;
};

}  // namespace

// The input is in row-major order, of rows of fewer than 2^31 elements, and there is something to choose.
Work prepare_topk(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  return [topk = std::make_shared<const Topk>(programs, queue, *step.node)] { topk->run(); };
}

}  // namespace koine::exec
