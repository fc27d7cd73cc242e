// SPDX-License-Identifier: Apache-2.0
// A stable radix sort by digits of eight bits, lowest first: launching kernels/sort_rows.cl and sort_blocks.cl.
#include "exec/sort.hpp"

#include "base/dtypes.hpp"
#include "base/rounding.hpp"
#include "exec/families.hpp"
#include "exec/kernel_parameters.hpp"
#include "exec/kernel_run.hpp"
#include "exec/scan.hpp"
#include "exec/sort_host.hpp"
#include "exec/sort_sweep.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace koine::exec {
namespace {

using runtime::BufferRef;

constexpr std::uint64_t digits = 256;

using base::divide_up;

/// Elements of a work-item in a tile of a GPU whose elements take so many bytes each.
std::uint64_t tile_each(const Tuning& tuning, std::uint64_t bytes, std::uint64_t local_bytes_of_item) {
  return std::min<std::uint64_t>(tuning.sort_tile_elements, local_bytes_of_item / bytes - 2);
}

/// Rows that lie one after another in memory. Of the values each row in order: -0.0 comes before 0.0 (after, if
/// descending), NaN last. Or the positions, of int64, of a row's elements in order: equal elements keep theirs, NaN
/// among themselves, and both zeros, being equal; NaN comes last. Or both, of which only one may be wanted.
class Sort {
 public:
  /// Asks for all kernels.
  Sort(Programs& programs, runtime::Queue& queue, graph::Node& node)
      : queue_(queue),
        node_(node),
        x_(*node.inputs[0]),
        info_(node.get<graph::Op::sort>()),
        count_(static_cast<std::uint64_t>(x_.shape.back())),
        elements_(static_cast<std::uint64_t>(x_.shape.elements())),
        rows_(count_ == 0 ? 0 : elements_ / count_),
        cpu_(queue.traits().cpu_loops()),
        tuning_(queue.traits().tuning),
        results_(wanted_results(node)),
        values_wanted_(info_.gives == graph::SortGives::values || (results_.size() > 1 && results_[0])),
        positions_wanted_(info_.gives == graph::SortGives::positions || (results_.size() > 1 && results_[1])),
        key_(size_of(x_.dtype)),
        wide_(count_ > std::numeric_limits<std::uint32_t>::max()),
        placed_(info_.gives != graph::SortGives::values),
        apart_(placed_ && (wide_ || key_ > 4)),
        item_(!placed_ ? key_
              : apart_ ? 16
                       : 8),
        tile_(group_size * sort_tile_each(queue.traits(), key_)) {
    if (elements_ == 0 || !(values_wanted_ || positions_wanted_)) return;
    const std::uint64_t units = queue_.traits().compute_units;
    const bool whole =
        cpu_ ? count_ <= tuning_.sort_longest_row || rows_ >= tuning_.sort_blocks_per_core * units : count_ <= tile_;
    if (SortHost::suits(queue_, spec(std::nullopt), count_)) {
      host_ = std::make_unique<const SortHost>(programs, queue_, spec(std::nullopt), elements_);
    } else if (whole) {
      whole_ = kernel(programs, "sort_rows", "sort_rows", tile_ / group_size);
    } else if (SortSweep::suits(queue_.traits(), count_)) {
      sweep_ = std::make_unique<const SortSweep>(programs, queue_, spec(std::nullopt));
    } else {
      prepare_blocks(programs);
    }
  }

  void run() {
    if (values_wanted_) values_ = allocate(elements_ * key_);
    if (positions_wanted_) positions_ = allocate(elements_ * sizeof(std::uint64_t));
    if (whole_) run_rows();
    if (sweep_) sweep_->run(sorted_rows(), function_of(node_));
    if (host_) host_->run(sorted_rows(), function_of(node_));
    if (blocks_.scan) run_blocks();
    if (info_.gives == graph::SortGives::both) return fulfil_results(node_, results_, {{values_, positions_}});
    graph::fulfil(node_, any_result(), graph::row_major(node_.shape));
  }

 private:
  /// How the elements of long rows are moved by one digit.
  struct Blocks {
    std::uint64_t per_block, count;
    runtime::KernelRef counts, scatter;
    graph::NodeRef table;  // of counts, in memory while they are used
    codegen::Body body;
    std::unique_ptr<const Scan> scan;
  };

  SortedRows sorted_rows() const { return {count_, rows_, offset(), flip(), *x_.storage, values_, positions_}; }
  BufferRef allocate(std::uint64_t bytes) { return queue_.allocate(bytes, function_of(node_)); }
  /// One that is wanted, for a parameter that the kernel does not use, too.
  const BufferRef& any_result() const { return values_ ? values_ : positions_; }
  void add_results(runtime::Launch& launch) const {
    launch.out(values_ ? *values_ : *positions_).out(positions_ ? *positions_ : *values_);
  }
  std::uint64_t flip() const { return info_.descending ? ~std::uint64_t{0} : 0; }
  std::uint64_t offset() const { return static_cast<std::uint64_t>(x_.layout.offset); }
  SortSpec spec(std::optional<int> each) const {
    return {{x_.dtype}, values_wanted_, positions_wanted_, placed_, apart_, wide_, cpu_, each};
  }
  runtime::KernelRef kernel(Programs& programs, const char* file, const char* entry, std::uint64_t each) const {
    return programs.kernel_of_file(file, spec(cpu_ ? std::nullopt : std::optional(static_cast<int>(each))), entry);
  }

