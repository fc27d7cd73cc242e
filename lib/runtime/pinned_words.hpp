// SPDX-License-Identifier: Apache-2.0
// Words of pinned memory, to which a device writes single elements while the host does not wait: where memory is not
// pinned, a driver may take several times as long.
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include "cl/device_entry.hpp"
#include "cl/queue.hpp"

namespace koine::runtime {

/// One for each context. Thread-safe.
class PinnedWords {
 public:
  /// Of a word: room for an element of any type.
  static constexpr std::size_t bytes = 16;
  /// How many words there are.
  static constexpr std::size_t most = 64;

  /// Makes nothing yet.
  PinnedWords(::cl::Context context, const cl::DeviceEntry& entry) : context_(std::move(context)), entry_(entry) {}
  /// Waits for what is under way.
  ~PinnedWords();
  PinnedWords(const PinnedWords&) = delete;
  PinnedWords& operator=(const PinnedWords&) = delete;

  /// A word for the caller alone; null where the driver gives no such memory, or all words are taken.
  void* take() noexcept;
  /// Takes a word back to which nothing writes any more.
  void give_back(void* word) noexcept;
  /// The same of one that the device may write to until the event comes.
  void give_back(void* word, const cl::Event& until) noexcept;

 private:
  struct Late {
    void* word;
    cl::Event until;
  };

  void make() noexcept;

  ::cl::Context context_;
  const cl::DeviceEntry& entry_;
  std::mutex mutex_;
  bool made_ = false;
  ::cl::CommandQueue queue_;  // for mapping alone: a mapping in a queue with work would wait for that
  ::cl::Buffer memory_;
  std::byte* host_ = nullptr;
  std::vector<void*> free_;  // these have room for all, so that giving back cannot fail
  std::vector<Late> late_;
};

}  // namespace koine::runtime
