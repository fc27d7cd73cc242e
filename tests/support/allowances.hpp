// SPDX-License-Identifier: Apache-2.0
// What a driver's own functions get wrong and the tests let pass there: whose, which operation, of which values, and
// why. A wrong value that the library can put right is no row of this table but one of lib/cl/quirks.cpp.
#pragma once

#include <string>
#include <string_view>

#include "support/devices.hpp"

namespace koine::test {

struct Allowance {
  std::string_view vendor, op;
  bool complex;  ///< of complex numbers, else of real ones
  std::string_view reason;
};

/// Functions that take subnormal numbers for 0, or give 0 in their place.
inline constexpr Allowance flushing[] = {
    {"mesa", "erf", false, "rusticl's fma takes them for 0"},
    {"mesa", "erfc", false, "rusticl's erfc gives 0 for them"},
    {"mesa", "exp", false, "rusticl's exp gives 0 for them"},
    {"mesa", "logaddexp", false, "rusticl's fma gives 0 for them"},
    {"mesa", "remainder", false, "rusticl's fmod takes them for 0"},
    {"mesa", "rsqrt", false, "rusticl's fma takes them for 0"},
    {"mesa", "sigmoid", false, "rusticl's exp gives 0 for them"},
    {"mesa", "sinh", false, "rusticl's fma takes them for 0"},
    {"mesa", "tanh", false, "rusticl's fma takes them for 0"},
    {"mesa", "expm1", true, "rusticl's fma takes them for 0"},
    {"mesa", "log", true, "rusticl's fma takes them for 0"},
    {"mesa", "log2", true, "rusticl's fma takes them for 0"},
    {"mesa", "log10", true, "rusticl's fma takes them for 0"},
    {"mesa", "log1p", true, "rusticl's fma takes them for 0"},
    {"mesa", "sign", true, "rusticl's ldexp gives 0 for them"},
};

/// Whether the default device's driver may flush subnormal numbers in an operation; leave_out() says so, and why.
inline bool may_flush(std::string_view op, bool complex) {
  for (const Allowance& row : flushing) {
    if (row.op != op || row.complex != complex) continue;
    const std::string what = std::string("subnormal numbers in ") + (complex ? "complex " : "") + std::string(op);
    if (left_out_on(row.vendor, what + ": " + std::string(row.reason))) return true;
  }
  return false;
}

/// Functions of which a driver has no more than a sketch.
inline constexpr Allowance sketched[] = {
    {"mesa", "tgamma", false, "rusticl's is infinite below -34, and of -0, and off by 22 ulps beside 0"},
};

/// Whether nothing is to be expected of an operation of real numbers on the default device; leave_out() says so.
inline bool is_sketched(std::string_view op) {
  for (const Allowance& row : sketched) {
    if (row.op == op && left_out_on(row.vendor, std::string(op) + ": " + std::string(row.reason))) return true;
  }
  return false;
}

}  // namespace koine::test
