// SPDX-License-Identifier: Apache-2.0
// KOINE_API marks what the shared library shows; everything else is hidden. KOINE_INSTEAD marks what is not there.
// Included by every public header, so it also
// refuses, with one sentence each, compilers' settings under which a program and the library would not fit together.
#pragma once

#if __cplusplus < 202002L
#error "Koine needs C++20 or later: compile with -std=c++20"
#endif

// Standard containers cross the library's boundary, so both sides must mean the same by them. A library that was itself
// compiled under such a setting says so by a macro that its CMake target and koine.pc carry.
#include <version>
#if defined(_LIBCPP_VERSION) != defined(KOINE_WITH_LIBCXX)
#error "libstdc++ and libc++ cannot be mixed: compile Koine and this program with the same standard library"
#endif
#if defined(_GLIBCXX_DEBUG) != defined(KOINE_WITH_GLIBCXX_DEBUG)
#error "_GLIBCXX_DEBUG must be set for both Koine and this program or for neither: it changes the standard containers"
#endif
#if (defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI) != defined(KOINE_WITH_OLD_STRINGS)
#error "_GLIBCXX_USE_CXX11_ABI must be the same for Koine and this program: it changes std::string"
#endif

#define KOINE_API [[gnu::visibility("default")]]

/// Marks a name that another library has and Koine does not: whoever uses it reads what to write, as the compiler's
/// first error.
#define KOINE_INSTEAD(message) __attribute__((unavailable("Koine: " message)))
