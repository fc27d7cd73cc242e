// SPDX-License-Identifier: Apache-2.0
// Reads the words for the precision of products.
#include "base/precision.hpp"

#include "base/env.hpp"
#include "base/text.hpp"
#include "koine/error.hpp"

#include <iterator>
#include <string>

namespace koine::base {

std::size_t matmul_precision(std::string_view word, std::string_view asked) {
  std::string words;
  for (std::size_t i = 0; i < std::size(matmul_precisions); ++i) {
    if (word == matmul_precisions[i]) return i;
    const char* const before = i == 0 ? "" : i + 1 == std::size(matmul_precisions) ? " or " : ", ";
    words += std::string(before) + "\"" + std::string(matmul_precisions[i]) + "\"";
  }
  throw ValueError(std::string(asked) + " \"" + std::string(word) + "\" is no precision of float32 operands; write " +
                   words);
}

std::size_t matmul_precision_of_environment() {
  const auto word = env("KOINE_MATMUL_PRECISION");
  return word ? matmul_precision(lower(trim(*word)), "[KOINE_MATMUL_PRECISION]") : 0;
}

}  // namespace koine::base
