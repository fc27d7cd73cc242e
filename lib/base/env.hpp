// SPDX-License-Identifier: Apache-2.0
// Environment variables, of Koine's own and of what it loads.
#pragma once

#include <optional>
#include <string>

namespace koine::base {

/// The value of an environment variable; none if it is unset, empty or blank.
std::optional<std::string> env(const char* name);

/// Whether a variable switches something on: 1, on, yes or true; not if it is 0, off, no or false; `unset` if it is
/// unset. Throws ValueError for any other word.
bool env_flag(const char* name, bool unset = false);

/// One more variable ("NAME=value") in front of the environment's own, until this object goes. setenv() may move and
/// free an array that other threads are reading; here they find either of two that stay as they are for as long as the
/// process lives.
class OneMoreVariable {
 public:
  explicit OneMoreVariable(const std::string& variable);
  ~OneMoreVariable();
  OneMoreVariable(const OneMoreVariable&) = delete;
  OneMoreVariable& operator=(const OneMoreVariable&) = delete;

 private:
  struct Environment;
  Environment* mine_;
  char** before_;
};

}  // namespace koine::base
