// SPDX-License-Identifier: Apache-2.0
// Keeps signals away from the library's own threads.
#pragma once

#include <signal.h>
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

}  // namespace koine::base
