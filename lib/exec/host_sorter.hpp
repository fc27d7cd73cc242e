// SPDX-License-Identifier: Apache-2.0
// Highway's sort behind a face of our own: the one file that includes it is host_sorter.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace koine::exec {

/// A key of 64 bits above its position.
struct alignas(16) WideItem {
  std::uint64_t position, key;

  friend bool operator<(const WideItem& a, const WideItem& b) {
    // Without branches, of which a sort takes every second one wrongly.
    return (static_cast<int>(a.key < b.key) |
            (static_cast<int>(a.key == b.key) & static_cast<int>(a.position < b.position))) != 0;
  }
};

/// Sorts in place, upwards. Its memory is taken when it is made; one for each thread.
class HostSorter {
 public:
  /// Whether the library was built with Highway.
  static bool available() noexcept;

  HostSorter();
  ~HostSorter();
  HostSorter(const HostSorter&) = delete;
  HostSorter& operator=(const HostSorter&) = delete;

  void operator()(std::uint16_t* items, std::size_t count) const noexcept;
  void operator()(std::uint32_t* items, std::size_t count) const noexcept;
  void operator()(std::uint64_t* items, std::size_t count) const noexcept;
  void operator()(WideItem* items, std::size_t count) const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace koine::exec
