// SPDX-License-Identifier: Apache-2.0
// The numbers by which kernels and launches suit a device: they change how long a computation takes, never its result.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace koine {

/// The values of parameters.def for one device. 32 bits, which fit the signed and the unsigned numbers they meet.
struct Tuning {
#define KN_PARAMETER(name, standard, lowest, highest, values, loops, text) std::uint32_t name = standard;
#include "tuning/parameters.def"
#undef KN_PARAMETER
};

}  // namespace koine

namespace koine::tuning {

enum class Values { any, powers };
enum class Loops { cpu, gpu, both };

/// A row of parameters.def.
struct Parameter {
  std::string_view name;
  std::uint32_t Tuning::*field;
  std::uint32_t standard, lowest, highest;
  Values values;
  Loops loops;
  std::string_view text;

  bool takes(std::uint64_t value) const noexcept;
  /// "64 to 1048576", "a power of two from 4 to 64": what takes() does.
  std::string range() const;
};

std::span<const Parameter> parameters() noexcept;
/// Null if there is no such parameter.
const Parameter* find(std::string_view name) noexcept;

/// What rows go by.
struct Subject {
  std::string_view name, architecture, vendor;
  std::string_view type;  ///< "cpu", "gpu" or "acc"
};

/// A value for the devices of which one word is this.
struct Row {
  std::string_view Subject::*level;
  std::string_view word;
  std::uint32_t Tuning::*field;
  std::uint32_t value;
};

/// The defaults, then the rows of the device's type, its vendor, its architecture and its name, of which each goes
/// before those that stand earlier here.
Tuning of_rows(const Subject& subject, std::span<const Row> rows);
/// By the library's own rows.
Tuning of_rows(const Subject& subject);

}  // namespace koine::tuning
