// SPDX-License-Identifier: Apache-2.0
// What the devices do, and how long.
#include "module.hpp"

#include <koine/profile.hpp>

namespace koine::python {
namespace {

using profile::Command;
using profile::Row;
using profile::Session;

Session& self(const Arguments& a) { return nb::cast<Session&>(nb::handle(a[0])); }

void bind_records(nb::module_& m) {
  nb::class_<Command>(m, "Command", "One command of a device; times in seconds since the session began.")
      .def_ro("name", &Command::name)
      .def_prop_ro("kind", [](const Command& c) { return profile::to_string(c.kind); })
      .def_ro("device", &Command::device)
      .def_ro("queue", &Command::queue)
      .def_ro("start", &Command::start)
      .def_ro("end", &Command::end)
      .def_ro("timed", &Command::timed)
      .def_ro("bytes_read", &Command::bytes_read)
      .def_ro("bytes_written", &Command::bytes_written);
  nb::class_<Row>(m, "Row", "All commands of one name and kind on one device.")
      .def_ro("name", &Row::name)
      .def_prop_ro("kind", [](const Row& r) { return profile::to_string(r.kind); })
      .def_ro("device", &Row::device)
      .def_ro("calls", &Row::calls)
      .def_ro("seconds", &Row::seconds)
      .def_ro("share", &Row::share)
      .def_ro("bytes_read", &Row::bytes_read)
      .def_ro("bytes_written", &Row::bytes_written);
}

}  // namespace

void bind_profile(nb::module_& m) {
  nb::module_ sub = m.def_submodule("_profile");
  sub.attr("__home__") = "koine.profile";
  bind_records(sub);
  nb::class_<Session> session(sub, "Session", python_doc("profile.Session"));
  session.attr("__module__") = "koine.profile";
  session.def(
      "__init__",
      [](Session* place, std::size_t max_commands, bool start) {
        new (place) Session({.max_commands = max_commands, .start = start});
      },
      nb::kw_only(), "max_commands"_a = 1'000'000, "start"_a = true);
  session.def_prop_ro("running", &Session::running)
      .def("start", &Session::start)
      .def("clear", &Session::clear)
      .def("rows", [](const Session& s) { return without_gil([&] { return s.rows(); }); })
      .def("commands", [](const Session& s) { return without_gil([&] { return s.commands(); }); })
      .def("table", [](const Session& s) { return without_gil([&] { return s.table(); }); })
      .def("trace", [](const Session& s) { return without_gil([&] { return s.trace(); }); })
      .def("__str__", [](const Session& s) { return without_gil([&] { return s.table(); }); });
  method(session, "stop", "($self, /)", [](const Arguments& a) {
    Session& kept = self(a);
    without_gil([&] { kept.stop(); });
  });
  method(session, "save_trace", "($self, path, /)", [](const Arguments& a) {
    const Session& kept = self(a);
    const std::string path = a.text(1);
    without_gil([&] { kept.save_trace(path); });
  });
  method(session, "__enter__", "($self, /)", [](const Arguments& a) {
    self(a).start();
    return nb::borrow(a[0]);
  });
  method(session, "__exit__", "($self, /, *exception)", [](const Arguments& a) {
    Session& kept = self(a);
    without_gil([&] { kept.stop(); });
  });
  function(sub, "bandwidth", "(device=None, /)", [](const Arguments& a) {
    const Device device = a.device(0).value_or(default_device());
    return without_gil([&] { return profile::bandwidth(device); });
  });
}

}  // namespace koine::python
