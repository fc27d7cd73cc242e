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
  Class<Command>(m, "Command")
      .attribute("name", &Command::name)
      .attribute("kind", [](const Command& c) { return profile::to_string(c.kind); })
      .attribute("device", &Command::device)
      .attribute("queue", &Command::queue)
      .attribute("start", &Command::start)
      .attribute("end", &Command::end)
      .attribute("timed", &Command::timed)
      .attribute("bytes_read", &Command::bytes_read)
      .attribute("bytes_written", &Command::bytes_written);
  Class<Row>(m, "Row")
      .attribute("name", &Row::name)
      .attribute("kind", [](const Row& r) { return profile::to_string(r.kind); })
      .attribute("device", &Row::device)
      .attribute("calls", &Row::calls)
      .attribute("seconds", &Row::seconds)
      .attribute("share", &Row::share)
      .attribute("bytes_read", &Row::bytes_read)
      .attribute("bytes_written", &Row::bytes_written);
}

}  // namespace

void bind_profile(nb::module_& m) {
  nb::module_ sub = m.def_submodule("_profile");
  sub.attr("__home__") = "koine.profile";
  bind_records(sub);
  Class<Session> session(sub, "Session");
  session.def(
      "__init__",
      [](Session* place, std::size_t max_commands, bool start) {
        new (place) Session({.max_commands = max_commands, .start = start});
      },
      nb::kw_only(), "max_commands"_a = 1'000'000, "start"_a = true);
  session.attribute("running", &Session::running)
      .method("start", &Session::start)
      .method("clear", &Session::clear)
      .method("rows", [](const Session& s) { return without_gil([&] { return s.rows(); }); })
      .method("commands", [](const Session& s) { return without_gil([&] { return s.commands(); }); })
      .method("table", [](const Session& s) { return without_gil([&] { return s.table(); }); })
      .method("trace", [](const Session& s) { return without_gil([&] { return s.trace(); }); })
      .def("__str__", [](const Session& s) { return without_gil([&] { return s.table(); }); });
  method(session, "stop", "($self, /)", [](const Arguments& a) {
    Session& kept = self(a);
    without_gil([&] { kept.stop(); });
  });
  method(session, "save_trace", "($self, path, /)", [](const Arguments& a) {
    const Session& kept = self(a);
    const std::string path = a.path(1);
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
