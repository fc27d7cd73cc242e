// SPDX-License-Identifier: Apache-2.0
// Queues' memory: allocation with its second chance, and transfers.
#include <algorithm>
#include <array>

#include "base/log.hpp"
#include "base/text.hpp"
#include "cl/errors.hpp"
#include "koine/error.hpp"
#include "runtime/context.hpp"

namespace koine::runtime {

using base::bytes_text;

BufferRef Queue::allocate(std::uint64_t bytes, std::string_view function) {
  context_.check_usable(function);
  if (bytes > traits().max_allocation) {
    throw OutOfMemory("[" + std::string(function) + "] one buffer of " + bytes_text(bytes) + " is more than " +
                      traits().selector + " (" + traits().name + ") allows, which is " +
                      bytes_text(traits().max_allocation) + " at once");
  }
  Pool& pool = context_.pool_;
  // Rounding up must not carry a request over the limit that it respects itself.
  const std::uint64_t capacity = std::min(pool_capacity(bytes), std::max(bytes, traits().max_allocation));
  const auto made = [&](Block block) { return std::make_shared<Buffer>(context_, &pool, std::move(block), bytes); };
  // Not memory that another queue may still be at: new memory costs time, waiting for that would cost overlap.
  {
    // Taken before the pool's own mutex, as wherever memory that ran out is released.
    std::unique_lock lock(order_mutex());
    const bool several = others();
    if (!several) lock.unlock();
    const auto free_here = [&](const Uses& uses) { return !several || settled(uses); };
    if (auto block = pool.take_held(capacity, free_here)) return made(std::move(*block));
  }
  if (!pool.reserve(capacity)) {
    throw OutOfMemory("[" + std::string(function) + "] " + bytes_text(bytes) + " do not fit on " +
                      context_.memory_text());
  }

  Block block{nullptr, capacity, {}};
  cl_int code = create(block);
  // Memory of work that is done may come back, and what the pool holds certainly does.
  const auto relieved = [&] {
    const std::lock_guard lock(order_mutex());
    return relieve(code);
  };
  if (code != CL_SUCCESS && relieved()) code = create(block);
  if (code != CL_SUCCESS) {
    pool.cancel(capacity);
    if (context_.lost_by(code)) context_.fail(code, function, "allocate memory");
    throw OutOfMemory("[" + std::string(function) + "] " + bytes_text(bytes) + " do not fit on " +
                      context_.memory_text() + " (" + cl::error_name(code) + ")");
  }
  if (base::log_enabled(base::LogTopic::memory)) {
    base::log_line(base::LogTopic::memory, "allocated " + bytes_text(capacity) + " on " + traits().selector);
  }
  return made(std::move(block));
}

cl_int Queue::create(Block& block) {
  cl_int code = CL_SUCCESS;
  const cl_mem memory = clCreateBuffer(context_.handle()(), CL_MEM_READ_WRITE, block.capacity, nullptr, &code);
  if (code != CL_SUCCESS) return code;
  if (traits().quirks.lazy_allocation) {
    const cl_uint zero = 0;
    const std::lock_guard lock(order_mutex());
    cl_event raw = nullptr;
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

void Queue::write(Buffer& to, std::uint64_t offset, const void* source, std::uint64_t bytes,
                  std::string_view function) {
  context_.check_usable(function);
  if (bytes == 0) return;
  const cl_int code =
      transfer({{&to, true}}, [&] { return context_.transfers_.write(handle(), to.memory(), offset, source, bytes); });
  if (code != CL_SUCCESS) context_.fail(code, function, "copy " + bytes_text(bytes) + " to the device");
}

void Queue::read(const Buffer& from, std::uint64_t offset, void* target, std::uint64_t bytes,
                 std::string_view function) {
  context_.check_usable(function);
  if (bytes == 0) return;
  const cl_int code = transfer(
      {{&from, false}}, [&] { return context_.transfers_.read(handle(), from.memory(), offset, target, bytes); });
  if (code != CL_SUCCESS) context_.fail(code, function, "copy " + bytes_text(bytes) + " from the device");
  check_faults(from);
}

cl::Event Queue::ready(const Buffer& from, std::string_view function) {
  context_.check_usable(function);
  cl::Event event;
  cl_int code = submit(
      {{&from, false}}, [&](cl_event* made) { return clEnqueueMarkerWithWaitList(handle(), 0, nullptr, made); },
      &event);
  if (code == CL_SUCCESS) code = clFlush(handle());
  if (code != CL_SUCCESS) context_.fail(code, function, "submit the work");
  return event;
}

void Queue::read_aside(const cl::Event& ready, const Buffer& from, std::uint64_t offset, void* target,
                       std::uint64_t bytes, std::string_view function) {
  context_.check_usable(function);
  if (bytes == 0) return;
  const cl_event before = ready.handle()();
  const auto read = [&] {
    const cl_int code = clWaitForEvents(1, &before);
    return code != CL_SUCCESS ? code : context_.transfers_.read_aside(from.memory(), offset, target, bytes);
  };
  cl_int code = read();
  const auto relieved = [&] {
    const std::lock_guard lock(order_mutex());
    return relieve(code);
  };
  if (code != CL_SUCCESS && relieved()) code = read();
  if (code != CL_SUCCESS) context_.fail(code, function, "copy " + bytes_text(bytes) + " from the device");
  check_faults(from);
}

void Queue::fetch(Buffer& to, std::uint64_t to_offset, Queue& source, const Buffer& from, std::uint64_t from_offset,
                  std::uint64_t bytes, std::string_view function) {
  context_.check_usable(function);
  source.context_.check_usable(function);
  if (bytes == 0) return;
  cl_int written = CL_SUCCESS;
  const cl_int read = source.transfer({{&from, false}}, [&] {
    CopyStatus status;
    written = transfer({{&to, true}}, [&] {
      status = Transfers::copy({source.context_.transfers_, source.handle(), from.memory(), from_offset},
                               {context_.transfers_, handle(), to.memory(), to_offset}, bytes);
      return status.target;
    });
    return status.source;
  });
  if (read != CL_SUCCESS) source.context_.fail(read, function, "copy " + bytes_text(bytes) + " from the device");
  if (written != CL_SUCCESS) context_.fail(written, function, "copy " + bytes_text(bytes) + " to the device");
  source.check_faults(from);
}

void Queue::copy(Buffer& to, std::uint64_t to_offset, const Buffer& from, std::uint64_t from_offset,
                 std::uint64_t bytes, std::string_view function) {
  context_.check_usable(function);
  if (bytes == 0) return;
  const cl_int code = submit({{&from, false}, {&to, true}}, [&](cl_event* event) {
    return clEnqueueCopyBuffer(handle(), from.memory(), to.memory(), from_offset, to_offset, bytes, 0, nullptr, event);
  });
  if (code != CL_SUCCESS) context_.fail(code, function, "copy " + bytes_text(bytes));
}

void Queue::fill_zero(Buffer& buffer, std::uint64_t offset, std::uint64_t bytes, std::string_view function) {
  context_.check_usable(function);
  if (bytes == 0) return;
  // Wide patterns fill faster; what is behind size() is padding that may be written.
  const std::array<cl_uint, 4> zeros{};
  if (offset + bytes == buffer.size()) bytes = std::min((bytes + 15) / 16 * 16, buffer.capacity() - offset);
  const std::size_t pattern = offset % 16 == 0 && bytes % 16 == 0 ? 16 : 4;
  const cl_int code = submit({{&buffer, true}}, [&](cl_event* event) {
    return clEnqueueFillBuffer(handle(), buffer.memory(), zeros.data(), pattern, offset, bytes, 0, nullptr, event);
  });
  if (code != CL_SUCCESS) context_.fail(code, function, "fill " + bytes_text(bytes));
}

}  // namespace koine::runtime
