// SPDX-License-Identifier: Apache-2.0
// An environment variable with another value, or none, for as long as this lives.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace koine::test {

class Variable {
 public:
  Variable(const char* name, const std::optional<std::string>& value) : name_(name) {
    if (const char* old = std::getenv(name)) before_ = old;
    set(value);
  }
  ~Variable() { set(before_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const std::optional<std::string>& value) { value ? setenv(name_, value->c_str(), 1) : unsetenv(name_); }

  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace koine::test
