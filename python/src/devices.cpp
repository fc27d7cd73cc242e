// SPDX-License-Identifier: Apache-2.0
// Devices, their memory, queues, and waiting.
#include "module.hpp"

#include "scope.hpp"
#include "waiting.hpp"

#include <algorithm>
#include <functional>

namespace koine::python {
namespace {

const Device& self(const Arguments& a) { return nb::cast<const Device&>(nb::handle(a[0])); }

/// Of what `device=` names, else the default one.
Device device_or_default(const Arguments& a, std::size_t i) {
  const auto device = a.device(i);
  return device ? *device : without_gil([] { return default_device(); });  // which may load drivers
}

void bind_device(nb::module_& m) {
  Class<Device> device(m, "Device");
  device.attribute("name", &Device::name)
      .attribute("vendor", &Device::vendor)
      .attribute("type", [](const Device& d) { return to_string(d.type()); })
      .attribute("platform", &Device::platform)
      .attribute("driver", &Device::driver)
      .attribute("selector", &Device::selector)
      .attribute("memory", &Device::memory)
      .attribute("compute_units", &Device::compute_units)
      .attribute("has_fp64", &Device::has_fp64)
      .attribute("has_fp16", &Device::has_fp16)
      .def("__hash__", [](const Device& d) { return std::hash<std::string>{}(d.selector()); })
      .def("__str__", &Device::selector)
      .def("__repr__", [](const Device& d) { return "koine.Device('" + d.selector() + "')"; })
      .def("__reduce__", [](const Device& d) {
        return nb::make_tuple(nb::module_::import_("koine").attr("device"), nb::make_tuple(d.selector()));
      });
  method(device, "__eq__", "($self, other, /)", [](const Arguments& a) {
    if (PyUnicode_Check(a[1].ptr())) return nb::object(nb::bool_(self(a).selector() == a.text(1)));
    if (!nb::isinstance<Device>(a[1])) return nb::borrow(Py_NotImplemented);
    return nb::object(nb::bool_(self(a) == nb::cast<const Device&>(nb::handle(a[1]))));
  });
  method(device, "__enter__", "($self, /)", [](const Arguments& a) {
    enter(std::make_shared<DeviceScope>(self(a)));
    return nb::borrow(a[0]);
  });
  method(device, "__exit__", "($self, /, *exception)", [](const Arguments&) { leave(); });

  function(m, "device", "(selector=None, /)", [](const Arguments& a) { return device_or_default(a, 0); });
  function(m, "devices", "(selector=None, /)",
           [](const Arguments& a) { return nb::object(nb::cast(a.given(0) ? devices(a.text(0)) : devices())); });
  function(m, "default_device", "()", [](const Arguments&) { return without_gil([] { return default_device(); }); });
  function(m, "default_device_reason", "()", [](const Arguments&) { return default_device_reason(); });
  function(m, "set_default_device", "(device, /)",
           [](const Arguments& a) { set_default_device(device_or_default(a, 0)); });
}

void bind_memory(nb::module_& m) {
  Class<MemoryStats>(m, "MemoryStats")
      .attribute("in_use", &MemoryStats::in_use)
      .attribute("held", &MemoryStats::held)
      .attribute("peak", &MemoryStats::peak)
      .attribute("limit", &MemoryStats::limit)
      .def("__repr__", [](const MemoryStats& s) {
        return "MemoryStats(in_use=" + std::to_string(s.in_use) + ", held=" + std::to_string(s.held) +
               ", peak=" + std::to_string(s.peak) + ", limit=" + std::to_string(s.limit) + ")";
      });
  function(m, "memory_stats", "(device=None, /)",
           [](const Arguments& a) { return nb::cast(memory_stats(device_or_default(a, 0))); });
  function(m, "set_memory_limit", "(device, bytes, /)", [](const Arguments& a) {
    const std::int64_t bytes = a.integer(1);
    if (bytes < 0) throw ValueError("[set_memory_limit] got " + std::to_string(bytes) + " bytes; it takes 0 or more");
    set_memory_limit(device_or_default(a, 0), static_cast<std::uint64_t>(bytes));
  });
}

void bind_queue(nb::module_& m) {
  Class<Event> event(m, "Event");
  event.attribute("done", &Event::done).def(nb::init<>());
  method(event, "wait", "($self, /)", [](const Arguments& a) {
    const Event kept = nb::cast<Event>(nb::handle(a[0]));
    wait_for(kept, default_device().type());
    without_gil([&] { kept.wait(); });  // throws what the work before the point failed with
  });
  Class<Queue> queue(m, "Queue");
  queue.def(
      "__init__",
      [](Queue* place, nb::object device) {
        const auto chosen = device.is_none() ? std::optional(default_device()) : read_device(device);
        if (!chosen)
          throw Raised(PyExc_TypeError, "[Queue] device takes a device or a selector, got " + class_of(device));
        new (place) Queue(*chosen);
      },
      "device"_a = nb::none());
  queue.attribute("device", &Queue::device)
      .method("record", &Queue::record)
      .method("wait", &Queue::wait, "event"_a)
      .def(
          "__eq__", [](const Queue& a, const Queue& b) { return a == b; }, nb::is_operator());
  queue.attr("__hash__") = nb::none();
  method(queue, "synchronize", "($self, /)", [](const Arguments& a) {
    const Queue kept = nb::cast<Queue>(nb::handle(a[0]));
    wait_for(kept.record(), kept.device().type());
    without_gil([&] { kept.synchronize(); });
  });
  method(queue, "__enter__", "($self, /)", [](const Arguments& a) {
    enter(std::make_shared<QueueScope>(nb::cast<const Queue&>(nb::handle(a[0]))));
    return nb::borrow(a[0]);
  });
  method(queue, "__exit__", "($self, /, *exception)", [](const Arguments&) { leave(); });
}

}  // namespace

void bind_devices(nb::module_& m) {
  bind_device(m);
  bind_memory(m);
  bind_queue(m);
  function(m, "synchronize", "(device=None, /)", [](const Arguments& a) {
    const auto device = a.device(0);
    for (const Device& each : device ? std::vector{*device} : without_gil([] { return devices(); })) {
      wait_for_work(each);
    }
  });
  function(m, "version", "()", [](const Arguments&) { return std::string(version()); });
  function(m, "eval", "(*arrays)", [](const Arguments& a) {
    const std::vector<Array> arrays = a.rest_arrays();
    if (!std::ranges::all_of(arrays, eval_at_once)) without_gil([&] { eval(arrays); });
  });
}

}  // namespace koine::python
