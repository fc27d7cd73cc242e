// SPDX-License-Identifier: Apache-2.0
// How the library builds programs. For programs that link koine_internal.
#pragma once

namespace koine::test {

/// The texts that a build of the library's own is tried with on the default device: where declarations take the place
/// of the compiler's header of all built-in functions, a text that is refused is tried with that header, too.
int texts_of_build();

}  // namespace koine::test
