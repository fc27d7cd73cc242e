// SPDX-License-Identifier: Apache-2.0
// A thread's choices.
#include "api/choices.hpp"

#include "base/env.hpp"
#include "base/first_use.hpp"
#include "runtime/queue.hpp"

namespace koine::api {
namespace {

bool reproducible_at_first() noexcept {
  static constinit base::FirstUse<const bool> of_process;
  try {
    return of_process.get([] { return base::env_flag("KOINE_REPRODUCIBLE"); });
  } catch (...) {  // a malformed one is an error wherever a device is used
    return false;
  }
}

}  // namespace

Choices& choices() noexcept {
  thread_local Choices of_thread{.reproducible = reproducible_at_first()};
  return of_thread;
}

graph::Place chosen_place(graph::Place place) noexcept {
  const Choices& own = choices();
  place.queue = nullptr;
  place.reproducible = own.reproducible;
  for (const ChosenQueue* chosen = own.queue; chosen != nullptr; chosen = chosen->outer) {
    if (&chosen->queue->context() != place.context) continue;
    place.queue = chosen->queue;
    break;
  }
  return place;
}

}  // namespace koine::api