  void launch(runtime::Launch& launch, std::uint64_t units) {
    if (cpu_) {
      launch.run({units}, {1});
    } else {
      launch.run({units * group_size}, {group_size});
    }
  }

  void run_rows() {
    parameters::kn_sort_rows d{count_, rows_, offset(), flip(), 1, 0};
    if (cpu_) {
      d.rows_each = std::max(divide_up(rows_, std::uint64_t{tuning_.items_per_core} * queue_.traits().compute_units),
                             divide_up(tuning_.sort_elements_per_item, count_));
    } else {
      d.rows_each = tile_ / count_;
      if (d.rows_each > 1) d.row_bits = static_cast<std::uint64_t>(std::bit_width((tile_ - 1) / count_));
    }
    const std::uint64_t units = divide_up(rows_, d.rows_each);
    BufferRef scratch;
    runtime::Launch each(queue_, whole_);
    each.in(*x_.storage);
    add_results(each);
    if (cpu_) {
      scratch = allocate(2 * units * count_ * item_);
      each.out(*scratch);
    }
    launch(each.value(d), units);
  }

  void prepare_blocks(Programs& programs) {
    const std::uint64_t each = tile_each(tuning_, item_, 80);
    blocks_.per_block = group_size * each;
    if (cpu_) {
      const std::uint64_t enough =
          divide_up(std::uint64_t{tuning_.sort_blocks_per_core} * queue_.traits().compute_units, rows_);
      blocks_.per_block =
          divide_up(count_, std::clamp<std::uint64_t>(count_ / tuning_.sort_elements_per_item, 1, enough));
    }
    blocks_.count = divide_up(count_, blocks_.per_block);
    blocks_.counts = kernel(programs, "sort_blocks", "sort_count", each);
    blocks_.scatter = kernel(programs, "sort_blocks", "sort_scatter", each);
    const DType counted = wide_ ? DType::uint64 : DType::uint32;
    const Shape shape{rows_, digits * blocks_.count};
    blocks_.table = graph::make_leaf(counted, graph::row_major(shape), nullptr, node_.place);
    blocks_.body = stored_body({blocks_.table}, shape, &node_);
    blocks_.scan =
        std::make_unique<Scan>(programs, queue_, blocks_.body, graph::ScanInfo{graph::ReduceKind::sum, 1}, counted);
  }

  void run_blocks() {
    parameters::kn_sort_pass d{};
    d.count = count_;
    d.offset = offset();
    d.flip = flip();
    d.per_block = blocks_.per_block;
    d.blocks = blocks_.count;
    const std::uint64_t units = rows_ * d.blocks;
    const BufferRef table = allocate(units * digits * size_of(blocks_.table->dtype));
    blocks_.table->storage = table;
    // Items go to and fro between two buffers. A result's own is the second, if they are of one size: the number of
    // passes is even, or one.
    const BufferRef one = key_ > 1 ? allocate(elements_ * item_) : any_result();
    const BufferRef fitting = !placed_ ? values_ : apart_ ? nullptr : positions_;
    const BufferRef two = fitting ? fitting : key_ > 1 ? allocate(elements_ * item_) : any_result();
    for (std::uint32_t pass = 0; pass < key_; ++pass) {
      const runtime::Buffer &to = pass % 2 == 0 ? *one : *two, &from = pass % 2 == 0 ? *two : *one;
      d.shift = 8 * pass;
      d.first = pass == 0;
      d.last = pass + 1 == key_;
      {
        runtime::Launch counts(queue_, blocks_.counts);
        launch(counts.in(*x_.storage).in(from).out(*table).value(d), units);
      }
      const BufferRef begins = blocks_.scan->run();
      runtime::Launch moves(queue_, blocks_.scatter);
      moves.in(*x_.storage).in(from).out(to);
      add_results(moves);
      launch(moves.in(*begins).value(d), units);
    }
  }

  runtime::Queue& queue_;
  graph::Node& node_;
  const graph::Node& x_;
  const graph::SortInfo& info_;
  const std::uint64_t count_, elements_, rows_;
  const bool cpu_;
  const Tuning& tuning_;
  const std::vector<graph::NodeRef> results_;  // of a sort that gives both
  const bool values_wanted_, positions_wanted_;
  const std::uint64_t key_;  // bytes
  const bool wide_, placed_, apart_;
  const std::uint64_t item_;                // bytes
  const std::uint64_t tile_;                // elements that a group of a GPU sorts at once
  runtime::KernelRef whole_;                // of short rows
  std::unique_ptr<const SortSweep> sweep_;  // of others, or
  std::unique_ptr<const SortHost> host_;    // of all, or
  Blocks blocks_;
  BufferRef values_, positions_;
};

}  // namespace

std::uint64_t sort_tile_each(const DeviceTraits& traits, std::uint64_t bytes) {
  constexpr std::uint64_t position = 2, local_bytes_of_item = 90;
  return tile_each(traits.tuning, bytes + position, local_bytes_of_item);
}

std::uint64_t KeySpec::infinity_bits() const {
  if (!is_real_floating(type)) return 0;
  const base::DTypeRow& row = base::row_of(type);
  return static_cast<std::uint64_t>(2 * row.max_exponent + 1) << (row.digits - 1);
}

Work prepare_sort(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  return [sort = std::make_shared<Sort>(programs, queue, *step.node)] { sort->run(); };
}

}  // namespace koine::exec
