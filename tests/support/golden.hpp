// SPDX-License-Identifier: Apache-2.0
// Rows of tests/golden/*.inc whose values are whole numbers: KN_GOLDEN((expression), (V{shape}), (V{values})).
// `rows_checked`, a variable where the rows are included, counts them; the usual run computes every second one.
#pragma once

#include "support/arrays.hpp"
#include "support/devices.hpp"

#define KN_GOLDEN(call, shape, values)                                          \
  {                                                                             \
    CAPTURE(std::string(#call));                                                \
    if (rows_checked % 2 == 0 || koine::test::all_variants()) {                 \
      koine::test::check_array<std::int64_t>(call, koine::Shape shape, values); \
    }                                                                           \
    ++rows_checked;                                                             \
  }
