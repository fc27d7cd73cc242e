// SPDX-License-Identifier: Apache-2.0
// What koine_first measures: a call of each function.
#pragma once

#include <koine/koine.hpp>

#include <functional>
#include <string_view>
#include <type_traits>
#include <vector>

namespace koine::bench {

/// A function that computes its result, or gives an array that is to be computed.
struct Case {
  template <class F>
  Case(std::string_view called, F f, bool always_waits = false) : name(called), waits(always_waits) {
    if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
      run = f;
    } else {
      run = [f] { f().eval(); };
    }
  }

  std::string_view name;
  bool waits;  ///< for a compiler, as the host has no code for it
  std::function<void()> run;
};

/// Of 102,400 elements where the name says nothing else.
const std::vector<Case>& cases();

}  // namespace koine::bench
