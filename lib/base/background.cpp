// SPDX-License-Identifier: Apache-2.0
// The thread's loop, and its orderly end before the process'.
#include "base/background.hpp"

#include <atomic>
#include <cstdlib>
#include <exception>
#include <utility>

#include "base/process.hpp"
#include "base/signals.hpp"

namespace koine::base {

namespace {

std::atomic<Background*> newest{nullptr};
constinit std::atomic<int> handlers{0};

}  // namespace

/// exit() destroys the thread-local objects of its thread before any static one: no task sees a library's globals gone,
/// not even those that the library makes while the task runs. The handler of atexit() is for an exit() on another
/// thread than main's.
struct Background::EndsWithMain {
  ~EndsWithMain() {
    if (on_main_thread()) end_all();
  }
  static thread_local EndsWithMain instance;
};
thread_local Background::EndsWithMain Background::EndsWithMain::instance;

// Registers the destructor with the thread that loads the library, which is the main one as a rule.
const void* const Background::ends_with_main = &EndsWithMain::instance;

Background::Background() : generation_(process_generation()) {
  next_ = newest.load(std::memory_order_relaxed);
  while (!newest.compare_exchange_weak(next_, this, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

bool Background::take(std::function<void()> task) {
  // A fork may have copied the mutex while it was held.
  if (generation_ != process_generation()) return false;
  {
    const std::lock_guard lock(mutex_);
    if (ending_) return false;
    if (!thread_.joinable() && !start()) return false;
    tasks_.push_back(std::move(task));
  }
  changed_.notify_all();
  return true;
}

bool Background::start() noexcept {
  try {
    const SignalsBlocked blocked;
    thread_ = std::thread([this] { run(); });
  } catch (const std::exception&) {  // no more threads, or no memory for one
    return false;
  }
  finish_at_exit();
  return true;
}

void Background::finish_at_exit() noexcept {
  if (std::atexit([] { end_all(); }) == 0) handlers.fetch_add(1, std::memory_order_relaxed);
}

int Background::exit_handlers() noexcept { return handlers.load(std::memory_order_relaxed); }

bool Background::pause(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, time, [&] { return ending_; });
}

void Background::wait_idle() {
  if (generation_ != process_generation()) return;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return tasks_.empty() && !busy_; });
}

void Background::run() noexcept {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return !tasks_.empty() || ending_; });
    if (tasks_.empty()) return;
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    busy_ = true;
    lock.unlock();
    try {
      task();
    } catch (...) {  // nobody waits for the outcome
    }
    task = nullptr;  // what it holds may call a driver, so not under the lock
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

void Background::end() noexcept {
  // A child has no such thread, and a task that ends the process cannot wait for itself.
  if (generation_ != process_generation()) return;
  std::thread thread;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    if (!thread_.joinable() || thread_.get_id() == std::this_thread::get_id()) return;
    thread = std::move(thread_);
  }
  changed_.notify_all();
  thread.join();
}

void Background::end_all() noexcept {
  for (Background* each = newest.load(std::memory_order_acquire); each != nullptr; each = each->next_) each->end();
}

}  // namespace koine::base
