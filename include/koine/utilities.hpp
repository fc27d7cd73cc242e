// SPDX-License-Identifier: Apache-2.0
// Differences of neighbours. (The standard's other utilities, `all` and `any`, stand in index.hpp and statistics.hpp.)
#pragma once

#include <koine/array.hpp>
#include <koine/options.hpp>

#include <optional>

namespace koine {

/// Options of diff: the axis, how often to take differences, and what stands before and after x, an array of x's shape
/// but for the axis, or a scalar.
struct DiffOptions {
  detail::Named names_only = detail::named;
  std::int64_t axis = -1;
  std::int64_t n = 1;
  std::optional<Operand> prepend = std::nullopt;
  std::optional<Operand> append = std::nullopt;
};
/// Each element less the one before it along an axis, `.n` times over; the axis loses one element each time while it
/// has any. Takes every type; gives the same type. Integers wrap; of bool_ it says where neighbours differ. x itself,
/// without what would stand beside it, for n = 0. IndexError for an axis out of range, ValueError for n below 0,
/// ShapeError where what stands beside x does not fit.
KOINE_API Array diff(Operand x, const DiffOptions& options = {});
template <class = void>
KOINE_INSTEAD("name the option: diff(x, {.axis = 1}) or diff(x, {.n = 2})")
Array diff(Operand x, std::int64_t number);

}  // namespace koine
