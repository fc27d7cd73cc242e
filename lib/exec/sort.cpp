// SPDX-License-Identifier: Apache-2.0
// A stable radix sort by digits of eight bits, lowest first: launching kernels/sort_rows.cl and sort_blocks.cl.
#include "exec/sort.hpp"

#include "exec/families.hpp"
#include "exec/kernel_run.hpp"
#include "exec/scan.hpp"
#include "runtime/kernel_sources.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>

namespace koine::exec {
namespace {

using runtime::BufferRef;

constexpr std::uint64_t digits = 256;
constexpr std::uint64_t items_per_core = 8;
// A CPU work-item sorts at least so many elements where it takes whole rows, and has at least so many in a block.
constexpr std::uint64_t fewest_elements = 8192;
// On a CPU longer rows are divided, unless there are enough for all cores.
constexpr std::uint64_t longest_whole_row = 16384;
constexpr std::uint64_t blocks_per_core = 4;
// Elements of a work-item in a tile of a GPU: the tile, beside its counters, fits the local memory that every device
// has (32 KiB).
constexpr std::uint64_t each_of(std::uint64_t bytes, std::uint64_t local_words) {
  return std::min<std::uint64_t>(16, local_words / bytes - 2);
}

std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// Parameters of sort_blocks.cl.
struct Pass {
  std::uint64_t count, blocks, per_block, offset, flip;
  std::uint32_t shift, first, last, unused;
};

/// Parameters of sort_rows.cl.
struct Rows {
  std::uint64_t count, rows, offset, flip, rows_each, row_bits;
};

const char* kind_of(DType type) {
  switch (type) {
    case DType::float16: return " -D KN_KIND=2 -D KN_INFINITY=0x7c00";
    case DType::bfloat16: return " -D KN_KIND=2 -D KN_INFINITY=0x7f80";
    case DType::float32: return " -D KN_KIND=2 -D KN_INFINITY=0x7f800000u";
    case DType::float64: return " -D KN_KIND=2 -D KN_INFINITY=0x7ff0000000000000UL";
    default: return is_bool(type) || is_unsigned_integer(type) ? " -D KN_KIND=0" : " -D KN_KIND=1";
  }
}

class Sort {
 public:
  Sort(runtime::Queue& queue, const SortedRows& sorted, bool places, graph::Node& node)
      : queue_(queue),
        sorted_(sorted),
        node_(node),
        cpu_(queue.traits().long_loops()),
        key_(size_of(sorted.type)),
        wide_(sorted.count > std::numeric_limits<std::uint32_t>::max()),
        apart_(places && (wide_ || key_ > 4)),
        item_(!places  ? key_
              : apart_ ? 16
                       : 8),
        result_(places ? 8 : key_) {
    options_ = key_options(sorted.type);
    if (places) options_ += " -D KN_WANTED=1";
    if (apart_) options_ += " -D KN_APART";
    if (wide_) options_ += " -D KN_COUNT=ulong";
    if (cpu_) options_ += " -D KN_CPU";
  }

  BufferRef run() {
    const std::uint64_t elements = sorted_.rows * sorted_.count;
    const std::uint64_t units = queue_.traits().compute_units;
    out_ = allocate(elements * result_);
    if (elements == 0) return out_;
    const std::uint64_t tile = group_size * rows_each_of();
    const bool whole =
        cpu_ ? sorted_.count <= longest_whole_row || sorted_.rows >= blocks_per_core * units : sorted_.count <= tile;
    whole ? run_rows(tile) : run_blocks();
    return out_;
  }

 private:
  BufferRef allocate(std::uint64_t bytes) { return queue_.allocate(bytes, function_of(node_)); }
  std::uint64_t flip() const { return sorted_.descending ? ~std::uint64_t{0} : 0; }
  std::uint64_t rows_each_of() const { return each_of(key_ + 2, 90); }

  runtime::KernelRef kernel(const char* file, const char* entry, std::uint64_t each) {
    const std::string options = cpu_ ? options_ : options_ + " -D KN_EACH=" + std::to_string(each);
    return ready_kernel(
        queue_, file + (" " + options),
        [&] {
          return runtime::ProgramText{std::string(runtime::kernel_source(file)), options};
        },
        entry);
  }

  void launch(runtime::Launch& launch, std::uint64_t units) {
    if (cpu_) {
      launch.run({units}, {1});
    } else {
      launch.run({units * group_size}, {group_size});
    }
  }

