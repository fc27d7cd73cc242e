// SPDX-License-Identifier: Apache-2.0
// Queues' transfers: between host and device, between devices, and within one.
#include <algorithm>
#include <array>
#include <cstring>

#include "base/text.hpp"
#include "runtime/context.hpp"
#include "runtime/host_copy.hpp"

namespace koine::runtime {

using base::bytes_text;

void Queue::copy_on_host(void* to, const void* from, const Command& command) {
  const std::int64_t start = recording() ? now() : 0;
  host_copy(to, from, std::max(command.read, command.written));
  if (recording()) record_on_host(handle(), command, start);
}

void Queue::write(Buffer& to, std::uint64_t offset, const void* source, std::uint64_t bytes,
                  std::string_view function) {
  const Context::InUse in_use(context_, function);
  if (bytes == 0) return;
  if (on_host({{&to, true}}, [&] { copy_on_host(to.host() + offset, source, uploaded(bytes)); })) return;
  const cl_int code =
      transfer({{&to, true}}, [&] { return context_.transfers_.write(handle(), to.memory(), offset, source, bytes); });
  if (code != CL_SUCCESS) context_.fail(code, function, "copy " + bytes_text(bytes) + " to the device");
}

cl::Event Queue::write_async(Buffer& to, const void* source, std::uint64_t bytes, std::string_view function) {
  const Context::InUse in_use(context_, function);
  if (context_.transfers_.stages(bytes)) {
    write(to, 0, source, bytes, function);
    return ready(to, function);
  }
  cl::Event event;
  const auto enqueue = [&](cl_event* made) {
    return clEnqueueWriteBuffer(handle(), to.memory(), CL_FALSE, 0, bytes, source, 0, nullptr, made);
  };
  cl_int code = submit({{&to, true}}, enqueue, &event, [&] { return uploaded(bytes); });
  if (code == CL_SUCCESS) code = clFlush(handle());
  if (code != CL_SUCCESS) context_.fail(code, function, "copy " + bytes_text(bytes) + " to the device");
  return event;
}

Queue::Arrival Queue::read_async(const Buffer& from, std::uint64_t offset, void* target, std::uint64_t bytes,
                                 std::string_view function) {
  const Context::InUse in_use(context_, function);
  Arrival arrival;
  const auto enqueue = [&](cl_event* made) {
    arrival.number = enqueued_;
    return clEnqueueReadBuffer(handle(), from.memory(), CL_FALSE, offset, bytes, target, 0, nullptr, made);
  };
  cl_int code = submit({{&from, false}}, enqueue, &arrival.event, [&] { return downloaded(bytes); });
  if (code == CL_SUCCESS && !traits().starts_at_once) code = clFlush(handle());
  if (code != CL_SUCCESS) {
    cl::finish(handle(), traits().quirks);
    context_.fail(code, function, "copy " + bytes_text(bytes) + " from the device");
  }
  return arrival;
}

void Queue::read(const Buffer& from, std::uint64_t offset, void* target, std::uint64_t bytes,
                 std::string_view function) {
  const Context::InUse in_use(context_, function);
  if (bytes == 0) return;
  if (at_hand(from)) return host_copy(target, from.host() + offset, bytes);
  peek(from, offset, target, bytes, function);
  check_faults(from);
}

void Queue::peek(const Buffer& from, std::uint64_t offset, void* target, std::uint64_t bytes,
                 std::string_view function) {
  const Context::InUse in_use(context_, function);
  if (bytes == 0) return;
  const auto copy = [&] { copy_on_host(target, from.host() + offset, downloaded(bytes)); };
  if (on_host({{&from, false}}, copy)) return;
  const cl_int code = transfer(
      {{&from, false}}, [&] { return context_.transfers_.read(handle(), from.memory(), offset, target, bytes); }, true);
  if (code != CL_SUCCESS) context_.fail(code, function, "copy " + bytes_text(bytes) + " from the device");
}

cl::Event Queue::ready(const Buffer& from, std::string_view function, bool writes) {
  const Context::InUse in_use(context_, function);
  cl::Event event;
  cl_int code = submit(
      {{&from, writes}}, [&](cl_event* made) { return clEnqueueMarkerWithWaitList(handle(), 0, nullptr, made); },
      &event, nullptr);
  if (code == CL_SUCCESS) code = clFlush(handle());
  if (code != CL_SUCCESS) context_.fail(code, function, "submit the work");
  return event;
}

void Queue::follow(const cl::Event& event, const Buffer& buffer, std::string_view function) {
  const Context::InUse in_use(context_, function);
  const cl_event before = event.handle()();
  const cl_int code = submit(
      {{&buffer, true}}, [&](cl_event* made) { return clEnqueueBarrierWithWaitList(handle(), 1, &before, made); },
      nullptr, nullptr);
  if (code != CL_SUCCESS) context_.fail(code, function, "wait for an event");
}

void Queue::read_aside(const cl::Event& ready, const Buffer& from, std::uint64_t offset, void* target,
                       std::uint64_t bytes, std::string_view function) {
  context_.check_usable(function);
  if (bytes == 0) return;
  const cl_event before = ready.handle()();
  const auto read_now = [&](const Buffer& buffer, std::uint64_t at, void* to, std::uint64_t count) {
    const auto attempt = [&] {
      const cl_int code = clWaitForEvents(1, &before);
      return code != CL_SUCCESS ? code : context_.transfers_.read_aside(buffer.memory(), at, to, count);
    };
    cl_int code = attempt();
    if (code != CL_SUCCESS && relieve_locked(code)) code = attempt();
    if (code != CL_SUCCESS) context_.fail(code, function, "copy " + bytes_text(count) + " from the device");
  };
  read_now(from, offset, target, bytes);
  check_faults(from, [&](const Buffer& word, void* to, std::uint64_t count) { read_now(word, 0, to, count); });
}

void Queue::fetch(Buffer& to, std::uint64_t to_offset, Queue& source, const Buffer& from, std::uint64_t from_offset,
                  std::uint64_t bytes, std::string_view function) {
  const Context::InUse in_use(context_, function);
  const Context::InUse source_in_use(source.context_, function);
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
  const Context::InUse in_use(context_, function);
  if (bytes == 0) return;
  const auto enqueue = [&](cl_event* event) {
    return clEnqueueCopyBuffer(handle(), from.memory(), to.memory(), from_offset, to_offset, bytes, 0, nullptr, event);
  };
  const cl_int code = submit({{&from, false}, {&to, true}}, enqueue, nullptr, [&] { return copied(bytes); });
  if (code != CL_SUCCESS) context_.fail(code, function, "copy " + bytes_text(bytes));
}

void Queue::fill_zero(Buffer& buffer, std::uint64_t offset, std::uint64_t bytes, std::string_view function) {
  const Context::InUse in_use(context_, function);
  if (bytes == 0) return;
  if (on_host({{&buffer, true}}, [&] { std::memset(buffer.host() + offset, 0, bytes); })) return;
  // Wide patterns fill faster; what is behind size() is padding that may be written.
  const std::array<cl_uint, 4> zeros{};
  if (offset + bytes == buffer.size()) bytes = std::min((bytes + 15) / 16 * 16, buffer.capacity() - offset);
  const std::size_t pattern = offset % 16 == 0 && bytes % 16 == 0 ? 16 : 4;
  const auto enqueue = [&](cl_event* event) {
    return clEnqueueFillBuffer(handle(), buffer.memory(), zeros.data(), pattern, offset, bytes, 0, nullptr, event);
  };
  const cl_int code = submit({{&buffer, true}}, enqueue, nullptr, [&] { return filled(bytes); });
  if (code != CL_SUCCESS) context_.fail(code, function, "fill " + bytes_text(bytes));
}

const Buffer& Queue::zero_words(std::string_view function) {
  if (zero_words_ != nullptr) return *zero_words_;
  // Not the pool's: what users are told of memory is about their arrays.
  cl_int code = CL_SUCCESS;
  const cl_mem memory = clCreateBuffer(context_.handle()(), CL_MEM_READ_WRITE, zero_words_bytes, nullptr, &code);
  if (code != CL_SUCCESS) context_.fail(code, function, "allocate " + bytes_text(zero_words_bytes));
  BufferRef words = shared_buffer(context_, memory, zero_words_bytes);
  fill_zero(*words, 0, zero_words_bytes, function);
  zero_words_ = std::move(words);
  return *zero_words_;
}

}  // namespace koine::runtime
