// SPDX-License-Identifier: Apache-2.0
// Panels of LU and QR on cards: by how many work-items and groups one is factorised.
#pragma once

#include <cstdint>
#include <functional>

#include "base/dtypes.hpp"
#include "exec/programs.hpp"
#include "exec/side_by_side.hpp"

namespace koine::exec {

/// Columns of a panel: KN_PANEL of lu_panel.clh and qr_panel.clh.
inline constexpr std::int64_t panel_columns = 32;

/// A panel that one group factorises, some of its columns after the others (lu_panel.cl, qr_panel.cl).
struct PanelSpec {
  DType type;
  int rows, wide, group;

  template <class Visit>
  void visit(Visit& v) const {
    v.define("KN_ELEMENT", base::row_of(type).element);
    v.define("KN_ROWS", rows);
    v.define("KN_WIDE", wide);
    v.define("KN_GROUP", group);
  }
};
/// Of a panel with so many rows.
PanelSpec panel_spec(DType type, std::int64_t rows);

/// The same of all of its columns at once, by several groups or one (lu_spread.cl, qr_spread.cl).
struct SpreadSpec {
  DType type;
  int rows;
  Warps warps;

  template <class Visit>
  void visit(Visit& v) const {
    v.define("KN_ELEMENT", base::row_of(type).element);
    v.define("KN_ROWS", rows);
    warps.visit(v);
  }
};

/// Which groups these are.
struct Spread {
  static constexpr std::int64_t items = 128;  ///< of a group: KN_GROUP of lu_spread.cl and qr_spread.cl

  int rows = 0;                ///< of a work-item; 0: there are too many for the groups that may wait for each other
  std::uint64_t groups = 1;    ///< of a matrix
  SideBySide* side = nullptr;  ///< by which they tell each other, if they are several

  /// The kernel's words, for which any memory that it writes will do where one group is alone, and their first number.
  SideBySide::Told told(runtime::Queue& queue, const runtime::Buffer& other) const {
    constexpr std::uint64_t most = panel_columns + 1;  // a group tells something as often for a panel
    return side ? side->told(queue, most) : SideBySide::Told{other, 0};
  }
};
/// Of panels with so many rows.
Spread spread_over(Programs& programs, runtime::Queue& queue, DType type, std::int64_t matrices, std::int64_t rows);

/// A stack of matrices to be transposed. Offset and strides count elements, of what is transposed.
struct Turned {
  std::int64_t offset, rows, columns, pitch, step;
  bool lower = false;  ///< what is above the diagonal becomes zeros
};
using Turn = std::function<void(const runtime::Buffer& from, const runtime::Buffer& to, std::int64_t matrices,
                                const Turned& turned)>;
Turn prepare_turn(Programs& programs, runtime::Queue& queue, DType type);

}  // namespace koine::exec
