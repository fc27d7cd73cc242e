// SPDX-License-Identifier: Apache-2.0
// Arrays of Python's numbers in nested lists.
#pragma once

#include "function.hpp"

namespace koine::python {

/// The array of a number, or of numbers in nested lists; nothing where there are arrays with axes among them.
/// ValueError for lists of different lengths, TypeError for what is no number, OverflowError for an integer that does
/// not fit.
std::optional<Array> from_list(nb::handle list, std::optional<DType> dtype, const std::optional<Device>& device);

}  // namespace koine::python
