// SPDX-License-Identifier: Apache-2.0
// Letting other Python threads run.
#pragma once

#include <nanobind/nanobind.h>

#include <cxxabi.h>
#include <unistd.h>

namespace koine::python {

/// Of a thread that Python ends by pthread_exit, as it does in versions before 3.14 with one that wants the GIL while
/// the interpreter ends: waits for the end of the process, since C++'s frames do not let the thread unwind.
[[noreturn]] inline void wait_for_the_end() noexcept {
  for (;;) pause();
}

/// While it lives, other Python threads run, and no object of Python's may be touched.
class OthersRun {
 public:
  OthersRun() noexcept : state_(PyEval_SaveThread()) {}
  ~OthersRun() {
    try {
      PyEval_RestoreThread(state_);
    } catch (abi::__forced_unwind&) {
      wait_for_the_end();
    }
  }
  OthersRun(const OthersRun&) = delete;
  OthersRun& operator=(const OthersRun&) = delete;

 private:
  PyThreadState* state_;
};

/// What `work` gives, which other Python threads need not wait for. It must touch no object of Python's.
template <class Work>
auto without_gil(Work&& work) {
  const OthersRun others_run;
  return work();
}

}  // namespace koine::python
