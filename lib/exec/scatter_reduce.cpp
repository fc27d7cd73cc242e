// SPDX-License-Identifier: Apache-2.0
// Launching kernels/scatter_reduce.cl and scatter_buckets.cl.
#include "exec/scatter_reduce.hpp"

#include "codegen/print.hpp"
#include "exec/donate.hpp"
#include "exec/families.hpp"
#include "exec/kernel_parameters.hpp"
#include "exec/kernel_run.hpp"
#include "exec/run_products.hpp"
#include "exec/scatter_reduce_host.hpp"
#include "exec/sort.hpp"
#include "exec/sort_sweep.hpp"
#include "graph/infer.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>

namespace koine::exec {
namespace {

using graph::SegmentKind;
using runtime::BufferRef;
using runtime::KernelRef;
using runtime::Launch;

// A table is so much shorter than the values that fall to it: its entries are cleared, brought together and read.
constexpr std::uint64_t values_per_entry = 4;
// Ids of a bucket (KN_BUCKET), and the launches beyond others that values sorted by buckets take.
constexpr std::uint64_t bucket = 256, launches_of_buckets = 4;
// Values up to which no part of their sums, of 64 bits, overflows.
constexpr std::uint64_t most_ranged = std::uint64_t{1} << 32;

struct ScatterReduceSpec {
  KeySpec key;
  DType ids, result;
  bool extreme, single, same, cpu, local, ranged, narrow;  // rows of one value; one value for all; ...; 32-bit numbers

  template <class Visit>
  void visit(Visit& v) const {
    const int bits = static_cast<int>(8 * size_of(result));
    key.visit(v);
    v.define("KN_ID", codegen::memory_type(ids));
    v.define("KN_REDUCE", codegen::one_if(extreme));
    v.define("KN_RESULT_BITS", size_of(result) != size_of(key.type) ? std::optional(bits) : std::nullopt);
    v.define("KN_SINGLE", single);
    v.define("KN_SAME", same);
    v.define("KN_CPU", cpu);
    v.define("KN_LOCAL", local);
    v.define("KN_RANGED", ranged);
    v.define("KN_INDEX", std::string_view(narrow ? "uint" : ""));
  }
};

class ScatterReduce {
 public:
  /// Asks for all kernels.
  ScatterReduce(Programs& programs, runtime::Queue& queue, const graph::Node& node)
      : queue_(queue),
        node_(node),
        info_(node.get<graph::Op::scatter_reduce>()),
        values_(*node.inputs[0]),
        ids_(*node.inputs[1]),
        base_(node.inputs.size() > 2 ? node.inputs[2].get() : nullptr),
        type_(graph::real_part(values_.dtype)),
        result_(graph::real_part(node.dtype)),
        tuning_(queue.traits().tuning),
        cpu_(queue.traits().cpu_loops()),
        sum_(info_.kind == SegmentKind::sum),
        exact_(sum_ && is_real_floating(result_)),
        keyed_(exact_ || !sum_),
        totalled_(sum_ || size_of(type_) == 8),
        words_(exact_                          ? size_of(result_) == 8 ? 4 : 3
               : sum_ && size_of(result_) == 8 ? 2
                                               : 1) {
    const std::uint64_t each = size_of(values_.dtype) / size_of(type_);
    entries_ = static_cast<std::uint64_t>(node.shape.elements()) * each;
    d_.rows = static_cast<std::uint64_t>(ids_.shape.elements());
    d_.groups = static_cast<std::uint64_t>(info_.groups);
    d_.inner = entries_ / d_.groups;
    d_.flip = info_.kind == SegmentKind::min ? ~std::uint64_t{0} : 0;
    d_.based = base_ != nullptr;
    d_.reports = info_.ids != graph::IdsAre::known_positions;
    d_.wraps = info_.ids == graph::IdsAre::positions;
    count_ = d_.rows * d_.inner;
    same_ = static_cast<std::uint64_t>(values_.shape.elements()) * each < count_;
    local_ = !cpu_ && local_bytes(true) <= tuning_.segment_local_bytes;
    d_.parts = 1;
    if (cpu_) {
      const std::uint64_t enough =
          std::max<std::uint64_t>(tuning_.segment_values_per_item, values_per_entry * entries_);
      const std::uint64_t most = std::uint64_t{tuning_.items_per_core} * queue.traits().compute_units;
      d_.parts = std::clamp<std::uint64_t>(count_ / enough, 1, most);
    }
    const bool together = local_ && count_ + entries_ <= tuning_.segment_values_at_once;
    const bool few = base_ && updates_at_once(queue.traits(), static_cast<std::int64_t>(count_));
    if (together && !(few && dies_with(node, node.inputs[2]))) {
      at_once_ = kernel(programs, "scatter_reduce_at_once");
      return;
    }
    if (few) {
      local_ = true;
      few_ = kernel(programs, "scatter_reduce_few");
      return;
    }
    if (exact_ && !local_ && !same_ && d_.inner == 1 && type_ == DType::float32 && result_ == type_ &&
        count_ >= launches_of_buckets * tuning_.segment_values_per_launch &&
        d_.groups >= tuning_.segment_sorted_groups && d_.groups < ~std::uint32_t{0} &&
        SortSweep::suits(queue.traits(), count_)) {
      prepare_buckets(programs);
      return;
    }
    ranged_ =
        exact_ && !local_ && size_of(type_) <= 4 && count_ >= tuning_.segment_values_per_launch && count_ < most_ranged;
    if (ranged_) {
      // Terms have 62 bits and a sign (exact_sum.clh). The upper part has as many as leave room for carries.
      d_.part_bits = std::max(static_cast<std::uint32_t>(std::bit_width(count_)), 2u) - 1;
      range_ = kernel(programs, "scatter_reduce_range");
    }
    if (keyed_) largest_ = kernel(programs, "scatter_reduce_largest"), join_ = kernel(programs, "scatter_reduce_join");
    if (totalled_) total_ = kernel(programs, "scatter_reduce_total");
    finish_ = kernel(programs, "scatter_reduce_finish");
  }

