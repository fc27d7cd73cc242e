// SPDX-License-Identifier: Apache-2.0
// In-order queues and events through the bindings. Errors leave as ::cl::Error; callers add what was attempted.
#include "cl/queue.hpp"

#include "base/process.hpp"

namespace koine::cl {

CommandQueue::CommandQueue(const ::cl::Context& context, const ::cl::Device& device)
    : context_(context), device_(device), plain_(context, device, cl_command_queue_properties{0}), current_(plain_()) {}

CommandQueue::CommandQueue(const ::cl::Context& context, const ::cl::Device& device, ::cl::CommandQueue plain)
    : context_(context), device_(device), plain_(std::move(plain)), current_(plain_()) {}

void CommandQueue::set_profiling(bool on) {
  if (on == profiling()) return;
  ::cl::CommandQueue(handle(), true).finish();
  if (on && profiling_() == nullptr) {
    const base::Undisturbed undisturbed;
    profiling_ = ::cl::CommandQueue(context_, device_, cl_command_queue_properties{CL_QUEUE_PROFILING_ENABLE});
  }
  current_.store(on ? profiling_() : plain_(), std::memory_order_release);
}

namespace {

/// Calls `enqueue(event)`, which gives a code, and returns when the command is done.
template <class F>
cl_int wait_for(F enqueue) noexcept {
  cl_event done = nullptr;
  cl_int code = enqueue(&done);
  if (code != CL_SUCCESS) return code;
  code = clWaitForEvents(1, &done);
  clReleaseEvent(done);
  return code;
}

/// The same for a command that blocks. That it does is needed even so: were the wait to fail, nobody would know when
/// its memory may go.
template <class F>
cl_int enqueue_and_wait(const Quirks& quirks, F enqueue) noexcept {
  return quirks.waits_skip_flushed ? wait_for(enqueue) : enqueue(nullptr);
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
            std::uint64_t bytes) noexcept {
  return enqueue_and_wait(quirks, [&](cl_event* event) {
    return clEnqueueReadBuffer(queue, from, CL_TRUE, offset, bytes, target, 0, nullptr, event);
  });
}

cl_int write(cl_command_queue queue, const Quirks& quirks, cl_mem to, std::uint64_t offset, const void* source,
             std::uint64_t bytes) noexcept {
  return enqueue_and_wait(quirks, [&](cl_event* event) {
    return clEnqueueWriteBuffer(queue, to, CL_TRUE, offset, bytes, source, 0, nullptr, event);
  });
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

std::uint64_t Event::duration() const {
  return event_.getProfilingInfo<CL_PROFILING_COMMAND_END>() - event_.getProfilingInfo<CL_PROFILING_COMMAND_START>();
}

}  // namespace koine::cl
