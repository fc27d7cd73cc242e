// SPDX-License-Identifier: Apache-2.0
// Buffers over the user's own memory, and their end.
#include "runtime/borrow.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <new>
#include <thread>
#include <utility>

#include "base/process.hpp"
#include "cl/discovery.hpp"
#include "runtime/context.hpp"
#include "runtime/transfers.hpp"

namespace koine::runtime {

namespace {

// Kernels may read up to the end of the block of this size that holds the last element.
constexpr std::uint64_t padding = 128;
// What lies in one page with an element can be read if the element can.
constexpr std::uint64_t page = 4096;

std::atomic<int> borrowed_buffers{0};
std::atomic<bool> ending{false};

/// Waits for the context's work, as the caller frees what that may read. Memory that the wait itself is short of may be
/// there again a moment later.
void wait_for_work(Context& context) noexcept {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    try {
      context.finish();
      return;
    } catch (const std::bad_alloc&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } catch (...) {  // lost, and its work with it, or the parent's
      return;
    }
  }
}

/// Waits for the work that reads borrowed memory, before the program's statics go, some of which may own such memory.
/// From then on nothing calls the driver.
void end_with_process() noexcept {
  if (borrowed_buffers.load() > 0) {
    for (const cl::DeviceEntry* entry : cl::all_devices()) {
      Context* const context = Context::existing(*entry);
      if (context != nullptr && Transfers::shares_memory(entry->traits)) wait_for_work(*context);
    }
  }
  ending.store(true);
}

/// exit() destroys the thread-local objects of its thread before any static one.
struct EndsWithMain {
  ~EndsWithMain() {
    if (base::on_main_thread()) end_with_process();
  }
};

void watch_exit() {
  [[maybe_unused]] static thread_local const EndsWithMain ends_with_main;
  // For an exit() on another thread than main's, and for arrays that only other threads borrowed.
  [[maybe_unused]] static const int registered = std::atexit(end_with_process);
}

}  // namespace

std::optional<Borrowed> borrow(Context& context, const void* memory, std::uint64_t bytes, std::size_t element_size,
                               std::shared_ptr<const void> owner) {
  const DeviceTraits& traits = context.traits();
  const std::uint64_t alignment = std::max<std::uint64_t>(traits.base_alignment, padding);
  if (!Transfers::shares_memory(traits) || bytes == 0 || page % alignment != 0) return std::nullopt;
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uint64_t skipped = address % alignment;
  if (skipped % element_size != 0) return std::nullopt;
  const std::uint64_t size = skipped + bytes, capacity = (size + padding - 1) / padding * padding;
  if (capacity > traits.max_allocation) return std::nullopt;

  watch_exit();
  cl_int code = CL_SUCCESS;
  const cl_mem handle = clCreateBuffer(context.handle()(), CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, capacity,
                                       reinterpret_cast<void*>(address - skipped), &code);
  if (code != CL_SUCCESS) return std::nullopt;
  borrowed_buffers.fetch_add(1);
  Block block{handle, capacity, {}, reinterpret_cast<void*>(address - skipped)};
  try {
    return Borrowed{std::make_shared<Buffer>(context, nullptr, std::move(block), size, std::move(owner)),
                    static_cast<std::int64_t>(skipped / element_size)};
  } catch (...) {
    borrowed_buffers.fetch_sub(1);
    clReleaseMemObject(handle);
    throw;
  }
}

bool end_borrowing(Context& context, cl_mem memory) noexcept {
  if (ending.load()) return false;
  wait_for_work(context);
  clReleaseMemObject(memory);
  borrowed_buffers.fetch_sub(1);
  return true;
}

}  // namespace koine::runtime
