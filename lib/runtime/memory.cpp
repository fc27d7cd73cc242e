// SPDX-License-Identifier: Apache-2.0
// Queues' memory: from the pool, or from the driver with a second chance.
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <utility>

#include "base/log.hpp"
#include "base/text.hpp"
#include "cl/errors.hpp"
#include "koine/error.hpp"
#include "runtime/context.hpp"

namespace koine::runtime {

using base::bytes_text;

BufferRef Queue::allocate(std::uint64_t bytes, std::string_view function) {
  const Context::InUse in_use(context_, function);
  if (bytes > traits().max_allocation) {
    throw OutOfMemory("[" + std::string(function) + "] one buffer of " + bytes_text(bytes) + " is more than " +
                      traits().selector + " (" + traits().name + ") allows, which is " +
                      bytes_text(traits().max_allocation) + " at once. On " + context_.memory_text());
  }
  Pool& pool = context_.pool_;
  // Rounding up must not carry a request over the limit that it respects itself.
  std::uint64_t capacity = std::min(pool_capacity(bytes), std::max(bytes, traits().max_allocation));
  const auto made = [&](Block block) {
    try {
      return std::make_shared<Buffer>(context_, &pool, std::move(block), bytes);
    } catch (...) {  // no memory on the host for the object, which has not taken the block then
      pool.give_back(std::move(block));
      throw;
    }
  };
  // Not memory that another queue may still be at: new memory costs time, waiting for that would cost overlap.
  {
    // Taken before the pool's own mutex, as wherever memory that ran out is released. Where another queue comes right
    // now, what is enqueued later waits for its work in the block, if there is any.
    std::unique_lock lock(order_mutex(), std::defer_lock);
    const bool several = context_.has_several_queues();
    if (several) lock.lock();
    const auto free_here = [&](const Uses& uses) { return !several || settled(uses); };
    if (auto block = pool.take_held(capacity, free_here)) return made(std::move(*block));
  }
  bool reserved = pool.reserve(capacity);
  if (!reserved && capacity > pool_capacity_exact(bytes)) {
    capacity = pool_capacity_exact(bytes);
    reserved = pool.reserve(capacity);
  }
  if (!reserved) {
    throw OutOfMemory("[" + std::string(function) + "] " + bytes_text(bytes) + " do not fit on " +
                      context_.memory_text());
  }

  Block block{nullptr, capacity, {}};
  cl_int code = create(block);
  // Memory of work that is done may come back, and what the pool holds certainly does.
  if (code != CL_SUCCESS && relieve_locked(code)) code = create(block);
  if (code != CL_SUCCESS) {
    pool.cancel(capacity);
    const bool shortage = cl::error_kind(code) == ErrorKind::OutOfMemory || code == CL_OUT_OF_RESOURCES;
    if (!shortage || context_.lost_by(code)) context_.fail(code, function, "allocate memory");
    throw OutOfMemory("[" + std::string(function) + "] " + bytes_text(bytes) + " do not fit on " +
                      context_.memory_text() + " (" + cl::error_name(code) + ")");
  }
  if (base::log_enabled(base::LogTopic::memory)) {
    base::log_line(base::LogTopic::memory, "allocated " + bytes_text(capacity) + " on " + traits().selector);
  }
  return made(std::move(block));
}

namespace {

// A core knows where a few thousand pages lie, and fetches ahead within one. Of pages of 4 KiB a large array has more,
// so that a walk along it waits at each for tables in memory; in a virtual machine it waits for those of two systems.
constexpr std::size_t huge_page = std::size_t{1} << 21;

/// Where memory of the host begins to be used, and what is to be freed.
struct HostMemory {
  void* begin = nullptr;
  void* whole = nullptr;
};

/// Memory of the host, in huge pages as far as they are filled, where the system gives them to who asks. Blocks begin
/// at different distances behind their first page: what lies at the same place in several arrays, which a loop walks at
/// once, would otherwise be kept in the same few places of a cache and drive each other out.
HostMemory host_memory(std::size_t alignment, std::size_t bytes) {
  HostMemory memory;
  const std::size_t in_huge = bytes / huge_page * huge_page;
  if (in_huge == 0) {
    if (posix_memalign(&memory.whole, alignment, bytes) != 0) return {};
    memory.begin = memory.whole;
    return memory;
  }
  constexpr std::size_t cache_way = 4096;  // of the first cache of a core
  static std::atomic<std::size_t> blocks{0};
  const std::size_t places = std::max<std::size_t>(cache_way / alignment, 1);
  // Multiples of an odd number near the golden ratio lie apart, however few they are.
  const std::size_t place = blocks.fetch_add(1, std::memory_order_relaxed) * (places * 5 / 8 | 1) % places;
  const std::size_t distance = place * alignment;
  if (posix_memalign(&memory.whole, std::max(alignment, huge_page), distance + bytes) != 0) return {};
  madvise(memory.whole, in_huge, MADV_HUGEPAGE);  // a system without them refuses, which changes nothing
  memory.begin = static_cast<char*>(memory.whole) + distance;
  return memory;
}

}  // namespace

cl_int Queue::create_on_host(Block& block) {
  const auto [host, whole] = host_memory(std::max<std::size_t>(traits().base_alignment, 128), block.capacity);
  if (host == nullptr) return CL_MEM_OBJECT_ALLOCATION_FAILURE;
  const auto free_host = [](cl_mem, void* memory) { std::free(memory); };
  cl_int code = CL_SUCCESS;
  const cl_mem memory =
      clCreateBuffer(context_.handle()(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, block.capacity, host, &code);
  if (code == CL_SUCCESS) {
    // The driver lets go of the buffer when its last command is over.
    code = clSetMemObjectDestructorCallback(memory, free_host, whole);
    if (code != CL_SUCCESS) clReleaseMemObject(memory);
  }
  if (code != CL_SUCCESS) {
    std::free(whole);
    return code;
  }
  block.memory = memory;
  block.host = host;
  return code;
}

cl_int Queue::create(Block& block) {
  if (context_.works_in_host_memory()) return create_on_host(block);
  cl_int code = CL_SUCCESS;
  const cl_mem memory = clCreateBuffer(context_.handle()(), CL_MEM_READ_WRITE, block.capacity, nullptr, &code);
  if (code != CL_SUCCESS) return code;
  if (traits().quirks.lazy_allocation) {
    const cl_uint zero = 0;
    const std::lock_guard lock(order_mutex());
    cl_event raw = nullptr;
    follow_recording();
    code = clEnqueueFillBuffer(handle(), memory, &zero, sizeof zero, 0, sizeof zero, 0, nullptr,
                               others() ? &raw : nullptr);
    if (code != CL_SUCCESS) {
      clReleaseMemObject(memory);
      return code;
    }
    if (raw != nullptr) block.uses.written = {this, ++ticket_, ::cl::Event(raw)};
  }
  block.memory = memory;
  return code;
}

}  // namespace koine::runtime
