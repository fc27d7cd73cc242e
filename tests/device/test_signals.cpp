// SPDX-License-Identifier: Apache-2.0
// Signals that a program handles, while its kernels are compiled: they come to the program, and to nothing else.
#include <doctest/doctest.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <koine/koine.hpp>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

#include "support/child.hpp"
#include "support/structures.hpp"

namespace kn = koine;

namespace {

constinit std::atomic<int> handled{0};

/// Handled without SA_RESTART, so that it interrupts what the system does for the thread that it comes to.
void handle(int signal) {
  struct sigaction action {};
  action.sa_handler = [](int) { ++handled; };
  REQUIRE(sigaction(signal, &action, nullptr) == 0);
}

/// Until some signals have come.
void compile_many() {
  const kn::Array x = kn::full({50}, std::int64_t{5}).eval();
  for (unsigned number = 2; number < 12 || (handled < 3 && number < 1000); ++number) {
    CAPTURE(number);
    CHECK(kn::test::structured(x, number)(0).item<std::int64_t>() == kn::test::structured(std::int64_t{5}, number));
  }
  CHECK(handled > 0);
}

}  // namespace

TEST_CASE("child: compiles while a timer runs" * doctest::skip()) {
  handle(SIGALRM);
  const itimerval often{{0, 2000}, {0, 2000}};
  REQUIRE(setitimer(ITIMER_REAL, &often, nullptr) == 0);
  compile_many();
}

TEST_CASE("child: compiles while its group is interrupted" * doctest::skip()) {
  REQUIRE(setpgid(0, 0) == 0);
  handle(SIGINT);
  const pid_t parent = getpid();
  const pid_t sender = fork();
  REQUIRE(sender >= 0);
  if (sender == 0) {
    std::signal(SIGINT, SIG_IGN);
    while (getppid() == parent) {  // as who presses Ctrl-C: the process' own children get it too
      usleep(static_cast<useconds_t>(std::atoi(std::getenv("KOINE_TEST_WAIT")) * 1000));
      kill(-parent, SIGINT);
    }
    _exit(0);
  }
  if (std::getenv("KOINE_TEST_OTHER_THREAD") != nullptr) {
    // Signals may come to this one while the other compiles.
    std::thread([] {
      for (;;) pause();
    }).detach();
  }
  compile_many();
  // Gone before doctest takes the handler away, and its last signal with it.
  kill(sender, SIGKILL);
  while (waitpid(sender, nullptr, 0) != sender) CHECK(errno == EINTR);
}

TEST_CASE("child: compiles beside handlers of its own" * doctest::skip()) {
  handle(SIGUSR2);
  const int all[] = {SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE, SIGTERM, SIGSEGV, SIGABRT};
  const auto handlers = [&] {
    std::vector<void (*)(int)> result;
    for (const int signal : all) {
      struct sigaction action {};
      REQUIRE(sigaction(signal, nullptr, &action) == 0);
      result.push_back(action.sa_handler);
    }
    return result;
  };
  const std::vector<void (*)(int)> before = handlers();
  CHECK(kn::sum(kn::sin(kn::arange(1e5f)) * 2).item<float>() < 1e5f);
  CHECK(handlers() == before);
}

TEST_CASE("handlers of signals are the program's after a compilation") {
  kn::test::check_child("child: compiles beside handlers of its own",
                        {{"KOINE_CACHE", "off"}, {"POCL_KERNEL_CACHE", "0"}});
}

TEST_CASE("a timer's signals do not disturb the compiler") {
  kn::test::check_child("child: compiles while a timer runs", {{"KOINE_CACHE", "off"}, {"POCL_KERNEL_CACHE", "0"}});
}

TEST_CASE("an interrupt that the program handles does not disturb the compiler") {
  const auto check = [](const char* wait, const char* other_thread) {
    CAPTURE(std::string(wait));
    kn::test::check_child("child: compiles while its group is interrupted", {{"KOINE_TEST_WAIT", wait},
                                                                             {"KOINE_TEST_OTHER_THREAD", other_thread},
                                                                             {"KOINE_CACHE", "off"},
                                                                             {"POCL_KERNEL_CACHE", "0"}});
  };
  for (const char* wait : {"100", "30", "7"}) check(wait, "");
  // Where another thread takes the signal the compiler's files may go, and it is run again: not for ever.
  check("1000", "1");
}
