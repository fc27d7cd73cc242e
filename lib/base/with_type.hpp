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
    case DType::bool_: return f(Tag<bool>{});
    case DType::int8: return f(Tag<std::int8_t>{});
    case DType::int16: return f(Tag<std::int16_t>{});
    case DType::int32: return f(Tag<std::int32_t>{});
    case DType::int64: return f(Tag<std::int64_t>{});
    case DType::uint8: return f(Tag<std::uint8_t>{});
    case DType::uint16: return f(Tag<std::uint16_t>{});
    case DType::uint32: return f(Tag<std::uint32_t>{});
    case DType::uint64: return f(Tag<std::uint64_t>{});
    case DType::float16: return f(Tag<float16_t>{});
    case DType::bfloat16: return f(Tag<bfloat16_t>{});
    case DType::float32: return f(Tag<float>{});
    case DType::float64: return f(Tag<double>{});
    case DType::complex64: return f(Tag<std::complex<float>>{});
    case DType::complex128: break;
  }
  return f(Tag<std::complex<double>>{});
}

}  // namespace koine::base