  void run_rows(std::uint64_t tile) {
    const runtime::KernelRef rows = kernel("sort_rows", "rows", rows_each_of());
    Rows d{sorted_.count, sorted_.rows, sorted_.offset, flip(), 1, 0};
    if (cpu_) {
      d.rows_each = std::max(divide_up(sorted_.rows, items_per_core * queue_.traits().compute_units),
                             divide_up(fewest_elements, sorted_.count));
    } else {
      d.rows_each = tile / sorted_.count;
      if (d.rows_each > 1) d.row_bits = static_cast<std::uint64_t>(std::bit_width((tile - 1) / sorted_.count));
    }
    const std::uint64_t units = divide_up(sorted_.rows, d.rows_each);
    BufferRef scratch;
    runtime::Launch each(queue_, rows);
    each.in(*sorted_.values).out(*out_);
    if (cpu_) {
      scratch = allocate(2 * units * sorted_.count * item_);
      each.out(*scratch);
    }
    launch(each.value(d), units);
  }

  void run_blocks() {
    const std::uint64_t each = each_of(item_, 80), elements = sorted_.rows * sorted_.count;
    const runtime::KernelRef count = kernel("sort_blocks", "count", each);
    const runtime::KernelRef scatter = kernel("sort_blocks", "scatter", each);
    Pass d{};
    d.count = sorted_.count;
    d.offset = sorted_.offset;
    d.flip = flip();
    d.per_block = group_size * each;
    if (cpu_) {
      const std::uint64_t wanted = divide_up(blocks_per_core * queue_.traits().compute_units, sorted_.rows);
      d.per_block = divide_up(d.count, std::clamp<std::uint64_t>(d.count / fewest_elements, 1, wanted));
    }
    d.blocks = divide_up(d.count, d.per_block);
    const std::uint64_t units = sorted_.rows * d.blocks;

    const DType counted = wide_ ? DType::uint64 : DType::uint32;
    const Shape shape{sorted_.rows, digits * d.blocks};
    const BufferRef table = allocate(units * digits * size_of(counted));
    const graph::NodeRef leaf = graph::make_leaf(counted, graph::row_major(shape), table, node_.place);
    // Items go to and fro between two buffers. The results' own is the second, if they are of one size: the number of
    // passes is even, or one.
    const BufferRef one = key_ > 1 ? allocate(elements * item_) : out_;
    const BufferRef two = item_ == result_ ? out_ : key_ > 1 ? allocate(elements * item_) : out_;
    for (std::uint32_t pass = 0; pass < key_; ++pass) {
      const runtime::Buffer &to = pass % 2 == 0 ? *one : *two, &from = pass % 2 == 0 ? *two : *one;
      d.shift = 8 * pass;
      d.first = pass == 0;
      d.last = pass + 1 == key_;
      {
        runtime::Launch counts(queue_, count);
        launch(counts.in(*sorted_.values).in(from).out(*table).value(d), units);
      }
      const BufferRef begins = scan(queue_, stored_body({leaf}, shape, &node_), graph::ReduceKind::sum, 1, counted);
      runtime::Launch moves(queue_, scatter);
      launch(moves.in(*sorted_.values).in(from).out(to).out(*out_).in(*begins).value(d), units);
    }
  }

  runtime::Queue& queue_;
  const SortedRows& sorted_;
  graph::Node& node_;
  const bool cpu_;
  const std::uint64_t key_;  // bytes
  const bool wide_, apart_;
  const std::uint64_t item_, result_;  // bytes
  std::string options_;
  BufferRef out_;
};

}  // namespace

std::string key_options(DType type) { return "-D KN_BITS=" + std::to_string(8 * size_of(type)) + kind_of(type); }

BufferRef sort_values(runtime::Queue& queue, const SortedRows& rows, graph::Node& node) {
  return Sort(queue, rows, false, node).run();
}

BufferRef sort_places(runtime::Queue& queue, const SortedRows& rows, graph::Node& node) {
  return Sort(queue, rows, true, node).run();
}

void run_sort(runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  const graph::Node& x = *node.inputs[0];
  const graph::SortInfo& info = node.get<graph::Op::sort>();
  const auto count = static_cast<std::uint64_t>(x.shape.back());
  const std::uint64_t rows = count == 0 ? 0 : static_cast<std::uint64_t>(x.shape.elements()) / count;
  const SortedRows sorted{x.dtype,        rows, count, x.storage.get(), static_cast<std::uint64_t>(x.layout.offset),
                          info.descending};
  auto result = info.places ? sort_places(queue, sorted, node) : sort_values(queue, sorted, node);
  graph::fulfil(node, std::move(result), graph::row_major(node.shape));
}

}  // namespace koine::exec
