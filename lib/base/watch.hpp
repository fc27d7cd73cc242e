// SPDX-License-Identifier: Apache-2.0
// Long work that its caller waits for and may leave, and what callers do meanwhile: see koine/waiting.hpp.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace koine::base {

/// What threads call while they wait; null for nothing.
void set_wait_check(void (*look)()) noexcept;

/// What threads call before and after long waits; null for nothing.
void set_wait_hooks(void* (*begin)(), void (*end)(void*)) noexcept;

/// While it lives, this thread waits, or evaluates what its caller did not ask for: see koine::set_wait_hooks
/// (koine/waiting.hpp). Made and ended where no lock is held.
class LongWait {
 public:
  LongWait() noexcept;
  ~LongWait();
  LongWait(const LongWait&) = delete;
  LongWait& operator=(const LongWait&) = delete;

 private:
  void (*end_)(void*);
  void* given_;
};

/// Whether this thread has something to call while it waits.
bool is_watching() noexcept;

/// Does `work` on a thread of its own, and calls what set_wait_check() was told until that is done. What that throws
/// leaves, and the work goes on without its caller, so it must hold all that it uses. Called where no lock is held.
/// Does `work` on this thread where there is nothing to call, or no thread to be had.
void do_watching(const std::function<void()>& work);

/// The same of work that gives something.
template <class Work>
auto watching(const Work& work) {
  using Result = decltype(work());
  if constexpr (std::is_void_v<Result>) {
    do_watching(work);
  } else {
    auto result = std::make_shared<std::optional<Result>>();
    do_watching([work, result] { result->emplace(work()); });
    return std::move(**result);
  }
}

}  // namespace koine::base
