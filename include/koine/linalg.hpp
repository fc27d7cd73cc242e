// SPDX-License-Identifier: Apache-2.0
// Products of matrices and vectors.
#pragma once

#include <koine/array.hpp>

namespace koine {

/// The matrix product over the last two axes, (…, M, K) by (…, K, N); the axes before them broadcast. A vector counts
/// as one row (x1) or one column (x2), and that axis is removed from the result. Takes every type but bool_; gives
/// their common type.
/// float16 and bfloat16 accumulate in float32, integers wrap. ShapeError if the inner sizes differ or an input has no
/// axes. The same device gives the same bits on every run; see koine::reproducible for the same bits on every device.
KOINE_API Array matmul(const Array& x1, const Array& x2);

}  // namespace koine
