// SPDX-License-Identifier: Apache-2.0
// In-order queues and events through the bindings. Errors leave as ::cl::Error; callers add what was attempted.
#include "cl/queue.hpp"

#include "base/process.hpp"

namespace koine::cl {

namespace {

::cl::CommandQueue make(const ::cl::Context& context, const ::cl::Device& device, bool profiling) {
  constexpr cl_command_queue_properties plain = 0, with_times = CL_QUEUE_PROFILING_ENABLE;
  return {context, device, profiling ? with_times : plain};
}

/// What is enqueued on `next` from now on starts after what was enqueued on `before`.
bool follow(cl_command_queue next, cl_command_queue before) noexcept {
  cl_event done = nullptr;
  if (clEnqueueMarkerWithWaitList(before, 0, nullptr, &done) != CL_SUCCESS) return false;
  const bool follows =
      clFlush(before) == CL_SUCCESS && clEnqueueBarrierWithWaitList(next, 1, &done, nullptr) == CL_SUCCESS;
  clReleaseEvent(done);
  return follows;
}

}  // namespace

CommandQueue::CommandQueue(const ::cl::Context& context, const ::cl::Device& device, bool profiling)
    : context_(context), device_(device) {
  (profiling ? profiling_ : plain_) = make(context, device, profiling);
  current_ = profiling ? profiling_() : plain_();
}

CommandQueue::CommandQueue(const ::cl::Context& context, const ::cl::Device& device, ::cl::CommandQueue plain)
    : context_(context), device_(device), plain_(std::move(plain)), current_(plain_()), kept_(true) {}

void CommandQueue::set_profiling(bool on) noexcept {
  if (on == profiling() || kept_) return;
  ::cl::CommandQueue& next = on ? profiling_ : plain_;
  if (next() == nullptr) {
    try {
      const base::Undisturbed undisturbed;
      next = make(context_, device_, on);
    } catch (const ::cl::Error&) {
      return;
    }
  }
  if (follow(next(), handle())) current_.store(next(), std::memory_order_release);
}

namespace {

/// Calls `enqueue(event)`, which gives a code, and returns when the command is done. `made`, if not null, gets the
/// event.
template <class F>
cl_int wait_for(F enqueue, cl_event* made = nullptr) noexcept {
  cl_event done = nullptr;
  cl_int code = enqueue(&done);
  if (code != CL_SUCCESS) return code;
  code = clWaitForEvents(1, &done);
  if (made != nullptr) {
    *made = done;
  } else {
    clReleaseEvent(done);
  }
  return code;
}

/// The same for a command that blocks. That it does is needed even so: were the wait to fail, nobody would know when
/// its memory may go.
template <class F>
cl_int enqueue_and_wait(const Quirks& quirks, F enqueue, cl_event* made = nullptr) noexcept {
  return quirks.waits_skip_flushed ? wait_for(enqueue, made) : enqueue(made);
}

}  // namespace

cl_int finish(cl_command_queue queue, const Quirks& quirks) noexcept {
  if (quirks.waits_skip_flushed || quirks.finish_waits_for_later) {
    const auto mark = [&](cl_event* event) { return clEnqueueMarkerWithWaitList(queue, 0, nullptr, event); };
    const cl_int code = wait_for(mark);
    if (code != CL_SUCCESS || quirks.finish_waits_for_later) return code;
  }
  return clFinish(queue);
}

cl_int read(cl_command_queue queue, const Quirks& quirks, cl_mem from, std::uint64_t offset, void* target,
            std::uint64_t bytes, cl_event* event) noexcept {
  const auto enqueue = [&](cl_event* made) {
    return clEnqueueReadBuffer(queue, from, CL_TRUE, offset, bytes, target, 0, nullptr, made);
  };
  return enqueue_and_wait(quirks, enqueue, event);
}

cl_int write(cl_command_queue queue, const Quirks& quirks, cl_mem to, std::uint64_t offset, const void* source,
             std::uint64_t bytes, cl_event* event) noexcept {
  const auto enqueue = [&](cl_event* made) {
    return clEnqueueWriteBuffer(queue, to, CL_TRUE, offset, bytes, source, 0, nullptr, made);
  };
  return enqueue_and_wait(quirks, enqueue, event);
}

void* map(cl_command_queue queue, const Quirks& quirks, cl_mem memory, cl_map_flags flags, std::uint64_t offset,
          std::uint64_t bytes, cl_int& code) noexcept {
  void* pointer = nullptr;
  code = enqueue_and_wait(quirks, [&](cl_event* event) {
    cl_int mapped = CL_SUCCESS;
    pointer = clEnqueueMapBuffer(queue, memory, CL_TRUE, flags, offset, bytes, 0, nullptr, event, &mapped);
    return mapped;
  });
  return pointer;
}

void Event::wait() const { event_.wait(); }

bool Event::done() const {
  const cl_int status = event_.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
  if (status < 0) throw ::cl::Error(status, "the event's work failed");
  return status == CL_COMPLETE;
}

}  // namespace koine::cl
