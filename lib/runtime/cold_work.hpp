// SPDX-License-Identifier: Apache-2.0
// What the host has done in place of programs that are not compiled yet, so that it does not go on doing it.
#pragma once

#include "base/hash.hpp"

#include <cstdint>
#include <string_view>
#include <unordered_map>

namespace koine::runtime {

/// By the programs' signatures. Not safe from several threads at once.
class ColdWork {
 public:
  /// What has been done in place of a program so far.
  std::uint64_t done(std::string_view signature) const {
    const auto found = done_.find(base::TextHash()(signature));
    return found == done_.end() ? 0 : found->second;
  }
  void add(std::string_view signature, std::uint64_t work) {
    // A process that needs ever new programs does not grow; what was forgotten counts from 0 again.
    if (done_.size() >= most) done_.clear();
    done_[base::TextHash()(signature)] += work;
  }

 private:
  static constexpr std::size_t most = 4096;
  std::unordered_map<std::size_t, std::uint64_t> done_;  // by hashes: to take one for another only moves a compile
};

}  // namespace koine::runtime
