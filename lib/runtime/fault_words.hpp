// SPDX-License-Identifier: Apache-2.0
// Cleared words for faults. On a device with memory of its own each takes a command to clear, which takes as long as a
// small kernel: so many are cleared together.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/buffer.hpp"

namespace koine::runtime {

class Queue;

class FaultWords {
 public:
  /// A cleared word, for work of this queue. It may be cleared again once its last holder is gone.
  BufferRef take(Queue& queue);
  /// A word for kernels that find nothing wrong: nobody reads it, and results do not depend on it.
  BufferRef unused(Queue& queue);

 private:
  /// Parts of one piece of memory, each a buffer.
  struct Block {
    BufferRef memory;
    std::vector<BufferRef> words;
  };

  static std::shared_ptr<Block> make_block(const Queue& queue);

  std::mutex mutex_;
  std::vector<std::shared_ptr<Block>> blocks_;
  std::shared_ptr<Block> current_;
  std::size_t taken_ = 0;  // of its words
  BufferRef unused_;
};

}  // namespace koine::runtime
