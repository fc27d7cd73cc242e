// SPDX-License-Identifier: Apache-2.0
// Runs a skipped test case of this program in a process of its own, and says how that ended and what it printed.
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace koine::test {

/// Waits for a child: its exit code, or 1000 and the signal that killed it.
inline int wait_for(pid_t child) {
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

struct Ended {
  /// The exit code; 1000 and the signal for a process that was killed, 9999 for one that did not end.
  int status = 9999;
  std::string out, err;  ///< without what doctest printed
  std::string report;    ///< what doctest printed
};

/// A file that is gone from its folder already, for a child to write and its parent to read.
class Scratch {
 public:
  Scratch() {
    std::string name = "/tmp/koine_test_XXXXXX";
    descriptor_ = mkstemp(name.data());
    REQUIRE(descriptor_ >= 0);
    unlink(name.c_str());
  }
  ~Scratch() { close(descriptor_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  int descriptor() const { return descriptor_; }
  std::string text() const {
    std::string result;
    char piece[4096];
    for (ssize_t got; (got = pread(descriptor_, piece, sizeof piece, static_cast<off_t>(result.size()))) > 0;)
      result.append(piece, static_cast<std::size_t>(got));
    return result;
  }

 private:
  int descriptor_ = -1;
};

/// Environment variables of a child that differ from ours; an empty value unsets one.
using Changes = std::vector<std::pair<std::string, std::string>>;

/// This program's file. Under valgrind "/proc/self/exe" itself is valgrind, to whoever starts it.
inline std::string own_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

/// Names of test cases may hold no comma, which doctest takes for the end of a name.
inline Ended run_child(const std::string& test_case, const Changes& changes = {}) {
  std::vector<std::string> variables;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view text = *each;
    const std::string_view name = text.substr(0, text.find('='));
    bool changed = false;
    for (const auto& change : changes) changed = changed || change.first == name;
    if (!changed) variables.emplace_back(text);
  }
  for (const auto& [name, value] : changes) {
    if (!value.empty()) variables.push_back(name + "=" + value);
  }
  const Scratch out, err, report;
  std::vector<std::string> words{own_program(), "--no-skip", "--test-case=" + test_case,
                                 "--out=/dev/fd/" + std::to_string(report.descriptor())};
  const auto pointers = [](std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (std::string& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
  };
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.descriptor(), STDERR_FILENO);
  pid_t child = 0;
  const int code =
      posix_spawn(&child, words.front().c_str(), &actions, nullptr, pointers(words).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  REQUIRE(code == 0);

  Ended ended;
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::minutes(3);
  int status = 0;
  pid_t gone = 0;
  while ((gone = waitpid(child, &status, WNOHANG)) == 0 && Clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  if (gone == child) {
    ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  } else {
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
  }
  ended.out = out.text();
  ended.err = err.text();
  ended.report = report.text();
  return ended;
}

/// The child ended well: all of its checks held, and it did not crash on its way out.
inline void check_child(const std::string& test_case, const Changes& changes = {}) {
  const Ended ended = run_child(test_case, changes);
  CAPTURE(ended.report);
  CAPTURE(ended.err);
  CAPTURE(test_case);
  CHECK(ended.status == 0);
}

}  // namespace koine::test
