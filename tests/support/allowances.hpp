// SPDX-License-Identifier: Apache-2.0
// What a driver's own functions get wrong and the tests let pass there: whose, which operation, of which values, and
// why. A wrong value that the library can put right is no row of this table but one of lib/cl/quirks.cpp.
#pragma once

#include <koine/device.hpp>

#include <string_view>

namespace koine::test {

struct Allowance {
  std::string_view vendor, op;
  bool complex;  ///< of complex numbers, else of real ones
  std::string_view reason;
};

/// Functions that take subnormal numbers for 0, or give 0 in their place.
inline constexpr Allowance flushing[] = {
    {"mesa", "exp", false, "rusticl's exp gives 0 for them"},
    {"mesa", "remainder", false, "rusticl's fmod takes them for 0"},
    {"mesa", "floor_divide", false, "rusticl's fmod takes them for 0"},
    {"mesa", "log", true, "rusticl's fma takes them for 0"},
    {"mesa", "log2", true, "rusticl's fma takes them for 0"},
    {"mesa", "log10", true, "rusticl's fma takes them for 0"},
    {"mesa", "log1p", true, "rusticl's fma takes them for 0"},
    {"mesa", "sign", true, "rusticl's ldexp gives 0 for them"},
};

/// Why the default device's driver may flush subnormal numbers in an operation; nothing if it may not.
inline std::string_view may_flush(std::string_view op, bool complex) {
  for (const Allowance& row : flushing) {
    if (row.op == op && row.complex == complex && row.vendor == default_device().vendor()) return row.reason;
  }
  return {};
}

}  // namespace koine::test
