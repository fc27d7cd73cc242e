// SPDX-License-Identifier: Apache-2.0
// The library's own rows: what suits a kind of device better than the defaults, each with its reason.
#include <algorithm>

#include "tuning/tuning.hpp"

namespace koine::tuning {

namespace {

/// Which of a device's words a row is for.
struct Row {
  std::string_view Subject::*level;
  std::string_view word;
  std::uint32_t Tuning::*field;
  std::uint32_t value;
};

constexpr std::string_view Subject::*levels[] = {&Subject::type, &Subject::vendor, &Subject::architecture,
                                                 &Subject::name};

constexpr Row rows[] = {
    // A register of the widest CPUs; narrower ones get several, which hides latency.
    {&Subject::type, "cpu", &Tuning::elementwise_vector_bytes, 64},
    // llvmpipe is a CPU that runs a card's loops (Quirks::loops_end_early).
    {&Subject::vendor, "mesa", &Tuning::elementwise_vector_bytes, 16},
};

}  // namespace

Tuning of_rows(const Subject& subject) {
  Tuning tuning;
  for (const auto level : levels) {
    for (const Row& row : rows) {
      if (row.level == level && subject.*level == row.word) tuning.*row.field = row.value;
    }
  }
  return tuning;
}

}  // namespace koine::tuning
