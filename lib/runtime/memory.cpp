// SPDX-License-Identifier: Apache-2.0
// Contexts' memory: allocation with its second chance, and transfers.
#include <algorithm>
#include <array>

#include "base/log.hpp"
#include "base/text.hpp"
#include "cl/errors.hpp"
#include "runtime/context.hpp"

namespace koine::runtime {

namespace {

using base::bytes_text;

std::string out_of_memory(std::string_view function, std::uint64_t bytes, const MemoryStats& stats,
                          const DeviceTraits& traits) {
  return "[" + std::string(function) + "] " + bytes_text(bytes) + " do not fit on " + traits.selector + " (" +
         traits.name + "): " + bytes_text(stats.in_use) + " are in use and " + bytes_text(stats.held) +
         " held, of a limit of " + bytes_text(stats.limit) + "; the device has " + bytes_text(traits.memory);
}

}  // namespace

BufferRef Context::allocate(std::uint64_t bytes, std::string_view function) {
  check_usable(function);
  if (bytes > traits().max_allocation) {
    throw OutOfMemory("[" + std::string(function) + "] one buffer of " + bytes_text(bytes) + " is more than " +
                      traits().selector + " (" + traits().name + ") allows, which is " +
                      bytes_text(traits().max_allocation) + " at once");
  }
  // Rounding up must not carry a request over the limit that it respects itself.
  const std::uint64_t capacity = std::min(pool_capacity(bytes), std::max(bytes, traits().max_allocation));
  if (const auto block = pool_.take_held(capacity)) {
    return std::make_shared<Buffer>(*this, pool_, block->memory, bytes, block->capacity);
  }
  if (!pool_.reserve(capacity)) throw OutOfMemory(out_of_memory(function, bytes, pool_.stats(), traits()));

  cl_int code = CL_SUCCESS;
  cl_mem memory = create(capacity, code);
  if (memory == nullptr && cl::error_kind(code) != ErrorKind::DeviceLost) {
    // Memory of work that is done may come back, and what the pool holds certainly does.
    clFinish(queue_.handle());
    pool_.trim();
    memory = create(capacity, code);
  }
  if (memory == nullptr) {
    const MemoryStats stats = pool_.stats();
    pool_.cancel(capacity);
    if (cl::error_kind(code) == ErrorKind::DeviceLost) fail(code, function, "allocate memory");
    throw OutOfMemory(
        out_of_memory(function, bytes, {stats.in_use - capacity, stats.held, stats.peak, stats.limit}, traits()) +
        " (" + cl::error_name(code) + ")");
  }
  if (base::log_enabled(base::LogTopic::memory)) {
    base::log_line(base::LogTopic::memory, "allocated " + bytes_text(capacity) + " on " + traits().selector);
  }
  return std::make_shared<Buffer>(*this, pool_, memory, bytes, capacity);
}

cl_mem Context::create(std::uint64_t capacity, cl_int& code) {
  cl_mem memory = clCreateBuffer(handle_(), CL_MEM_READ_WRITE, capacity, nullptr, &code);
  if (code != CL_SUCCESS) return nullptr;
  if (traits().quirks.lazy_allocation) {
    const cl_uint zero = 0;
    code = clEnqueueFillBuffer(queue_.handle(), memory, &zero, sizeof zero, 0, sizeof zero, 0, nullptr, nullptr);
    if (code != CL_SUCCESS) {
      clReleaseMemObject(memory);
      return nullptr;
    }
  }
  return memory;
}

// Host and device sharing memory needs no path of its own: a CPU driver's read or write is one copy, as copying out of
// a mapping would be, and takes one command instead of two (35 against 54 microseconds for small ones on PoCL).
void Context::write(Buffer& to, std::uint64_t offset, const void* source, std::uint64_t bytes,
                    std::string_view function) {
  check_usable(function);
  if (bytes == 0) return;
  const cl_int code =
      clEnqueueWriteBuffer(queue_.handle(), to.memory(), CL_TRUE, offset, bytes, source, 0, nullptr, nullptr);
  if (code != CL_SUCCESS) fail(code, function, "copy " + bytes_text(bytes) + " to the device");
}

void Context::read(const Buffer& from, std::uint64_t offset, void* target, std::uint64_t bytes,
                   std::string_view function) {
  check_usable(function);
  if (bytes == 0) return;
  const cl_int code =
      clEnqueueReadBuffer(queue_.handle(), from.memory(), CL_TRUE, offset, bytes, target, 0, nullptr, nullptr);
  if (code != CL_SUCCESS) fail(code, function, "copy " + bytes_text(bytes) + " from the device");
}

void Context::copy(Buffer& to, std::uint64_t to_offset, const Buffer& from, std::uint64_t from_offset,
                   std::uint64_t bytes, std::string_view function) {
  check_usable(function);
  if (bytes == 0) return;
  const cl_int code = clEnqueueCopyBuffer(queue_.handle(), from.memory(), to.memory(), from_offset, to_offset, bytes, 0,
                                          nullptr, nullptr);
  if (code != CL_SUCCESS) fail(code, function, "copy " + bytes_text(bytes));
}

void Context::fill_zero(Buffer& buffer, std::uint64_t offset, std::uint64_t bytes, std::string_view function) {
  check_usable(function);
  if (bytes == 0) return;
  // Wide patterns fill faster; what is behind size() is padding that may be written.
  const std::array<cl_uint, 4> zeros{};
  if (offset + bytes == buffer.size()) bytes = std::min((bytes + 15) / 16 * 16, buffer.capacity() - offset);
  const std::size_t pattern = offset % 16 == 0 && bytes % 16 == 0 ? 16 : 4;
  const cl_int code =
      clEnqueueFillBuffer(queue_.handle(), buffer.memory(), zeros.data(), pattern, offset, bytes, 0, nullptr, nullptr);
  if (code != CL_SUCCESS) fail(code, function, "fill " + bytes_text(bytes));
}

}  // namespace koine::runtime
