// SPDX-License-Identifier: Apache-2.0
// A call of each function: what `koine cache prebuild` compiles ahead, and what koine_first (bench/first) measures.
#pragma once

#include <koine/koine.hpp>

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace koine::tool {

/// A function that computes its result, or gives an array that is to be computed.
struct Call {
  template <class F>
  Call(std::string called, F f) : name(std::move(called)) {
    if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
      run = f;
    } else {
      run = [f] { f().eval(); };
    }
  }

  std::string name;
  std::function<void()> run;
};

/// Of 102,400 elements where the name says nothing else.
const std::vector<Call>& calls();

/// Those of one function for several types, and of small matrices.
std::vector<Call> calls_of_types();

}  // namespace koine::tool
