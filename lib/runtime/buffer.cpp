// SPDX-License-Identifier: Apache-2.0
// What happens when a buffer's last reference dies.
#include "runtime/buffer.hpp"

#include "base/process.hpp"
#include "runtime/borrow.hpp"
#include "runtime/pool.hpp"

namespace koine::runtime {

namespace {

/// The events stay where they are: the driver must not be called any more, not even to release them.
void forget(Uses& uses) noexcept {
  uses.written.event() = nullptr;
  for (Point& point : uses.read) point.event() = nullptr;
}

}  // namespace

Buffer::~Buffer() {
  // In a forked child the pool's lock may be held by a thread that does not exist here, and its memory is not ours.
  if (base::process_generation() != generation_) {
    forget(block_.uses);
  } else if (!borrowed()) {
    pool_->give_back(std::move(block_));
  } else if (shared_) {
    if (!base::process_ending()) {
      clReleaseMemObject(block_.memory);
    } else {
      forget(block_.uses);
    }
  } else if (!end_borrowing(*context_, block_.memory)) {
    forget(block_.uses);
  }
}

BufferRef shared_buffer(Context& context, cl_mem memory, std::uint64_t size) {
  try {
    return std::make_shared<Buffer>(context, memory, size);
  } catch (...) {
    clReleaseMemObject(memory);
    throw;
  }
}

}  // namespace koine::runtime
