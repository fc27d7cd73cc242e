// SPDX-License-Identifier: Apache-2.0
// What every options struct begins with, so that options are always given by name.
#pragma once

#include <koine/export.hpp>

namespace koine::detail {

/// The first member of every options struct. Nothing converts to it, so `{0, true}` is no options struct: options are
/// named, as in `{.axis = 0, .keepdims = true}`, and `sum(x, {0, 1})` can mean two axes.
struct Named {
  explicit constexpr Named(int) {}
};
inline constexpr Named named{0};

}  // namespace koine::detail
