// SPDX-License-Identifier: Apache-2.0
// Conjugates that keep their type: std::conj makes a complex number of a real one.
#pragma once

#include <complex>
#include <type_traits>

namespace koine::exec {

template <class T>
T conjugate(const T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    return value;
  } else {
    return std::conj(value);
  }
}

}  // namespace koine::exec
