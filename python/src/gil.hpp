// SPDX-License-Identifier: Apache-2.0
// Letting other Python threads run.
#pragma once

#include <nanobind/nanobind.h>

#include <cxxabi.h>
#include <unistd.h>

#include <utility>

namespace koine::python {

/// Of a thread that Python ends by pthread_exit, as it does in versions before 3.14 with one that wants the GIL while
/// the interpreter ends: waits for the end of the process, since C++'s frames do not let the thread unwind.
[[noreturn]] inline void wait_for_the_end() noexcept {
  for (;;) pause();
}

/// Thrown without the GIL: a signal's handler has raised what Python's error of this thread is.
struct Interrupted {};

/// While it lives, other Python threads run, and no object of Python's may be touched.
class OthersRun {
 public:
  OthersRun() noexcept : state_(PyEval_SaveThread()), outer_(std::exchange(of_thread_, this)) {}
  ~OthersRun() {
    of_thread_ = outer_;
    come_back();
  }
  OthersRun(const OthersRun&) = delete;
  OthersRun& operator=(const OthersRun&) = delete;

  /// Runs the handlers of signals that have come, with the GIL. Throws Interrupted. Does nothing on a thread that has
  /// the GIL, whose objects no handler may change now, and on all but the process' main one, as Python runs no handlers
  /// there.
  static void look_at_signals() {
    if (of_thread_ == nullptr || gettid() != getpid()) return;
    of_thread_->come_back();
    const bool raised = PyErr_CheckSignals() != 0;
    of_thread_->state_ = PyEval_SaveThread();
    if (raised) throw Interrupted();
  }

 private:
  void come_back() noexcept {
    try {
      PyEval_RestoreThread(state_);
    } catch (abi::__forced_unwind&) {
      wait_for_the_end();
    }
  }

  static inline thread_local OthersRun* of_thread_ = nullptr;

  PyThreadState* state_;
  OthersRun* outer_;
};

/// What `work` gives, which other Python threads need not wait for. It must touch no object of Python's. Throws what
/// the handler of a signal raises while a compiler is waited for.
template <class Work>
auto without_gil(Work&& work) {
  try {
    const OthersRun others_run;
    return work();
  } catch (const Interrupted&) {
    throw nanobind::python_error();
  }
}

}  // namespace koine::python
