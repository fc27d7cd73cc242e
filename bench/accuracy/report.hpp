// SPDX-License-Identifier: Apache-2.0
// What was measured of the accuracy of element-wise functions: a file of lines, and the page made of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace koine::accuracy {

/// The largest error of a function in one type on one device.
struct Finding {
  std::string device, function, type;
  double ulps;  ///< infinite where a result is NaN, or finite, and should not be
  std::string input;
};

/// The lines of a file of findings; none where there is no such file.
std::vector<Finding> load(const std::string& path);
void save(const std::string& path, const std::vector<Finding>& findings);

/// docs/accuracy.md, with the functions in the given order and a column for each device.
void print_page(const std::vector<std::string>& functions, const std::vector<Finding>& findings);

}  // namespace koine::accuracy
