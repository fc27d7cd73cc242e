// SPDX-License-Identifier: Apache-2.0
// What the kernels that compare keys share (sort_rows.cl, sort_blocks.cl, search.cl, scatter_reduce.cl).
#pragma once

#include "codegen/spec.hpp"
#include "device/traits.hpp"

#include <koine/dtype.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace koine::exec {

/// Macros of kernels/common/sort.clh: how elements of a type become keys.
struct KeySpec {
  DType type;

  /// The bits of infinity, of real types.
  std::uint64_t infinity_bits() const;
  /// 0 unsigned, 1 signed, 2 real
  int kind() const { return is_real_floating(type) ? 2 : is_bool(type) || is_unsigned_integer(type) ? 0 : 1; }

  template <class Visit>
  void visit(Visit& v) const {
    v.define("KN_BITS", 8 * size_of(type));
    v.define("KN_KIND", kind());
    v.define("KN_INFINITY", codegen::Constant{infinity_bits(), size_of(type) == 8   ? "UL"
                                                               : size_of(type) == 4 ? "u"
                                                                                    : ""});
  }
};

/// What sort_rows.cl, sort_blocks.cl and sort_sweep.cl are compiled for.
struct SortSpec {
  KeySpec key;
  bool values, positions;  // what is wanted
  bool positioned;         // the positions move along
  bool apart = false, wide = false, cpu = false;
  std::optional<int> each = std::nullopt;
  bool payload = false;  // words move along with keys, in place of positions (sort_sweep.cl)
  bool warps = false;    // kernels/common/lanes.clh may take them

  template <class Visit>
  void visit(Visit& v) const {
    key.visit(v);
    v.define("KN_WANTED", positions ? std::optional(values ? 3 : 1) : std::nullopt);
    v.define("KN_POSITIONED", positioned && !positions);
    v.define("KN_APART", apart);
    v.define("KN_COUNT", std::string_view(wide ? "ulong" : ""));
    v.define("KN_CPU", cpu);
    v.define("KN_EACH", each);
    v.define("KN_LANES", warps);
    v.define("KN_PAYLOAD", payload);
  }
};

/// How many elements of so many bytes, with their positions, a work-item has of a tile that a group of a GPU sorts: the
/// tile, beside its counters, fits the local memory that every device has (32 KiB).
std::uint64_t sort_tile_each(const DeviceTraits& traits, std::uint64_t bytes);

}  // namespace koine::exec
