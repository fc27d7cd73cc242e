// SPDX-License-Identifier: Apache-2.0
// Test cases that run in a process of their own: for what happens when one ends.
#pragma once

#include <doctest/doctest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace koine::test {

/// Runs the case with that name, which is skipped otherwise, and gives its exit status; 1000 and more for a signal.
inline int status_of(std::string name) {
  name = "--test-case=" + name;
  char self[] = "/proc/self/exe", no_skip[] = "--no-skip";
  char* arguments[] = {self, no_skip, name.data(), nullptr};
  pid_t child = 0;
  REQUIRE(posix_spawn(&child, self, nullptr, nullptr, arguments, environ) == 0);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

}  // namespace koine::test
