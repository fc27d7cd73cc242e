// SPDX-License-Identifier: Apache-2.0
// Reads environment variables; what is blank counts as unset, as shells make it easy to leave blanks behind.
#include "base/env.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <vector>

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

struct OneMoreVariable::Environment {
  std::string variable;
  std::vector<char*> all;
  Environment* older = nullptr;
};

OneMoreVariable::OneMoreVariable(const std::string& variable) : mine_(new Environment), before_(environ) {
  static constinit std::atomic<Environment*> newest{nullptr};
  mine_->variable = variable;
  mine_->all.push_back(mine_->variable.data());
  for (char** each = before_; each != nullptr && *each != nullptr; ++each) mine_->all.push_back(*each);
  mine_->all.push_back(nullptr);
  mine_->older = newest.exchange(mine_);
  environ = mine_->all.data();
}

OneMoreVariable::~OneMoreVariable() {
  if (environ == mine_->all.data()) environ = before_;  // else another thread has made a third one of it
}

}  // namespace koine::base
