// SPDX-License-Identifier: Apache-2.0
// Libraries that are used if they are there, loaded when they are first needed.
#pragma once

#include <string>

namespace koine::base {

/// A library that stays loaded, or why it is not.
struct Library {
  void* handle = nullptr;
  bool shared = false;  ///< something else in the process had loaded it before
  std::string problem;  ///< the loader's words, if there is no handle

  /// The address of a function; null if it has none of that name.
  void* find(const std::string& name) const noexcept;
};

/// Loads a library by its name or path, its symbols visible to nobody else.
Library load_library(const std::string& name);

}  // namespace koine::base
