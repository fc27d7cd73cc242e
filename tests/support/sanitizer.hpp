// SPDX-License-Identifier: Apache-2.0
// Whether the program is built with a sanitizer, which brings an allocator and locks of its own.
#pragma once

namespace koine::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

}  // namespace koine::test