  BufferRef run() {
    const std::uint64_t each = size_of(values_.dtype) / size_of(type_);
    d_.values_offset = static_cast<std::uint64_t>(values_.layout.offset) * each;
    d_.ids_offset = static_cast<std::uint64_t>(ids_.layout.offset);
    d_.base_offset = base_ ? static_cast<std::uint64_t>(base_->layout.offset) * each : 0;
    const std::uint64_t total_bytes = cpu_ ? exact_ ? 16
                                             : sum_ ? 8
                                                    : 4
                                           : (words_ == 3 ? 4 : words_) * sizeof(std::uint32_t);
    const bool replaced = base_ && dies_with(node_, node_.inputs[2]);
    const auto fault = queue_.fault(id_cause(info_), replaced ? base_->storage.get() : nullptr);
    const BufferRef out = few_ ? in_place() : queue_.allocate(entries_ * size_of(result_), info_.name);
    if (sweep_ || at_once_ || few_) {
      sweep_ ? run_buckets(*out, fault->word())
      : few_ ? run_few(*out, fault->word())
             : run_at_once(*out, fault->word());
      if (d_.reports) queue_.add_fault(*out, fault);
      return out;
    }
    const BufferRef keys = table(keyed_ ? sizeof(std::uint32_t) : 0), totals = table(totalled_ ? total_bytes : 0);
    const runtime::Buffer& base = base_ ? *base_->storage : *keys;
    BufferRef range;
    const auto add_range = [&](Launch& launch) -> Launch& { return ranged_ ? launch.in(*range) : launch; };
    if (ranged_) {
      range = queue_.allocate(2 * sizeof(std::uint32_t), info_.name);
      queue_.fill_zero(*range, 0, range->size(), info_.name);
      Launch look(queue_, range_);
      look.in(*values_.storage).in(base).out(*range).value(d_);
      run_over(look, queue_, *range_, count_, tuning_.reduce_elements_per_item);
    }
    if (keyed_ && count_ > 0) {
      Launch raise(queue_, largest_);
      add_range(add_values(raise).out(*keys).out(fault->word())).value(d_);
      run_values(raise, *largest_, local_bytes(false));
      Launch joined(queue_, join_);
      add_range(joined.out(*keys).in(base)).value(d_);
      run_over(joined, queue_, *join_, entries_, tuning_.elements_per_item);
    }
    if (totalled_ && count_ > 0) {
      Launch add(queue_, total_);
      add_range(add_values(add).in(*keys).out(*totals).out(fault->word())).value(d_);
      run_values(add, *total_, local_bytes(true));
    }
    Launch last(queue_, finish_);
    add_range(last.in(*keys).in(*totals).in(base).out(*out)).value(d_);
    run_over(last, queue_, *finish_, entries_, tuning_.elements_per_item);
    if (d_.reports) queue_.add_fault(*out, fault);
    return out;
  }

