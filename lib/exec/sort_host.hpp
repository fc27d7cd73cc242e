// SPDX-License-Identifier: Apache-2.0
// Rows sorted by the host's vector instructions, on CPUs that run host commands.
#pragma once

#include "exec/programs.hpp"
#include "exec/sort_sweep.hpp"
#include "runtime/queue.hpp"

#include <cstdint>
#include <string_view>

namespace koine::exec {

/// Highway's quicksort (hwy/contrib/sort), of keys, or of keys with their positions below them, so that no two are
/// equal and the order of equal elements is that of the kernels. Long rows are cut into runs, one for each thread,
/// which are merged.
class SortHost {
 public:
  /// Whether the library was built with Highway, and the device lets the host work in its memory.
  static bool suits(const runtime::Queue& queue, const SortSpec& spec, std::uint64_t count);

  /// Of so many elements in all.
  SortHost(Programs& programs, runtime::Queue& queue, const SortSpec& spec, std::uint64_t elements);

  /// The same results as those of the kernels that sort.
  void run(const SortedRows& rows, std::string_view function) const;

 private:
  runtime::Queue& queue_;
  const SortSpec spec_;
};

}  // namespace koine::exec
