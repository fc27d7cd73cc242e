// SPDX-License-Identifier: Apache-2.0
// Sorted elements together with where they were: one sort gives both.
#pragma once

#include <koine/array.hpp>

namespace koine::api {

struct Ordered {
  Array values, positions;
};

/// The elements of each row in the order of argsort, and their positions. Real types and bool_.
Ordered ordered(const Array& rows, bool descending = false);

}  // namespace koine::api
