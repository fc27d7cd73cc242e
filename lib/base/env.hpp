// SPDX-License-Identifier: Apache-2.0
// The KOINE_* environment variables.
#pragma once

#include <optional>
#include <string>

namespace koine::base {

/// The value of an environment variable; none if it is unset, empty or blank.
std::optional<std::string> env(const char* name);

/// Whether a variable switches something on: set, and not "0", "off", "no" or "false".
bool env_flag(const char* name);

}  // namespace koine::base
