// SPDX-License-Identifier: Apache-2.0
// Which line of Python asks, for KOINE_LOG and for traces.
#pragma once

#include <koine/caller.hpp>

#include <memory>

namespace koine::python {

/// A scope that names the line of Python which runs now, the innermost outside of this package; null where there is
/// none. The caller holds the GIL.
std::unique_ptr<CallerScope> name_calling_line() noexcept;

/// The same while it lives, if somebody would read the line: finding it takes as long as a small operation.
class CallingLine {
 public:
  CallingLine() noexcept : scope_(CallerScope::wanted() ? name_calling_line() : nullptr) {}

 private:
  std::unique_ptr<CallerScope> scope_;
};

}  // namespace koine::python
