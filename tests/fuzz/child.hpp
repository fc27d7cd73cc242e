// SPDX-License-Identifier: Apache-2.0
// Programs in a process of their own, so that one that crashes or hangs is a finding like any other.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "program.hpp"

namespace koine::fuzz {

enum class End { well, wrong, crash, hang };

struct Outcome {
  End end = End::well;
  std::size_t done = 0;  ///< programs that ended well
  bool leaving = false;  ///< there was no further program: it is the process's end that did not end well
  std::string text;      ///< what was wrong; the program in C++ if asked for
  std::vector<std::uint64_t> bits = {};  ///< of each program that ended well, a hash of its values
};

/// Variables of the child's environment.
using Variables = std::vector<std::pair<std::string, std::string>>;
/// Programs of one child, at the most.
inline constexpr std::size_t programs_each = 50;

/// The next program, or none.
using Source = std::function<bool(std::size_t number, Bytes& program)>;

/// Runs programs one after another in one child until one fails. This process never uses a device: after a fork the
/// child of one that did cannot. With `describe`, the failing program comes as C++ in the text.
Outcome run_apart(const Source& next, int seconds_each, bool describe = false, const Variables& variables = {});

/// One program alone.
Outcome run_apart(const Bytes& program, int seconds, bool describe = false, const Variables& variables = {});

}  // namespace koine::fuzz
