// SPDX-License-Identifier: Apache-2.0
// Comparing the bits that the host computes with those of the device's kernels. (ctest lets the host do steps in
// tests/host alone.)
#pragma once

#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <complex>
#include <cstdint>
#include <functional>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/host_steps.hpp"
#include "support/inner.hpp"
#include "support/values.hpp"

namespace koine::test {

inline constexpr std::uint32_t any_work = 1 << 30;

/// Whether the host does steps of the default device at all.
inline bool does_steps() {
  synchronize();
  const auto before = host_steps_of();
  (koine::ones({2}) + 1).eval();
  if (host_steps_of() > before) return true;
  leave_out("the host does no steps of this device");
  return false;
}

template <class T>
void check_same(const std::vector<T>& host, const std::vector<T>& device) {
  REQUIRE(host.size() == device.size());
  for (std::size_t i = 0; i < host.size(); ++i) {
    const T a = host[i], b = device[i];
    if (a != a && b != b) continue;
    CAPTURE(i);
    const bool same = a == b && (a != T(0) || 1 / static_cast<double>(a) == 1 / static_cast<double>(b));
    CAPTURE(value_text(a));
    CAPTURE(value_text(b));
    CHECK(same);
    if (!same) return;
  }
}

/// The parts of complex numbers.
template <class T>
std::vector<T> parts_of(const Array& x) {
  std::vector<T> parts;
  for (const std::complex<T>& z : x.to_vector<std::complex<T>>()) parts.insert(parts.end(), {z.real(), z.imag()});
  return parts;
}

inline void check_same(const std::vector<Array>& host, const std::vector<Array>& device) {
  REQUIRE(host.size() == device.size());
  for (std::size_t k = 0; k < host.size(); ++k) {
    CAPTURE(k);
    CHECK(host[k].shape() == device[k].shape());
    const auto compare = [&]<class T>(T) { check_same(host[k].to_vector<T>(), device[k].to_vector<T>()); };
    switch (host[k].dtype()) {
      case DType::bool_: compare(bool{}); break;
      case DType::int8: compare(std::int8_t{}); break;
      case DType::int16: compare(std::int16_t{}); break;
      case DType::int32: compare(std::int32_t{}); break;
      case DType::int64: compare(std::int64_t{}); break;
      case DType::uint8: compare(std::uint8_t{}); break;
      case DType::uint16: compare(std::uint16_t{}); break;
      case DType::uint32: compare(std::uint32_t{}); break;
      case DType::uint64: compare(std::uint64_t{}); break;
      case DType::float64: compare(double{}); break;
      case DType::complex64: check_same(parts_of<float>(host[k]), parts_of<float>(device[k])); break;
      case DType::complex128: check_same(parts_of<double>(host[k]), parts_of<double>(device[k])); break;
      default: compare(float{});  // which holds float16 and bfloat16
    }
  }
}

/// Computes what `make` makes by the device and by the host, which does it in so many steps, or with 0 in any
/// number and perhaps not all of it, and compares the bits of all results.
inline void check_bits(const std::function<std::vector<Array>()>& make, std::uint64_t steps = 1) {
  std::vector<Array> device, host;
  {
    const HostStepWork none(0);
    device = make();
    koine::eval(device);
  }
  koine::synchronize();
  const auto launches = activity_of().launches, done = host_steps_of();
  {
    const HostStepWork all(any_work);
    host = make();
    koine::eval(host);
  }
  CHECK(host_steps_of() > done);
  if (steps > 0) {
    CHECK(activity_of().launches == launches);
    CHECK(host_steps_of() == done + steps);
  }
  check_same(host, device);
}

/// Numbers of many sizes and both signs.
inline Array mixed(const Shape& shape, DType type) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < shape.elements(); ++i) {
    values.push_back(static_cast<double>(i * 7919 % 1009 - 504) * (i % 3 == 0 ? 0.001 : 0.37));
  }
  return koine::asarray(values, shape, type).eval();
}

}  // namespace koine::test
