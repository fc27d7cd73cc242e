// SPDX-License-Identifier: Apache-2.0
// Conversion of element values on the host, by the same rules as astype.
#pragma once

#include <koine/dtype.hpp>

#include <cstddef>

namespace koine::base {

/// Converts `count` elements. Floating to integer truncates, saturating at the type's ends (NaN gives 0); anything to
/// bool_ is "is not zero"; of a complex number a real type gets the real part. The ranges must not overlap.
void convert(const void* from, DType from_type, void* to, DType to_type, std::size_t count);

}  // namespace koine::base
