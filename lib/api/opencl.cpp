// SPDX-License-Identifier: Apache-2.0
// Handles that pass between Koine and other OpenCL code.
#include <koine/opencl.hpp>

#include "api/build.hpp"
#include "api/choices.hpp"
#include "api/event.hpp"
#include "api/held_alone.hpp"
#include "base/text.hpp"
#include "cl/discovery.hpp"
#include "exec/evaluate.hpp"

#include <koine/error.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace koine::opencl {

namespace {

runtime::Queue& queue_on(runtime::Context& context) {
  const graph::Place place = api::chosen_place({&context, &context.traits()});
  return place.queue != nullptr ? *place.queue : context.queue();
}

const cl::DeviceEntry& entry_of(cl_device_id device, const char* function) {
  const auto& all = cl::all_devices();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto* entry) { return entry->device() == device; });
  if (found != all.end()) return **found;
  throw DeviceError(api::prefix(function) +
                    "the device is none that Koine lists: koine::devices() has all that it can use, each card once");
}

/// The answer to one question about a handle of other code's. Throws ValueError where the driver knows no such handle.
template <class T, class Get>
T asked(const char* function, const char* what, Get get) {
  T value{};
  if (get(sizeof value, static_cast<void*>(&value)) == CL_SUCCESS) return value;
  throw ValueError(api::prefix(function) + "got no " + what + " that OpenCL knows");
}

void check_context(runtime::Context& context, cl_context other, const char* function, const char* what) {
  if (context.handle()() == other) return;
  throw DeviceError(api::prefix(function) + "the " + what + " is of another context than Koine's of " +
                    context.traits().selector + " (" + context.traits().name +
                    "): make it in koine::opencl::context(device), or adopt its context before the first use of the "
                    "device");
}

/// The buffer of a node that has been computed.
Buffer buffer_of(const graph::NodeRef& node, bool writes, const char* function) {
  runtime::Queue& queue = exec::queue_of(*node);
  runtime::Context& context = queue.context();
  const runtime::Context::InUse in_use(context, function);
  const std::size_t element = size_of(node->dtype);
  Event ready = api::event_of(context, queue.ready(*node->storage, function, writes));
  return Buffer(Array(node), node->storage->memory(), static_cast<std::size_t>(node->layout.offset) * element,
                static_cast<std::size_t>(node->shape.elements()) * element, std::move(ready));
}

}  // namespace

Device adopt(cl_context context, cl_device_id device) {
  const cl::DeviceEntry& entry = entry_of(device, "adopt");
  std::size_t bytes = 0;
  std::vector<cl_device_id> devices;
  if (context != nullptr && clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, nullptr, &bytes) == CL_SUCCESS) {
    devices.resize(bytes / sizeof(cl_device_id));
    clGetContextInfo(context, CL_CONTEXT_DEVICES, bytes, static_cast<void*>(devices.data()), nullptr);
  }
  if (std::find(devices.begin(), devices.end(), device) == devices.end()) {
    throw ValueError("[adopt] got no context of " + entry.traits.selector + " (" + entry.traits.name + ")");
  }
  runtime::Context::adopt(entry, context);
  return Device(entry);
}

Queue adopt(cl_command_queue queue) {
  const auto id = asked<cl_device_id>("adopt", "queue", [&](std::size_t size, void* to) {
    return queue == nullptr ? CL_INVALID_COMMAND_QUEUE
                            : clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, size, to, nullptr);
  });
  runtime::Context& context = runtime::Context::of(entry_of(id, "adopt"));
  const auto other = asked<cl_context>("adopt", "queue", [&](std::size_t size, void* to) {
    return clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, size, to, nullptr);
  });
  check_context(context, other, "adopt", "queue");
  // Contexts keep their queues for the life of the process.
  return Queue(std::shared_ptr<runtime::Queue>(&context.adopt_queue(queue), [](runtime::Queue*) {}));
}

cl_context context(const Device& device) { return runtime::Context::of(device).handle()(); }
cl_device_id device(const Device& device) { return device.record().device(); }
cl_command_queue queue(const Device& device) { return queue_on(runtime::Context::of(device)).keep_handle(); }
cl_command_queue queue(const Queue& queue) { return queue.handle()->keep_handle(); }

