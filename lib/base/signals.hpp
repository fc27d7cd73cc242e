// SPDX-License-Identifier: Apache-2.0
// Keeps signals away from the library's own threads, and the program's handlers where they are.
#pragma once

#include <signal.h>
#include <array>
#include <initializer_list>

namespace koine::base {

/// Around the start of a thread, which inherits the mask: signals are for the program's own threads. Only those that a
/// thread raises by what it does itself stay free, as the memory that it touches may be under a handler of the
/// program's. The caller's mask comes back with the object's end.
class SignalsBlocked {
 public:
  SignalsBlocked() noexcept {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&blocked, own);
    pthread_sigmask(SIG_SETMASK, &blocked, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

/// Around what may load a driver's compiler: LLVM's takes the handlers of signals for good when it first writes a file,
/// for a moment in which a second signal ends the process. With the object's end those are back that were there before,
/// unless somebody else changed them.
class HandlersKept {
 public:
  HandlersKept() noexcept;
  ~HandlersKept();
  HandlersKept(const HandlersKept&) = delete;
  HandlersKept& operator=(const HandlersKept&) = delete;

 private:
  static constexpr std::array signals{SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGTRAP, SIGABRT, SIGBUS,  SIGFPE,
                                      SIGUSR1, SIGSEGV, SIGUSR2, SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ, SIGSYS};
  std::array<struct sigaction, signals.size()> before_{};
};

}  // namespace koine::base
