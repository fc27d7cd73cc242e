// SPDX-License-Identifier: Apache-2.0
// Transposing a square block of elements that lies in vectors.
#include "codegen/print.hpp"

namespace koine::codegen {

std::string transpose_function(const std::string& element, int width) {
  const std::string vector = element + std::to_string(width);
  const auto value = [](int level, int k) { return "v" + std::to_string(level) + "_" + std::to_string(k); };
  // Of lanes taken by turns from two vectors, runs of `run` each, beginning at lane `first`.
  const auto mixed = [&](const std::string& a, const std::string& b, int run, int first) {
    std::string parts;
    for (int lane = first; lane < width; lane += 2 * run) {
      std::string lanes = ".s";
      for (int l = lane; l < lane + run; ++l) lanes += "0123456789abcdef"[l];
      parts += (parts.empty() ? "" : ", ") + a + lanes + ", " + b + lanes;
    }
    return "(" + vector + ")(" + parts + ")";
  };
  std::string text = "static inline void kn_transpose_" + element + "(" + vector + "* t) {\n", stores;
  int level = 0;
  for (int k = 0; k < width; ++k) {
    text += "  const " + vector + " " + value(0, k) + " = t[" + std::to_string(k) + "];\n";
  }
  // Of two vectors that lie `run` apart, the runs that the transpose exchanges, from halves down to single elements.
  for (int run = width / 2; run > 0; run /= 2, ++level) {
    for (int k = 0; k < width; ++k) {
      const bool low = (k & run) == 0;
      const std::string a = value(level, low ? k : k - run), b = value(level, low ? k + run : k);
      text += "  const " + vector + " " + value(level + 1, k) + " = " + mixed(a, b, run, low ? 0 : run) + ";\n";
    }
  }
  for (int k = 0; k < width; ++k) text += "  t[" + std::to_string(k) + "] = " + value(level, k) + ";\n";
  return text + "}\n";
}

}  // namespace koine::codegen
