// SPDX-License-Identifier: Apache-2.0
// From an element type's value to the C++ type.
#pragma once

#include <koine/dtype.hpp>

#include <complex>
#include <cstdint>

namespace koine::base {

template <class T>
struct Tag {
  using type = T;
};

/// f(Tag<T>{}) with the C++ type of `type`.
template <class F>
decltype(auto) with_type(DType type, F&& f) {
  switch (type) {
#define KN_DTYPE(constant, name, type, ...) \
  case DType::constant:                     \
    return f(Tag<type>{});
#include "base/dtypes.def"
#undef KN_DTYPE
  }
  __builtin_unreachable();
}

}  // namespace koine::base