Event event(cl_event event, const Device& device) {
  runtime::Context& context = runtime::Context::of(device);
  const auto other = asked<cl_context>("event", "event", [&](std::size_t size, void* to) {
    return event == nullptr ? CL_INVALID_EVENT : clGetEventInfo(event, CL_EVENT_CONTEXT, size, to, nullptr);
  });
  check_context(context, other, "event", "event");
  return api::event_of(context, cl::Event(::cl::Event(event, true)));
}

cl_event handle(const Event& event) { return event.state() == nullptr ? nullptr : event.state()->event.handle()(); }

void Buffer::used_until(cl_event event) const {
  const graph::Node& node = *array_.node();
  runtime::Queue& queue = exec::queue_of(node);
  queue.follow(opencl::event(event, array_.device()).state()->event, *node.storage, "used_until");
}

Buffer buffer(const Array& x) {
  const base::NamedCall call("buffer");
  return buffer_of(exec::row_major(x.node()), false, "buffer");
}

Buffer writable_buffer(Array& x) {
  const base::NamedCall call("writable_buffer");
  const graph::NodeRef& node = x.node();
  exec::evaluate(node);
  if (!api::held_alone(node, 1)) {
    graph::NodeRef copy = graph::make_copy(node, node->shape, api::chosen_place(node->place));
    exec::evaluate(copy);
    x = Array(std::move(copy));
  }
  return buffer_of(x.node(), true, "writable_buffer");
}

Array from_buffer(cl_mem memory, const Shape& shape, DType dtype, const FromBufferOptions& options) {
  constexpr const char* function = "from_buffer";
  const graph::Place place = api::place_of(options.device);
  runtime::Context& context = *place.context;
  const runtime::Context::InUse in_use(context, function);
  const auto ask = [&]<class T>(cl_mem_info what, T) {
    return asked<T>(function, "buffer", [&](std::size_t size, void* to) {
      return memory == nullptr ? CL_INVALID_MEM_OBJECT : clGetMemObjectInfo(memory, what, size, to, nullptr);
    });
  };
  if (ask(CL_MEM_TYPE, cl_mem_object_type{}) != CL_MEM_OBJECT_BUFFER) {
    throw ValueError("[from_buffer] got an image; it takes buffers");
  }
  check_context(context, ask(CL_MEM_CONTEXT, cl_context{}), function, "buffer");
  api::require_type(place, dtype, function);
  graph::check_sizes(shape, function);
  const std::uint64_t there = ask(CL_MEM_SIZE, std::size_t{}), element = size_of(dtype);
  std::uint64_t needed = 0;
  if (options.offset < 0 ||
      __builtin_add_overflow(static_cast<std::uint64_t>(options.offset), static_cast<std::uint64_t>(shape.elements()),
                             &needed) ||
      needed > there / element) {
    throw ValueError("[from_buffer] shape " + to_string(shape) + " of " + std::string(name(dtype)) + " from element " +
                     std::to_string(options.offset) + " on does not fit into the buffer's " + base::bytes_text(there));
  }
  // Kernels read whole vectors, so memory of the host must begin where one may.
  if (reinterpret_cast<std::uintptr_t>(ask(CL_MEM_HOST_PTR, static_cast<void*>(nullptr))) % 128 != 0) {
    throw ValueError("[from_buffer] the buffer was made over host memory that is not aligned to 128 bytes");
  }
  graph::Layout layout = graph::row_major(shape);
  layout.offset = options.offset;
  if (const cl_int code = clRetainMemObject(memory); code != CL_SUCCESS)
    context.fail(code, function, "retain the buffer");
  auto storage = runtime::shared_buffer(context, memory, there);
  const graph::NodeRef node = graph::make_leaf(dtype, std::move(layout), std::move(storage), place);
  for (const Event& each : options.after) {
    if (each.state() != nullptr) exec::queue_of(*node).follow(each.state()->event, *node->storage, function);
  }
  return Array(node);
}

}  // namespace koine::opencl