 private:
  std::uint64_t local_bytes(bool total) const {
    return (1 + (total && totalled_ ? words_ : 0)) * entries_ * sizeof(std::uint32_t);
  }

  /// The array's own memory if nobody else needs it, else a copy of it.
  BufferRef in_place() {
    const std::uint64_t bytes = entries_ * size_of(result_);
    // It is not overwritten where the kernel could still fail after it ran: the work would be tried again.
    BufferRef out = queue_.context().waits_after(*few_) ? nullptr : donated(node_, node_.inputs[2], bytes);
    if (out) return out;
    out = queue_.allocate(bytes, info_.name);
    queue_.copy(*out, 0, *base_->storage, d_.base_offset * size_of(result_), bytes, info_.name);
    return out;
  }

  /// Zeros for each entry of each part.
  BufferRef table(std::uint64_t bytes_of_entry) {
    BufferRef result = queue_.allocate(std::max<std::uint64_t>(d_.parts * entries_ * bytes_of_entry, 4), info_.name);
    if (bytes_of_entry > 0) queue_.fill_zero(*result, 0, result->size(), info_.name);
    return result;
  }

  KernelRef kernel(Programs& programs, const char* entry, const char* file = "scatter_reduce") {
    const bool narrow = !cpu_ && count_ < std::uint64_t{1} << 31;
    const ScatterReduceSpec spec{{type_}, ids_.dtype, result_, !sum_,   d_.inner == 1,
                                 same_,   cpu_,       local_,  ranged_, narrow};
    return programs.kernel_of_file(file, spec, entry);
  }

  void prepare_buckets(Programs& programs) {
    keys_ = kernel(programs, "scatter_keys", "scatter_buckets");
    begins_ = kernel(programs, "scatter_begins", "scatter_buckets");
    buckets_ = kernel(programs, "scatter_buckets", "scatter_buckets");
    SortSpec spec{{DType::uint32}, true, true, true};
    spec.payload = true;
    sweep_.emplace(programs, queue_, spec);
  }

  void run_buckets(const runtime::Buffer& out, const runtime::Buffer& fault) {
    const auto words = [&](std::uint64_t count) { return queue_.allocate(count * sizeof(std::uint32_t), info_.name); };
    const std::uint64_t buckets = d_.groups / bucket + 1;
    const BufferRef keys = words(count_), sorted = words(count_), values = words(count_), begins = words(buckets + 1);
    Launch made(queue_, keys_);
    made.in(*ids_.storage).out(*keys).out(fault).value(d_);
    run_over(made, queue_, *keys_, count_, 1);
    // All but the lowest digit: in a bucket the values come in any order.
    sweep_->run({count_, 1, 0, 0, *keys, sorted, values, values_.storage.get(), d_.values_offset, 1}, info_.name);
    Launch found(queue_, begins_);
    found.in(*sorted).out(*begins).value(d_);
    run_over(found, queue_, *begins_, count_, 1);
    Launch last(queue_, buckets_);
    last.in(*sorted).in(*values).in(*begins).in(base_ ? *base_->storage : *sorted).out(out).value(d_);
    last.run({buckets * bucket}, {bucket});
  }

  void run_at_once(const runtime::Buffer& out, const runtime::Buffer& fault) {
    Launch launch(queue_, at_once_);
    add_values(launch).in(base_ ? *base_->storage : *values_.storage).out(out).out(fault).value(d_);
    launch.local(local_bytes(true));
    const std::size_t local = std::min<std::size_t>(group_size, at_once_->max_group());
    launch.run({local}, {local});
  }

