// SPDX-License-Identifier: Apache-2.0
// C++'s scopes as Python's context managers.
#pragma once

#include <memory>

namespace koine::python {

/// Begins a scope of this thread, which lives until leave() is called for it. Scopes end in the order in which with
/// statements do, the innermost first.
void enter(std::shared_ptr<void> scope);
void leave();

}  // namespace koine::python
