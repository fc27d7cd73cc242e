// SPDX-License-Identifier: Apache-2.0
// A program as C++ that compiles with koine.hpp alone.
#pragma once

#include <string>
#include <vector>

#include "program.hpp"

namespace koine::fuzz {

struct Failure;

/// The calls as a whole program, run as the failure says. It ends by printing its variable, with what is wrong about
/// that.
std::string program_text(const std::vector<Call>& calls, const Failure& failure);

/// A vector of the elements.
std::string values_text(const Plain& x);
/// The texts with commas between them.
std::string together(const std::vector<std::string>& texts);
/// "kn::float32"; bool_ is the one constant that is not named as the type is.
std::string constant_of(DType type);
/// The axes of a call as its options name them.
std::string axis_text(const Call& call);
template <class List>
std::string listed(const List& list) {
  std::string text = "{";
  for (const auto& each : list) text += (text.size() > 1 ? ", " : "") + std::to_string(each);
  return text + "}";
}

}  // namespace koine::fuzz
