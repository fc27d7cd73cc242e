// SPDX-License-Identifier: Apache-2.0
// Libraries that are used if they are there, loaded when they are first needed.
#pragma once

#include <string>

namespace koine::base {

/// A library that stays loaded unless it is let go of, or why it is not loaded.
struct Library {
  void* handle = nullptr;
  bool shared = false;  ///< something else in the process had loaded it before
  std::string problem;  ///< the loader's words, if there is no handle

  /// The address of a function; null if it has none of that name.
  void* find(const std::string& name) const noexcept;
};

/// Loads a library by its name or path, its symbols visible to nobody else. While its constructors run, the environment
/// begins with `variable` ("NAME=value"), unless that is empty; other threads may read the environment meanwhile.
Library load_library(const std::string& name, const std::string& variable = "");
/// Lets go of it.
void unload(Library& library) noexcept;

}  // namespace koine::base
