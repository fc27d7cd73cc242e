// SPDX-License-Identifier: Apache-2.0
// Highway's sort behind a face of our own: the one file that includes it is host_sorter.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace koine::exec {

/// Sorts in place, upwards. Its memory is taken when it is made; one for each thread.
class HostSorter {
 public:
  /// Whether the library was built with Highway.
  static bool available() noexcept;
  /// Whether it divides items by AVX-512's compressing instructions, and these are fast: then it sorts twice as many
  /// items of 64 bits at a time as it does without.
  static bool divides_fast() noexcept;

  HostSorter();
  ~HostSorter();
  HostSorter(const HostSorter&) = delete;
  HostSorter& operator=(const HostSorter&) = delete;

  void operator()(std::uint16_t* items, std::size_t count) const noexcept;
  void operator()(std::uint32_t* items, std::size_t count) const noexcept;
  void operator()(std::uint64_t* items, std::size_t count) const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace koine::exec
