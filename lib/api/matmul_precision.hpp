// SPDX-License-Identifier: Apache-2.0
// Which precision products of float32 take: what a thread has chosen, and the words for it.
#pragma once

#include "graph/attributes.hpp"

#include <string_view>

namespace koine::api {

/// What a user wrote; ValueError, which `asked` begins ("[matmul] .precision"), names what can be written.
graph::MatmulPrecision precision_of(std::string_view word, std::string_view asked);

/// What holds for this thread now; ValueError if that is KOINE_MATMUL_PRECISION and it is malformed.
graph::MatmulPrecision chosen_precision();

}  // namespace koine::api
