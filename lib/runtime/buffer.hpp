// SPDX-License-Identifier: Apache-2.0
// A piece of device memory from a context's pool; it goes back when the last reference dies.
#pragma once

#include <cstdint>
#include <memory>

#include "base/process.hpp"
#include "cl/opencl.hpp"

namespace koine::runtime {

class Context;
class Pool;

class Buffer {
 public:
  /// Made by Context::allocate.
  Buffer(Context& context, Pool& pool, cl_mem memory, std::uint64_t size, std::uint64_t capacity) noexcept
      : context_(&context),
        pool_(&pool),
        memory_(memory),
        size_(size),
        capacity_(capacity),
        generation_(base::process_generation()) {}
  /// Gives the memory back to the pool, which calls no driver: safe on any thread and at process exit. Work that was
  /// enqueued before may still use the memory, because whoever gets it next is later in the same in-order queue.
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  cl_mem memory() const noexcept { return memory_; }
  /// The handle as the bindings' type, holding a reference of its own.
  ::cl::Buffer handle() const { return ::cl::Buffer(memory_, true); }
  /// The bytes that were asked for.
  std::uint64_t size() const noexcept { return size_; }
  /// The bytes that are there: at least 256, and at least size() rounded up to 128, so vector reads may overrun.
  std::uint64_t capacity() const noexcept { return capacity_; }
  Context& context() const noexcept { return *context_; }

 private:
  Context* context_;
  Pool* pool_;
  cl_mem memory_;
  std::uint64_t size_;
  std::uint64_t capacity_;
  std::uint32_t generation_;
};

using BufferRef = std::shared_ptr<Buffer>;

}  // namespace koine::runtime
