// SPDX-License-Identifier: Apache-2.0
// Threads that live for one piece of work, which take some 20 microseconds to start, and threads that wait for the
// next.
#include "base/parallel.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "base/process.hpp"
#include "base/signals.hpp"

namespace koine::base {

int usable_cores() noexcept {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  // The set is too small for machines with more than 1024 cores, which have enough of them.
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return CPU_SETSIZE;
  return std::max(CPU_COUNT(&cores), 1);
}

int cores() noexcept {
  // Eight threads fill the link to the fastest of today's cards; more only take cores from the program.
  constexpr int most = 8;
  return std::min(usable_cores(), most);
}

namespace {

/// Calls `relax()` until `done()`, for some microseconds at the most: to be woken takes a thread as long.
template <class Done>
bool soon(Done done) noexcept {
  using namespace std::chrono;
  constexpr auto most = microseconds(20);
  const auto end = steady_clock::now() + most;
  do {
    for (int i = 0; i < 16; ++i) {
      if (done()) return true;
#ifdef __x86_64__
      __builtin_ia32_pause();
#endif
    }
    sched_yield();  // whoever has work for this core goes first
  } while (steady_clock::now() < end);
  return false;
}

/// A thread that waits for work. It is never destroyed: at the end of the process it sleeps.
class Helper {
 public:
  /// Throws std::system_error if no more threads can be started.
  Helper() {
    const SignalsBlocked blocked;
    std::thread([this] { run(); }).detach();
  }
  /// Has it do the work, which stays as it is until finish() returns, ...
  void start(const std::function<void()>& work) noexcept {
    work_ = &work;
    set(State::asked);
  }
  /// ... and waits for it, or takes it back if it has not begun.
  void finish() noexcept {
    State asked = State::asked;
    if (state_.compare_exchange_strong(asked, State::idle, std::memory_order_relaxed)) return;
    wait_while([](State state) { return state != State::idle; });
  }

 private:
  enum class State { idle, asked, at_work };

  void run() noexcept {
    while (true) {
      wait_while([](State state) { return state == State::idle; });
      State asked = State::asked;
      if (!state_.compare_exchange_strong(asked, State::at_work, std::memory_order_acquire)) continue;
      (*work_)();
      set(State::idle);
    }
  }
  void set(State state) noexcept {
    state_.store(state, std::memory_order_release);
    state_.notify_one();
  }
  template <class Wrong>
  void wait_while(Wrong wrong) noexcept {
    if (soon([&] { return !wrong(state_.load(std::memory_order_acquire)); })) return;
    for (State now; wrong(now = state_.load(std::memory_order_acquire));) state_.wait(now, std::memory_order_acquire);
  }

  std::atomic<State> state_{State::idle};
  const std::function<void()>* work_ = nullptr;
};

/// Helpers without work. A process has one, and the child of a fork, which has none of its parent's threads, another.
struct Idle {
  const std::uint32_t generation;
  std::mutex mutex;
  std::vector<Helper*> helpers;
};

Idle& idle_helpers() {
  static constinit std::atomic<Idle*> known{nullptr};
  Idle* idle = known.load(std::memory_order_acquire);
  if (idle != nullptr && idle->generation == process_generation()) return *idle;
  const auto fresh = new Idle{process_generation(), {}, {}};
  if (known.compare_exchange_strong(idle, fresh, std::memory_order_acq_rel)) return *fresh;
  delete fresh;
  return *idle;
}

/// So many helpers, or fewer where no more can be started, while this lives.
class Team {
 public:
  explicit Team(std::size_t count) : idle_(idle_helpers()) {
    try {
      helpers_.reserve(count);
      {
        const std::lock_guard lock(idle_.mutex);
        for (; helpers_.size() < count && !idle_.helpers.empty(); idle_.helpers.pop_back()) {
          helpers_.push_back(idle_.helpers.back());
        }
      }
      while (helpers_.size() < count) helpers_.push_back(new Helper);
    } catch (const std::system_error&) {  // those that there are do the work
    } catch (const std::bad_alloc&) {
    }
  }
  ~Team() {
    for (Helper* helper : helpers_) helper->finish();
    const std::lock_guard lock(idle_.mutex);
    try {
      idle_.helpers.insert(idle_.helpers.end(), helpers_.begin(), helpers_.end());
    } catch (const std::bad_alloc&) {  // they are not used again
    }
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  void start(const std::function<void()>& work) noexcept {
    for (Helper* helper : helpers_) helper->start(work);
  }

 private:
  Idle& idle_;
  std::vector<Helper*> helpers_;
};

/// A call of `work` that throws nothing, and what the first of several calls threw.
class Guarded {
 public:
  explicit Guarded(const std::function<void()>& work) : work_(work) {}
  void operator()() noexcept {
    try {
      work_();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  const std::function<void()>& work_;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace

void in_parallel(int threads, const std::function<void()>& work) {
  if (threads <= 1) return work();
  Guarded guarded(work);
  std::vector<std::thread> others;
  try {
    others.reserve(static_cast<std::size_t>(threads - 1));
    const SignalsBlocked blocked;
    for (int i = 1; i < threads; ++i) others.emplace_back(std::ref(guarded));
  } catch (const std::system_error&) {  // no more threads: those that there are do the work
  } catch (const std::bad_alloc&) {
  }
  guarded();
  for (std::thread& other : others) other.join();
  guarded.rethrow();
}

void share_work(int threads, const std::function<void()>& work) {
  if (threads <= 1) return work();
  Guarded guarded(work);
  {
    const std::function<void()> by_reference(std::ref(guarded));  // which takes no memory
    Team team(static_cast<std::size_t>(threads - 1));
    team.start(by_reference);
    guarded();
  }
  guarded.rethrow();
}

}  // namespace koine::base
