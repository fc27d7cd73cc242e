// SPDX-License-Identifier: Apache-2.0
// Host memory copied by several threads: one alone moves a fraction of what the memory can.
#pragma once

#include <cstdint>

namespace koine::runtime {

/// As memcpy, with several threads if there is much to copy.
void host_copy(void* to, const void* from, std::uint64_t bytes);

}  // namespace koine::runtime