  void run_few(const runtime::Buffer& out, const runtime::Buffer& fault) {
    Launch launch(queue_, few_);
    add_values(launch).out(out).out(fault).value(d_);
    const std::size_t local = std::min<std::size_t>(group_size, queue_.traits().max_group);
    launch.run({local}, {local});
  }

  Launch& add_values(Launch& launch) { return launch.in(*values_.storage).in(*ids_.storage); }

  void run_values(Launch& launch, const runtime::Kernel& kernel, std::uint64_t bytes) {
    if (cpu_) return launch.run({d_.parts}, {1});
    if (!local_) return run_over(launch, queue_, kernel, count_, 1);
    // As many groups as fill the device, but no more than have values enough to make their tables worth it.
    const std::size_t local = std::min<std::size_t>(group_size, kernel.max_group());
    const DeviceTraits& traits = queue_.traits();
    const std::uint64_t side_by_side = tuning_.segment_local_bytes_per_unit / bytes;
    const std::uint64_t most =
        traits.compute_units * std::clamp<std::uint64_t>(side_by_side, 2, tuning_.segment_groups_per_unit);
    const std::uint64_t worth =
        std::max<std::uint64_t>(count_ / std::max<std::uint64_t>(local, values_per_entry * entries_), 1);
    const std::uint64_t least =
        static_cast<std::uint64_t>(queue_.traits().fewest_shares(static_cast<std::int64_t>(count_ + entries_))) /
            local +
        1;
    launch.local(bytes);
    launch.run({std::max(std::min(most, worth), least) * local}, {local});
  }

  runtime::Queue& queue_;
  const graph::Node& node_;
  const graph::ScatterReduceInfo info_;
  const graph::Node &values_, &ids_;
  const graph::Node* const base_;
  const DType type_, result_;
  const Tuning& tuning_;
  const bool cpu_, sum_, exact_;
  const bool keyed_, totalled_;            // whether there is a largest key of each entry, and whether there are totals
  const std::uint64_t words_;              // of a total on a GPU
  std::uint64_t entries_ = 0, count_ = 0;  // of the result, and of the values
  // Whether there is one value for all, tables in local memory, and a look at the range of exponents.
  bool same_ = false, local_ = false, ranged_ = false;
  parameters::kn_scatter_reduce d_{};
  KernelRef at_once_, few_, largest_, join_, total_, finish_, range_;
  KernelRef keys_, begins_, buckets_;  // of values sorted by buckets
  std::optional<const SortSweep> sweep_;
};

}  // namespace

bool updates_at_once(const DeviceTraits& traits, std::int64_t values) {
  return codegen::scatters_together(traits, values);
}

runtime::FaultCause id_cause(const graph::ScatterReduceInfo& info) {
  if (info.ids == graph::IdsAre::positions) return position_cause(info.name, 0, info.groups);
  const auto sentence = [](const runtime::FaultCause& of, std::int64_t id) {
    return "[" + std::string(of.function) + "] id " + std::to_string(id) + " is out of range; with a count of " +
           std::to_string(of.size) + " ids can be 0 to " + std::to_string(of.size - 1);
  };
  return {sentence, info.name, 0, info.groups};
}

// The inputs, in row-major order, are values, ids and, perhaps, an array that the result starts from. An id out of
// range is a fault of the result.
Work prepare_scatter_reduce(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  std::function<BufferRef()> run;
  const bool by_host = host_reduces_by_ids(queue, node);
  if (node.shape.elements() == 0) {
    run = [&queue, &node] { return queue.allocate(0, function_of(node)); };
  } else if (node.get<graph::Op::scatter_reduce>().kind == SegmentKind::prod) {
    run = by_host ? prepare_run_products_on_host(programs, queue, node) : prepare_run_products(programs, queue, node);
  } else if (by_host) {
    run = prepare_by_ids_on_host(programs, queue, node);
  } else {
    run = [work = std::make_shared<ScatterReduce>(programs, queue, node)] { return work->run(); };
  }
  return [&node, run = std::move(run)] { graph::fulfil(node, run(), graph::row_major(node.shape)); };
}

}  // namespace koine::exec
