// SPDX-License-Identifier: Apache-2.0
// The text of a program in PTX, NVIDIA's assembly.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace koine::codegen {

class PtxText {
 public:
  /// A line of words and numbers.
  template <class... Part>
  PtxText& line(const Part&... parts) {
    (append(parts), ...);
    text_ += '\n';
    return *this;
  }
  const std::string& text() const noexcept { return text_; }

 private:
  void append(std::string_view part) { text_ += part; }
  void append(std::integral auto number) { text_ += std::to_string(number); }

  std::string text_;
};

}  // namespace koine::codegen
