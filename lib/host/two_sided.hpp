// SPDX-License-Identifier: Apache-2.0
// Matrices by vectors as two-sided reductions need them: the functions that suit this processor.
#pragma once

#include "host/two_sided_core.hpp"

namespace koine::host {

/// Of float or double.
template <class T>
const TwoSidedFunctions<T>& two_sided();

}  // namespace koine::host
