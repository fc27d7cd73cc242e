// SPDX-License-Identifier: Apache-2.0
// Reads environment variables; what is blank counts as unset, as shells make it easy to leave blanks behind.
#include "base/env.hpp"

#include <cstdlib>

#include "base/text.hpp"
#include "koine/error.hpp"

namespace koine::base {

std::optional<std::string> env(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  const std::string_view text = trim(value);
  if (text.empty()) return std::nullopt;
  return std::string(text);
}

bool env_flag(const char* name, bool unset) {
  const auto value = env(name);
  if (!value) return unset;
  const std::string text = lower(*value);
  if (text == "1" || text == "on" || text == "yes" || text == "true") return true;
  if (text == "0" || text == "off" || text == "no" || text == "false") return false;
  throw ValueError("[" + std::string(name) + "] \"" + *value +
                   "\" is neither on nor off: write 1, on, yes or true; or 0, off, no or false");
}

}  // namespace koine::base
