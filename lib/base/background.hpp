// SPDX-License-Identifier: Apache-2.0
// A thread for work that nobody waits for, one task after the other; what is left is done before the process ends.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace koine::base {

/// Made with `new` and never destroyed, because its thread may outlive every static object. Safe from any thread.
class Background {
 public:
  Background();
  ~Background() = delete;
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// Runs a task after those before it; what it throws is dropped. The thread starts with the first task. False if the
  /// task was not taken: there is no thread or no memory to be had, the process is ending and the tasks before are
  /// done, or this is the forked child of a process that had made the object. The caller then runs the task itself if
  /// somebody depends on it (so it must not have been moved here), and forgets it otherwise.
  template <class Task>
  bool submit(Task&& task) noexcept {
    try {
      return take(std::function<void()>(std::forward<Task>(task)));
    } catch (...) {
      return false;
    }
  }

  /// Registers with atexit that the tasks are finished, for an exit() on another thread than main's, whose own comes
  /// earlier than all handlers. The first task registers it too. What is registered later runs earlier: call it again
  /// when a library that the tasks use may have made globals since. Handlers stay until the process ends, so not for
  /// each task.
  void finish_at_exit() noexcept;
  /// How many handlers all objects have registered.
  static int exit_handlers() noexcept;

  /// For tasks: waits for `time`. False, and at once, when the process is ending.
  bool pause(std::chrono::milliseconds time);

  /// Waits until no task is left.
  void wait_idle();

 private:
  bool take(std::function<void()> task);
  void run() noexcept;
  bool start() noexcept;
  /// Finishes what is there, takes no more, and ends the thread.
  void end() noexcept;
  static void end_all() noexcept;

  struct EndsWithMain;
  static const void* const ends_with_main;

  const std::uint32_t generation_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool busy_ = false, ending_ = false;
  std::thread thread_;
  Background* next_ = nullptr;  // of all objects, the newest first
};

}  // namespace koine::base
