// SPDX-License-Identifier: Apache-2.0
// Whose name an error carries: the function's that the user called, whichever of those it is made of finds the fault.
#pragma once

#include <string>
#include <string_view>

namespace koine::base {

/// While it lives, errors that this thread throws name `function`, "[function] sentence", instead of who finds the
/// fault. Of several the outermost counts. Public functions that call others begin with one. `function` outlives it.
class NamedCall {
 public:
  explicit NamedCall(std::string_view function) noexcept;
  ~NamedCall();
  NamedCall(const NamedCall&) = delete;
  NamedCall& operator=(const NamedCall&) = delete;

 private:
  bool outermost_;
};

/// While it lives, errors keep the name that they are thrown with: those of earlier calls, which show only now.
class OwnNames {
 public:
  OwnNames() noexcept;
  ~OwnNames();
  OwnNames(const OwnNames&) = delete;
  OwnNames& operator=(const OwnNames&) = delete;

 private:
  std::string_view before_;
};

/// The outermost call's function; empty where there is none.
std::string_view named_call() noexcept;

/// A message with the name of the outermost call, if there is one. One about an environment variable keeps its name.
std::string with_name_of_call(const std::string& message);

}  // namespace koine::base
