// SPDX-License-Identifier: Apache-2.0
// Measures the columns, then writes them.
#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace koine::tool {

std::vector<std::string> table_lines(const std::vector<Row>& rows, std::string_view right) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::vector<std::string> lines;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool number = i < right.size() && right[i] == 'r';
      line += number ? fmt::format("{:>{}}  ", row[i], widths[i]) : fmt::format("{:<{}}  ", row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

void print_table(const std::vector<Row>& rows, std::string_view right) {
  for (const std::string& line : table_lines(rows, right)) fmt::print("{}\n", line);
}

}  // namespace koine::tool
