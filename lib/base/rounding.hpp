// SPDX-License-Identifier: Apache-2.0
// Quotients and multiples that are rounded up.
#pragma once

#include <concepts>
#include <type_traits>

namespace koine::base {

/// The least number of parts of size `b` that hold `a`; neither is below zero.
template <std::integral A, std::integral B>
constexpr std::common_type_t<A, B> divide_up(A a, B b) noexcept {
  const std::common_type_t<A, B> all = a, part = b;
  return (all + part - 1) / part;
}

/// The least multiple of `b` that is not below `a`.
template <std::integral A, std::integral B>
constexpr std::common_type_t<A, B> round_up(A a, B b) noexcept {
  return divide_up(a, b) * b;
}

}  // namespace koine::base
