// SPDX-License-Identifier: Apache-2.0
// The outermost call of each thread.
#include "base/named_call.hpp"

#include <utility>

namespace koine::base {

namespace {

/// Empty: none, so errors are named by who throws them.
thread_local constinit std::string_view outermost_call;

}  // namespace

NamedCall::NamedCall(std::string_view function) noexcept : outermost_(outermost_call.empty()) {
  if (outermost_) outermost_call = function;
}

NamedCall::~NamedCall() {
  if (outermost_) outermost_call = {};
}

OwnNames::OwnNames() noexcept : before_(std::exchange(outermost_call, {})) {}

OwnNames::~OwnNames() { outermost_call = before_; }

std::string_view named_call() noexcept { return outermost_call; }

std::string with_name_of_call(const std::string& message) {
  const std::size_t end = message.find("] ");
  if (outermost_call.empty() || !message.starts_with('[') || end == message.npos || message.starts_with("[KOINE_")) {
    return message;
  }
  return "[" + std::string(outermost_call) + message.substr(end);
}

}  // namespace koine::base
