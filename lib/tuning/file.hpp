// SPDX-License-Identifier: Apache-2.0
// The user's file of values: sections for devices, and a line for each parameter. docs/tuning.md shows one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuning/tuning.hpp"

namespace koine::tuning {

struct Assignment {
  int line;
  const Parameter* parameter;
  std::uint32_t value;
};

/// The lines below a "[selector]", up to the next one.
struct Section {
  int line;
  std::string selector;
  std::vector<Assignment> values;
};

/// Gets each line that says nothing, by its number from 1, with a sentence on what it holds and what it could.
using Complain = std::function<void(int line, const std::string& what)>;

/// Reads the text of a file. Lines that are complained of are left out, if `complain` returns; of a section whose head
/// is wrong, all of them.
std::vector<Section> parse(std::string_view text, const Complain& complain);

/// Which file to read.
struct UserFile {
  std::string path;
  bool named;  ///< by KOINE_TUNING: then it has to be there, and to be right
};

/// Where a user's file lies unless KOINE_TUNING names another: $XDG_CONFIG_HOME/koine/tuning.txt, otherwise
/// ~/.config/koine/tuning.txt; empty without a home.
std::string usual_path();

/// What KOINE_TUNING names, otherwise usual_path(); none where it is "off".
std::optional<UserFile> file_of_environment();

}  // namespace koine::tuning
