// SPDX-License-Identifier: Apache-2.0
// Tables on a terminal: columns as wide as their widest text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace koine::tool {

using Row = std::vector<std::string>;

/// Rows of equally many texts as lines of aligned columns, two spaces apart. `right` has an 'r' at the places of
/// columns of numbers, which end at the same place rather than begin there: ".rr".
std::vector<std::string> table_lines(const std::vector<Row>& rows, std::string_view right = {});

/// Prints them on standard output.
void print_table(const std::vector<Row>& rows, std::string_view right = {});

}  // namespace koine::tool
