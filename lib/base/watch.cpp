// SPDX-License-Identifier: Apache-2.0
// The thread beside the one that waits.
#include "base/watch.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <system_error>
#include <thread>

#include "base/caller.hpp"
#include "base/named_call.hpp"
#include "base/signals.hpp"
#include "koine/waiting.hpp"

namespace koine {

void set_wait_check(void (*look)()) { base::set_wait_check(look); }
void set_wait_hooks(void* (*begin)(), void (*end)(void*)) { base::set_wait_hooks(begin, end); }

namespace base {

namespace {

constinit std::atomic<void (*)()> check{nullptr};
constinit std::atomic<void* (*)()> begin_wait{nullptr};
constinit std::atomic<void (*)(void*)> end_wait{nullptr};
/// Of a thread that does the work of one that waits: it has no caller to ask.
constinit thread_local bool works_for_another = false;

/// Work as its caller's thread would do it: logs name the same line, errors the same function.
std::packaged_task<void()> with_names(const std::function<void()>& work) {
  return std::packaged_task<void()>([work, place = std::string(caller()), name = std::string(named_call())] {
    works_for_another = true;
    exchange_caller(place);
    std::optional<NamedCall> call;
    if (!name.empty()) call.emplace(name);
    work();
    exchange_caller({});
  });
}

}  // namespace

void set_wait_check(void (*look)()) noexcept { check.store(look); }

void set_wait_hooks(void* (*begin)(), void (*end)(void*)) noexcept {
  end_wait.store(end);
  begin_wait.store(begin);
}

LongWait::LongWait() noexcept : end_(nullptr), given_(nullptr) {
  const auto begin = begin_wait.load();
  if (begin == nullptr || works_for_another) return;
  end_ = end_wait.load();
  given_ = begin();
}

LongWait::~LongWait() {
  if (given_ != nullptr) end_(given_);
}

bool is_watching() noexcept { return check.load(std::memory_order_relaxed) != nullptr && !works_for_another; }

void do_watching(const std::function<void()>& work) {
  using namespace std::chrono_literals;
  const LongWait others_run;
  if (!is_watching()) return work();
  std::packaged_task<void()> task = with_names(work);
  std::future<void> done = task.get_future();
  std::thread worker;
  try {
    const SignalsBlocked blocked;
    worker = std::thread(std::move(task));
  } catch (const std::system_error&) {  // no more threads
    return work();
  }
  try {
    while (done.wait_for(20ms) != std::future_status::ready) {
      if (const auto look = check.load()) look();
    }
  } catch (...) {
    worker.detach();
    throw;
  }
  worker.join();  // so that nothing of the work is let go of beside its caller
  done.get();
}

}  // namespace base
}  // namespace koine
