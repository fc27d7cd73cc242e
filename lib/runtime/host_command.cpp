// SPDX-License-Identifier: Apache-2.0
// Host commands as OpenCL's native kernels.
#include "runtime/host_command.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/log.hpp"

namespace koine::runtime {

namespace {

/// What the driver's threads are given a pointer to. They allocate nothing.
struct Call {
  HostCommand::Function function;
  std::vector<void*> memory;  // where each operand begins
};

void CL_CALLBACK run_call(void* arguments) noexcept {
  const std::unique_ptr<Call> call(*static_cast<Call**>(arguments));
  call->function(call->memory);
}

/// For a command that finds where one buffer lies. Not for several: PoCL gives their addresses in an order of its own
/// (3.1 to 7.0).
struct Find {
  void** to;
  std::size_t offset;
  std::byte* found;
};

void CL_CALLBACK find_address(void* arguments) noexcept {
  const auto* const find = static_cast<Find*>(arguments);
  *find->to = find->found + find->offset;
}

/// A buffer that the driver made, and where in it another begins.
struct Whole {
  cl_mem memory;
  std::size_t offset;
};

Whole whole_of(const Buffer& buffer) {
  const cl_mem memory = buffer.memory();
  cl_mem parent = nullptr;
  std::size_t offset = 0;
  // Only memory of other code may be a part of a buffer.
  if (!buffer.borrowed() ||
      clGetMemObjectInfo(memory, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, nullptr) != CL_SUCCESS ||
      parent == nullptr || clGetMemObjectInfo(memory, CL_MEM_OFFSET, sizeof offset, &offset, nullptr) != CL_SUCCESS) {
    return {memory, 0};
  }
  return {parent, offset};
}

/// What one thread after the other makes of a call: first where its operands lie, then what it is for.
cl_int enqueue_call(cl_command_queue queue, Call& call, std::span<const Use> uses, cl_event* made) {
  std::vector<cl_mem> buffers;  // each once: the driver keeps them for as long
  // The driver writes addresses behind the pointer, which nobody reads: see Find.
  std::vector<void*> arguments(1 + uses.size(), nullptr);
  arguments[0] = &call;
  std::vector<const void*> addresses;
  // Past the first command nothing may throw: the call is what they write to.
  buffers.reserve(uses.size());
  addresses.reserve(uses.size());
  for (std::size_t k = 0; k < uses.size(); ++k) {
    const Buffer& buffer = *uses[k].buffer;
    auto [memory, offset] = whole_of(buffer);
    call.memory[k] = buffer.host();
    if (call.memory[k] == nullptr) {
      Find find{&call.memory[k], offset, nullptr};
      const void* address = &find.found;
      const cl_int code =
          clEnqueueNativeKernel(queue, find_address, &find, sizeof find, 1, &memory, &address, 0, nullptr, nullptr);
      if (code != CL_SUCCESS) return code;
    }
    if (std::find(buffers.begin(), buffers.end(), memory) != buffers.end()) continue;
    buffers.push_back(memory);
    addresses.push_back(&arguments[buffers.size()]);
  }
  return clEnqueueNativeKernel(queue, run_call, arguments.data(), arguments.size() * sizeof(void*),
                               static_cast<cl_uint>(buffers.size()), buffers.empty() ? nullptr : buffers.data(),
                               buffers.empty() ? nullptr : addresses.data(), 0, nullptr, made);
}

}  // namespace

void HostCommand::run(Function function) {
  Context& context = queue_.context();
  operands_.bound_faults(queue_);
  if (base::log_enabled(base::LogTopic::launch)) {
    base::log_line(base::LogTopic::launch, name_ + " on " + context.traits().selector + ", by a thread of the host");
  }
  auto call = std::make_unique<Call>();
  call->function = std::move(function);
  call->memory.resize(operands_.uses().size());
  bool found = false;  // commands that write to `call` may be under way
  const auto enqueue = [&](cl_event* made) {
    found = true;
    return enqueue_call(queue_.handle(), *call, operands_.uses(), made);
  };
  const cl_int code = queue_.submit(operands_.uses(), enqueue, nullptr, [this] { return operands_.command(name_); });
  if (code != CL_SUCCESS) {
    if (found) cl::finish(queue_.handle(), queue_.traits().quirks);
    context.fail(code, "eval", "run \"" + name_ + "\" on the host");
  }
  static_cast<void>(call.release());  // run_call has it
  operands_.hand_on_faults(queue_);
  if (context.synchronous()) {
    if (const cl_int waited = queue_.wait_for_all(); waited != CL_SUCCESS) {
      context.fail(waited, "eval", "finish \"" + name_ + "\", which ran last on the host (KOINE_SYNC)");
    }
  }
  context.launched_on_host();
  queue_.launched();
}

void HostCommand::run_small(Function function) {
  Context& context = queue_.context();
  operands_.bound_faults(queue_);
  const std::int64_t start = recording() ? now() : 0;
  const bool done = queue_.on_host(operands_.uses(), [&] {
    std::vector<void*> memory;
    memory.reserve(operands_.uses().size());
    for (const Use& use : operands_.uses()) memory.push_back(use.buffer->host());
    function(memory);
  });
  if (!done) return run(std::move(function));
  operands_.hand_on_faults(queue_);
  context.did_on_host();
  if (recording()) record_on_host(queue_.handle(), operands_.command(name_), start);
  if (base::log_enabled(base::LogTopic::launch)) {
    base::log_line(base::LogTopic::launch, name_ + " on " + context.traits().selector + ", by the host");
  }
}

}  // namespace koine::runtime
