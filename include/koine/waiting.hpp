// SPDX-License-Identifier: Apache-2.0
// What a thread does while it waits: for interpreters, which have signals to look at, and a lock that others wait for.
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

/// Sets what every thread calls, on itself and without a lock of the library's, before it waits for a compiler or
/// evaluates what has become too much pending work, and afterwards, when `end` gets what `begin` gave; so it may give
/// up a lock of its own meanwhile. Not called where `begin` gave null: `end`. Null, as at first: nothing is called.
/// Neither may throw. The Python module gives up the GIL:
///
///     koine::set_wait_hooks([]() -> void* { return PyEval_SaveThread(); },
///                           [](void* state) { PyEval_RestoreThread(static_cast<PyThreadState*>(state)); });
KOINE_API void set_wait_hooks(void* (*begin)(), void (*end)(void*));

}  // namespace koine
