// SPDX-License-Identifier: Apache-2.0
// What KOINE_LOG=launch told of.
#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace koine::test {

/// The kernels that were launched, by name, in that order.
inline std::vector<std::string> launched_kernels(const std::string& log) {
  const std::string head = "koine launch: ";
  std::vector<std::string> names;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t name_end = line.find(" on ");
    const bool launch = line.find(", global ") != std::string::npos || line.ends_with(", by a thread of the host");
    if (!line.starts_with(head) || !launch) continue;
    names.push_back(line.substr(head.size(), name_end - head.size()));
  }
  return names;
}

}  // namespace koine::test
