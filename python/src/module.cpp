// SPDX-License-Identifier: Apache-2.0
// The module koine._koine: its parts.
#include "module.hpp"

#include "waiting.hpp"

NB_MODULE(_koine, m) {
  using namespace koine::python;
  nb::register_exception_translator([](const std::exception_ptr& exception, void*) {
    try {
      std::rethrow_exception(exception);
    } catch (...) {
      set_python_error();
    }
  });
  // Types and the objects of dtypes are held as long as the process.
  nb::set_leak_warnings(false);
  koine::set_wait_check(OthersRun::look_at_signals);
  give_up_gil_in_long_waits();
  m.attr("__home__") = "koine";
  m.attr("__version__") = koine::version();
  bind_errors(m);
  bind_types(m);
  bind_devices(m);
  bind_array(m);
  bind_scopes(m);
  bind_creation(m);
  bind_exchange(m);
  bind_elementwise(m);
  bind_linalg(m);
  bind_matrices(m);
  bind_manipulation(m);
  bind_searching(m);
  bind_statistics(m);
  bind_segments(m);
  bind_signal(m);
  bind_fft(m);
  bind_random(m);
  bind_kernels(m);
  bind_custom(m);
  bind_profile(m);
  bind_files(m);
  bind_handles(m);
  function(m, "_docstring", "(name, /)", [](const Arguments& a) { return std::string(python_doc(a.text(0).c_str())); });
}
