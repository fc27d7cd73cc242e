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
/// Thrown without the GIL: Ctrl-C has come, whose handler may use what this thread changes, so it runs once the change
/// has been given up.
struct Postponed {};

/// While it lives, this thread runs a function that Python called.
class CalledByPython {
 public:
  CalledByPython() noexcept : outer_(std::exchange(now_, true)) {}
  ~CalledByPython() { now_ = outer_; }
  CalledByPython(const CalledByPython&) = delete;
  CalledByPython& operator=(const CalledByPython&) = delete;

  static bool now() noexcept { return now_; }

 private:
  static inline thread_local bool now_ = false;

  bool outer_;
};

/// While it lives, other Python threads run, and no object of Python's may be touched.
class OthersRun {
 public:
  /// `handlers_run`: what signals' handlers may change is not in use.
  explicit OthersRun(bool handlers_run = true) noexcept
      : state_(PyEval_SaveThread()), outer_(std::exchange(of_thread_, this)), handlers_run_(handlers_run) {}
  ~OthersRun() {
    of_thread_ = outer_;
    come_back();
  }
  OthersRun(const OthersRun&) = delete;
  OthersRun& operator=(const OthersRun&) = delete;

  /// Whether this thread runs what Python called, and has the GIL.
  static bool has_gil() noexcept { return of_thread_ == nullptr && CalledByPython::now(); }

  /// Runs the handlers of signals that have come, with the GIL. Throws Interrupted; or Postponed, where no handler may
  /// run. Does nothing on a thread that has the GIL, whose objects no handler may change now, and on all but the
  /// process' main one, as Python runs no handlers there.
  static void look_at_signals() {
    if (of_thread_ == nullptr || gettid() != getpid()) return;
    OthersRun* const self = std::exchange(of_thread_, nullptr);
    self->come_back();
    const bool stops = self->handlers_run_ ? PyErr_CheckSignals() != 0 : PyOS_InterruptOccurred() != 0;
    self->state_ = PyEval_SaveThread();
    of_thread_ = self;
    if (stops && self->handlers_run_) throw Interrupted();
    if (stops) throw Postponed();
  }

  /// Of a change that Postponed has left: runs the handler of Ctrl-C. Throws what that raises; else the change is to
  /// begin anew.
  static void run_postponed() {
    PyErr_SetInterrupt();
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
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
  bool handlers_run_;
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
