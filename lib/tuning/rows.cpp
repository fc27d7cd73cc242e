// SPDX-License-Identifier: Apache-2.0
// The library's own rows: what suits a kind of device better than the defaults, each with its reason.
#include "tuning/tuning.hpp"

namespace koine::tuning {

namespace {

constexpr std::string_view Subject::*levels[] = {&Subject::type, &Subject::vendor, &Subject::architecture,
                                                 &Subject::name};

constexpr Row own_rows[] = {
    // A register of the widest CPUs; narrower ones get several, which hides latency.
    {&Subject::type, "cpu", &Tuning::elementwise_vector_bytes, 64},
    // llvmpipe is a CPU that runs a card's loops (Quirks::loops_end_early).
    {&Subject::vendor, "mesa", &Tuning::elementwise_vector_bytes, 16},
};

}  // namespace

Tuning of_rows(const Subject& subject) { return of_rows(subject, own_rows); }

Tuning of_rows(const Subject& subject, std::span<const Row> rows) {
  Tuning tuning;
  for (const auto level : levels) {
    for (const Row& row : rows) {
      if (row.level == level && subject.*level == row.word) tuning.*row.field = row.value;
    }
  }
  return tuning;
}

}  // namespace koine::tuning
