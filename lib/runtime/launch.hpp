// SPDX-License-Identifier: Apache-2.0
// Sets a kernel's arguments and enqueues it: the hot path, in few instructions beside the driver's.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "runtime/context.hpp"
#include "runtime/operands.hpp"

namespace koine::runtime {

class Launch {
 public:
  /// The kernel must outlive the Launch.
  Launch(Queue& queue, const KernelRef& kernel);
  ~Launch() { kernel_.give_back(handle_); }
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  /// The next argument: a buffer that the kernel reads, ...
  Launch& in(const Buffer& buffer) { return arg(buffer, false); }
  /// ... or writes (and may read), ...
  Launch& out(const Buffer& buffer) { return arg(buffer, true); }
  /// ... bytes of a scalar or a struct, ...
  Launch& arg(const void* bytes, std::size_t size) {
    const cl_int code = clSetKernelArg(handle_, index_, size, bytes);
    if (code != CL_SUCCESS) fail_argument(code, size);
    ++index_;
    return *this;
  }
  /// ... a scalar, ...
  template <class T>
  Launch& value(const T& scalar) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
    return arg(&scalar, sizeof scalar);
  }
  /// ... a word for what the kernel finds wrong, which whoever observes what it writes is told of, ...
  Launch& fault(std::shared_ptr<Fault> fault) {
    const cl_mem word = fault->word().memory();
    operands_.add_fault(std::move(fault));
    return arg(&word, sizeof word);
  }
  /// ... or local memory.
  Launch& local(std::size_t bytes) { return arg(nullptr, bytes); }

  /// How many bytes of its memory the kernel reads and writes, of the arguments so far: without this, all of their
  /// buffers. Only of interest while commands are recorded.
  Launch& moves(std::uint64_t read, std::uint64_t written) {
    operands_.moves(read, written);
    return *this;
  }

  /// Enqueues. `local` empty lets the driver choose the group; otherwise it has as many entries as `global` and divides
  /// it; so has `offset`, unless it is empty. A global size of zero enqueues nothing. Throws LaunchError, OutOfMemory
  /// or DeviceLost.
  void run(std::span<const std::size_t> global, std::span<const std::size_t> local, cl::Event* event = nullptr,
           std::span<const std::size_t> offset = {});
  void run(std::initializer_list<std::size_t> global, std::initializer_list<std::size_t> local) {
    run(std::span(global.begin(), global.size()), std::span(local.begin(), local.size()));
  }

 private:
  Launch& arg(const Buffer& buffer, bool writes) {
    operands_.add(buffer, writes);
    const cl_mem memory = buffer.memory();
    return arg(&memory, sizeof memory);
  }
  [[noreturn]] void fail_argument(cl_int code, std::size_t size);
  [[noreturn]] void fail_run(cl_int code, std::span<const std::size_t> global, std::span<const std::size_t> local);

  Queue& queue_;
  Kernel& kernel_;
  cl_kernel handle_;
  cl_uint index_ = 0;
  Operands operands_;
};

}  // namespace koine::runtime
