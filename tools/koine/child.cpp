// SPDX-License-Identifier: Apache-2.0
// Starts the child with files in memory for its output, which need no reader while it runs.
#include "child.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <system_error>
#include <thread>

#include "base/files.hpp"
#include "koine/error.hpp"

namespace koine::tool {

namespace {

using Clock = std::chrono::steady_clock;

base::Descriptor memory_file() {
  const int number = memfd_create("koine", MFD_CLOEXEC);
  if (number < 0) throw IoError("[koine] there is no file for a child's output: " + std::string(std::strerror(errno)));
  return base::Descriptor(number);
}

std::string text_of(const base::Descriptor& file) {
  std::string text;
  char piece[4096];
  for (ssize_t got; (got = pread(file.number(), piece, sizeof piece, static_cast<off_t>(text.size()))) > 0;) {
    text.append(piece, static_cast<std::size_t>(got));
  }
  return text;
}

/// Whether it ended by itself.
bool wait_for(pid_t child, double seconds, int& status) {
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (Clock::now() > deadline) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace

std::string Ended::how(double seconds) const {
  if (late) return fmt::format("did not end within {:g} s", seconds);
  if (signal != 0) return fmt::format("was killed by signal {} ({})", signal, strsignal(signal));
  return fmt::format("ended with exit code {}", code);
}

Ended run_self(const std::vector<std::string>& arguments, double seconds, Errors errors) {
  std::vector<std::string> words{"koine"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const base::Descriptor out = memory_file(), err = memory_file();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out.number(), STDOUT_FILENO);
  if (errors == Errors::keep) posix_spawn_file_actions_adddup2(&actions, err.number(), STDERR_FILENO);
  pid_t child = 0;
  const int code = posix_spawn(&child, "/proc/self/exe", &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0) throw IoError("[koine] cannot start a child: " + std::generic_category().message(code));

  Ended ended;
  int status = 0;
  ended.late = !wait_for(child, seconds, status);
  if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
  if (WIFEXITED(status)) ended.code = WEXITSTATUS(status);
  ended.out = text_of(out);
  ended.err = text_of(err);
  return ended;
}

}  // namespace koine::tool
