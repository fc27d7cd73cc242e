// SPDX-License-Identifier: Apache-2.0
// Which line of a program logs and traces name, for programs whose lines C++ does not know.
#pragma once

#include <string>
#include <string_view>

#include "koine/export.hpp"

namespace koine {

/// While the scope lives, lines of KOINE_LOG about what this thread asks a device for end with ", asked by <place>",
/// and the events of profile::Session::trace() have it as their "asked by". Arrays are lazy, so the place is the one
/// that observes a value or evaluates, not the one where the expression was built. Scopes nest, the innermost counts:
///
///     const koine::CallerScope scope("step 12");
///
/// Bindings of other languages and interpreters name the line of their program, as the Python module does.
class KOINE_API CallerScope {
 public:
  explicit CallerScope(std::string place);
  ~CallerScope();
  CallerScope(const CallerScope&) = delete;
  CallerScope& operator=(const CallerScope&) = delete;

  /// Whether somebody would read the place now: KOINE_LOG names a topic, or a profile is being recorded. Cheap, so that
  /// a binding need not find out its program's line otherwise.
  static bool wanted() noexcept;

 private:
  std::string place_;
  std::string_view before_;
};

}  // namespace koine
