// SPDX-License-Identifier: Apache-2.0
// The table of parameters.
#include <algorithm>
#include <bit>

#include "tuning/tuning.hpp"

namespace koine::tuning {

namespace {

constexpr Parameter table[] = {
#define KN_PARAMETER(name, standard, lowest, highest, values, loops, text) \
  {#name, &Tuning::name, standard, lowest, highest, Values::values, Loops::loops, text},
#include "tuning/parameters.def"
#undef KN_PARAMETER
};

}  // namespace

bool Parameter::takes(std::uint64_t value) const noexcept {
  return value >= lowest && value <= highest && (values == Values::any || std::has_single_bit(value));
}

std::string Parameter::range() const {
  const std::string numbers = std::to_string(lowest) + " to " + std::to_string(highest);
  return values == Values::powers ? "a power of two from " + numbers : numbers;
}

std::span<const Parameter> parameters() noexcept { return table; }

const Parameter* find(std::string_view name) noexcept {
  const auto* const row =
      std::find_if(std::begin(table), std::end(table), [&](const auto& p) { return p.name == name; });
  return row == std::end(table) ? nullptr : row;
}

}  // namespace koine::tuning
