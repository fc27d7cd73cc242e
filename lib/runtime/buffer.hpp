// SPDX-License-Identifier: Apache-2.0
// A piece of device memory from a context's pool; it goes back when the last reference dies. Or memory of others: of
// the host, borrowed, or another library's, which shares it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/process.hpp"
#include "cl/opencl.hpp"
#include "runtime/fault.hpp"
#include "runtime/order.hpp"

namespace koine::runtime {

class Context;
class Pool;

/// Where the host finds the memory, which a command on the device writes once; null before functions of the host use
/// it.
using HostAddress = std::shared_ptr<std::atomic<std::byte*>>;

/// Device memory, and what may still be going on in it.
struct Block {
  cl_mem memory = nullptr;
  std::uint64_t capacity = 0;
  Uses uses;
  void* host = nullptr;  ///< the same memory, where the host may read and write it too
};

class Buffer {
 public:
  /// Made by Queue::allocate; by borrow(), without a pool. `owner` is let go of once the memory is not used any more.
  Buffer(Context& context, Pool* pool, Block block, std::uint64_t size,
         std::shared_ptr<const void> owner = nullptr) noexcept
      : context_(&context),
        pool_(pool),
        owner_(std::move(owner)),
        block_(std::move(block)),
        size_(size),
        generation_(base::process_generation()) {}
  /// Of another library's memory, whose reference it takes over.
  Buffer(Context& context, cl_mem shared, std::uint64_t size) noexcept
      : Buffer(context, nullptr, Block{shared, size, {}}, size) {
    shared_ = true;
  }
  /// Gives the memory back to the pool, which calls no driver: safe on any thread and at process exit. Work that was
  /// enqueued before may still use the memory: the block remembers it, and whoever gets it next comes after.
  /// Borrowed memory belongs to the user again: waits for the work that reads it. Of shared memory the driver knows
  /// when the last reference and the last command have gone.
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  cl_mem memory() const noexcept { return block_.memory; }
  /// The handle as the bindings' type, holding a reference of its own.
  ::cl::Buffer handle() const { return ::cl::Buffer(block_.memory, true); }
  /// The bytes that were asked for.
  std::uint64_t size() const noexcept { return size_; }
  /// The bytes that are there. Of the pool's at least 256, and at least size() rounded up to 128; of others', too,
  /// vector reads may go on to the next multiple of 128.
  std::uint64_t capacity() const noexcept { return block_.capacity; }
  /// Whether the memory is somebody else's, which nobody here may write.
  bool borrowed() const noexcept { return pool_ == nullptr; }
  Context& context() const noexcept { return *context_; }

  /// Where the host has the memory too, for Queue::on_host; null where it has not.
  std::byte* host() const noexcept { return static_cast<std::byte*>(block_.host); }

  /// What may still be under way in the memory. Under the context's order mutex.
  Uses& uses() const noexcept { return block_.uses; }
  /// What kernels may have reported about the contents. Under the context's order mutex.
  Faults& faults() const noexcept { return faults_; }

 private:
  Context* context_;
  Pool* pool_;  // null for memory of others
  std::shared_ptr<const void> owner_;
  mutable Block block_;
  std::uint64_t size_;
  mutable Faults faults_;
  std::uint32_t generation_;
  bool shared_ = false;
};

using BufferRef = std::shared_ptr<Buffer>;

/// Memory of another library's, of which the caller's reference is taken over.
BufferRef shared_buffer(Context& context, cl_mem memory, std::uint64_t size);

}  // namespace koine::runtime
