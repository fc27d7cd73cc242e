// SPDX-License-Identifier: Apache-2.0
// What the kernels that compare keys share (sort_rows.cl, sort_blocks.cl, search.cl, scatter_reduce.cl).
#pragma once

#include <koine/dtype.hpp>

#include <string>

namespace koine::exec {

/// Build options for kernels/common/sort.clh: how elements of a type become keys.
std::string key_options(DType type);

}  // namespace koine::exec
