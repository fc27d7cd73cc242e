// SPDX-License-Identifier: Apache-2.0
// What a thread does while it waits for a compiler: for interpreters, which have signals to look at.
#pragma once

#include <koine/export.hpp>

namespace koine {

/// Sets what every thread that waits for a compiler calls meanwhile, some fifty times a second, on itself and without a
/// lock of the library's, so it may use the library. What it throws leaves the call that waited. The compiler finishes
/// in the background, and its program is there for whoever needs it next; arrays stay what they are, and can be
/// computed later. Null, as at first: nothing is called, and nothing leaves. The Python module looks for Ctrl-C:
///
///     koine::set_wait_check([] { if (interrupted) throw Interrupted(); });
KOINE_API void set_wait_check(void (*look)());

}  // namespace koine
