// SPDX-License-Identifier: Apache-2.0
// What stands at given ranks of rows, found without sorting them.
#pragma once

#include "exec/programs.hpp"
#include "exec/sort.hpp"
#include "runtime/launch.hpp"
#include "runtime/queue.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace koine::exec {

/// What kernels/select.cl, select_rows.cl and topk.cl are compiled for.
struct SelectSpec {
  KeySpec key;
  bool positioned, cpu;  // keys are those of elements with their positions, so that equal elements have equal ones

  template <class Visit>
  void visit(Visit& v) const {
    key.visit(v);
    v.define("KN_POSITIONED", positioned);
    v.define("KN_CPU", cpu);
  }
};

/// Rows that lie one after another in memory.
struct SelectedRows {
  std::uint64_t count, rows, offset, flip;
  const runtime::Buffer& from;
};

/// Ranks that one kernel finds at the most.
inline constexpr std::size_t most_ranks = 8;

/// Rows up to this length are taken whole, by a group of a GPU or a work-item of a CPU.
std::uint64_t longest_whole_row(const DeviceTraits& traits);

/// kernels/select.cl: of rows of fewer than 2^31 elements the keys at some ranks, each row's together, or the elements
/// where the spec is not of positioned ones.
class SelectBlocks {
 public:
  /// Asks for all kernels.
  SelectBlocks(Programs& programs, runtime::Queue& queue, const SelectSpec& spec, std::vector<std::int64_t> ranks);
  runtime::BufferRef run(const SelectedRows& rows, std::string_view function) const;

 private:
  runtime::Queue& queue_;
  const bool cpu_;
  const std::uint64_t bits_;
  const std::vector<std::int64_t> ranks_;
  runtime::KernelRef count_, step_;
};

/// How many blocks to cut each row into, for work of the kind that looks at each element once.
std::uint64_t blocks_of(const runtime::Queue& queue, const SelectedRows& rows);
/// How many whole rows a work-item of a CPU takes; a group of a GPU takes one.
std::uint64_t rows_of_item(const runtime::Queue& queue, const SelectedRows& rows);
/// Enqueues a kernel of so many groups on a GPU, or work-items on a CPU.
void run_units(runtime::Launch& launch, const runtime::Queue& queue, std::uint64_t units);

}  // namespace koine::exec
