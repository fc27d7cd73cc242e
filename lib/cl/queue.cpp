// SPDX-License-Identifier: Apache-2.0
// In-order queues and events through the bindings. Errors leave as ::cl::Error; callers add what was attempted.
#include "cl/queue.hpp"

namespace koine::cl {

Queue::Queue(const ::cl::Context& context, const ::cl::Device& device)
    : context_(context), device_(device), plain_(context, device, cl_command_queue_properties{0}), current_(plain_()) {}

void Queue::set_profiling(bool on) {
  if (on == profiling()) return;
  ::cl::CommandQueue(handle(), true).finish();
  if (on && profiling_() == nullptr) {
    profiling_ = ::cl::CommandQueue(context_, device_, cl_command_queue_properties{CL_QUEUE_PROFILING_ENABLE});
  }
  current_.store(on ? profiling_() : plain_(), std::memory_order_release);
}

cl_int finish(cl_command_queue queue, const Quirks& quirks) noexcept {
  if (!quirks.finish_skips_flushed) return clFinish(queue);
  cl_event last = nullptr;
  cl_int code = clEnqueueMarkerWithWaitList(queue, 0, nullptr, &last);
  if (code != CL_SUCCESS) return code;
  code = clWaitForEvents(1, &last);
  clReleaseEvent(last);
  return code != CL_SUCCESS ? code : clFinish(queue);
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
