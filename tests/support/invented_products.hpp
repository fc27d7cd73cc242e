// SPDX-License-Identifier: Apache-2.0
// Invented devices and matrix products, for tests of the rules that choose an implementation.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>

#include "cl/capabilities.hpp"
#include "exec/matmul.hpp"
#include "support/invented.hpp"

namespace koine::test::products {

using exec::MatmulOperand;
using exec::MatmulProblem;
using exec::MatmulRoute;

inline DeviceTraits device(DeviceClass type, const char* vendor) {
  DeviceTraits traits = test::invented_device(vendor, type);
  cl::set_capabilities(traits);
  return traits;
}

inline DeviceTraits nvidia_of(const char* architecture) {
  DeviceTraits traits = test::invented_device("nvidia", DeviceClass::gpu);
  traits.architecture = architecture;
  cl::set_capabilities(traits);
  return traits;
}

inline const DeviceTraits cpu = device(DeviceClass::cpu, "pocl");
inline const DeviceTraits amd = device(DeviceClass::gpu, "amd");
inline const DeviceTraits nvidia = device(DeviceClass::gpu, "nvidia");
inline const DeviceTraits hopper = nvidia_of("sm_90");

inline MatmulOperand operand(std::int64_t row_stride, std::int64_t column_stride) {
  MatmulOperand result;
  result.row_stride = row_stride;
  result.column_stride = column_stride;
  return result;
}

inline MatmulProblem problem(DType dtype, std::int64_t m, std::int64_t n, std::int64_t k) {
  MatmulProblem p;
  p.dtype = dtype;
  p.m = m;
  p.n = n;
  p.k = k;
  p.a = operand(k, 1);
  p.b = operand(n, 1);
  return p;
}

inline MatmulRoute route(const DeviceTraits& traits, const MatmulProblem& p) {
  const auto choice = exec::choose_matmul(traits, p);
  CHECK(!choice.why.empty());
  return choice.route;
}

}  // namespace koine::test::products
