// SPDX-License-Identifier: Apache-2.0
// Koine beside other OpenCL code in one process: handles as integers, such as pyopencl's from_int_ptr takes.
#include "module.hpp"

#include "exchange.hpp"

#include <koine/opencl.hpp>

namespace koine::python {
namespace {

template <class Handle>
nb::object integer(Handle handle) {
  return nb::int_(reinterpret_cast<std::uintptr_t>(handle));
}

template <class Handle>
Handle handle(const Arguments& a, std::size_t i) {
  const std::uintptr_t value = PyLong_AsSize_t(a[i].ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    a.refuse(i, "a handle as an integer, such as pyopencl's int_ptr");
  }
  return reinterpret_cast<Handle>(value);
}

Device device_of(const Arguments& a, std::size_t i) { return a.device(i).value_or(default_device()); }

}  // namespace

void bind_handles(nb::module_& m) {
  nb::module_ sub = m.def_submodule("_opencl_handles");
  sub.attr("__home__") = "koine.opencl";
  Class<opencl::Buffer> buffer(sub, "Buffer");
  buffer.attribute("handle", [](const opencl::Buffer& b) { return integer(b.get()); })
      .attribute("offset", &opencl::Buffer::offset)
      .attribute("size", &opencl::Buffer::size)
      .attribute("ready", [](const opencl::Buffer& b) { return integer(b.ready()); })
      .method(
          "used_until",
          [](const opencl::Buffer& b, std::uintptr_t event) { b.used_until(reinterpret_cast<cl_event>(event)); },
          "event"_a);
  function(sub, "adopt", "(context, device=None, /)", [](const Arguments& a) {
    if (!a.given(1)) return nb::cast(opencl::adopt(handle<cl_command_queue>(a, 0)));
    return nb::cast(opencl::adopt(handle<cl_context>(a, 0), handle<cl_device_id>(a, 1)));
  });
  function(sub, "context", "(device=None, /)",
           [](const Arguments& a) { return integer(opencl::context(device_of(a, 0))); });
  function(sub, "device", "(device=None, /)",
           [](const Arguments& a) { return integer(opencl::device(device_of(a, 0))); });
  function(sub, "queue", "(device=None, /)", [](const Arguments& a) {
    if (a.given(0) && nb::isinstance<Queue>(a[0])) {
      return integer(opencl::queue(nb::cast<const Queue&>(nb::handle(a[0]))));
    }
    return integer(opencl::queue(device_of(a, 0)));
  });
  function(sub, "event", "(event, device=None, /)",
           [](const Arguments& a) { return nb::cast(opencl::event(handle<cl_event>(a, 0), device_of(a, 1))); });
  function(sub, "handle", "(event, /)",
           [](const Arguments& a) { return integer(opencl::handle(nb::cast<const Event&>(nb::handle(a[0])))); });
  function(sub, "buffer", "(x, /)", [](const Arguments& a) {
    const Array x = a.array(0);
    return nb::cast(without_gil([&] { return opencl::buffer(x); }));
  });
  function(sub, "writable_buffer", "(x, /)", [](const Arguments& a) {
    if (!is_array(a[0])) a.refuse(0, "an array");
    const bool borrowed = reads_borrowed({a[0].ptr()});
    const Changing alone(a[0].ptr());
    const opencl::Buffer made = opencl::writable_buffer(array_of(a[0].ptr()));
    if (borrowed) finish_now(array_of(a[0].ptr()));
    return nb::cast(made);
  });
  function(
      sub, "from_buffer", "(memory, shape, dtype, /, *, offset=0, after=None, device=None)", [](const Arguments& a) {
        const opencl::FromBufferOptions options = {
            .offset = a.integer(3, 0), .after = a.events(4), .device = a.device(5)};
        return opencl::from_buffer(handle<cl_mem>(a, 0), a.shape(1), a.dtype(2).value_or(default_dtype()), options);
      });
}

}  // namespace koine::python
