// SPDX-License-Identifier: Apache-2.0
// The KOINE_* environment variables.
#pragma once

#include <optional>
#include <string>

namespace koine::base {

/// The value of an environment variable; none if it is unset, empty or blank.
std::optional<std::string> env(const char* name);

/// Whether a variable switches something on: 1, on, yes or true; not if it is 0, off, no or false; `unset` if it is
/// unset. Throws ValueError for any other word.
bool env_flag(const char* name, bool unset = false);

}  // namespace koine::base
