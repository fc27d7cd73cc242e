// SPDX-License-Identifier: Apache-2.0
// Rows of tests/golden/*.inc whose values are whole numbers: KN_GOLDEN((expression), (V{shape}), (V{values})).
// `rows_checked`, a variable where the rows are included, counts them.
#pragma once

#include "support/arrays.hpp"

#define KN_GOLDEN(call, shape, values)                                        \
  {                                                                           \
    CAPTURE(std::string(#call));                                              \
    koine::test::check_array<std::int64_t>(call, koine::Shape shape, values); \
    ++rows_checked;                                                           \
  }
