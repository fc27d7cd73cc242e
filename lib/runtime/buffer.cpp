// SPDX-License-Identifier: Apache-2.0
// What happens when a buffer's last reference dies.
#include "runtime/buffer.hpp"

#include "base/process.hpp"
#include "runtime/borrow.hpp"
#include "runtime/pool.hpp"

namespace koine::runtime {

Buffer::~Buffer() {
  // In a forked child the pool's lock may be held by a thread that does not exist here, and its memory is not ours.
  if (base::process_generation() != generation_) return;
  if (borrowed()) {
    end_borrowing(*context_, block_.memory);
  } else {
    pool_->give_back(std::move(block_));
  }
}

}  // namespace koine::runtime
