// SPDX-License-Identifier: Apache-2.0
// KOINE_API marks what the shared library shows; everything else is hidden. KOINE_INSTEAD marks what is not there.
#pragma once

#define KOINE_API [[gnu::visibility("default")]]

/// Marks a name that another library has and Koine does not: whoever uses it reads what to write, as the compiler's
/// first error.
#define KOINE_INSTEAD(message) __attribute__((unavailable("Koine: " message)))
