// SPDX-License-Identifier: Apache-2.0
// The public queues and events.
#include <koine/queue.hpp>

#include <cstdint>
#include <memory>
#include <utility>

#include "base/process.hpp"
#include "graph/node.hpp"
#include "runtime/context.hpp"
#include "runtime/queue.hpp"

namespace koine {

namespace detail {

struct EventState {
  EventState(runtime::Context& where, cl::Event what) : context(where), event(std::move(what)) {}
  /// In a forked child, or when static objects die, the driver must not be called any more.
  ~EventState() {
    if (generation != base::process_generation() || base::process_ending()) event.forget();
  }
  EventState(const EventState&) = delete;
  EventState& operator=(const EventState&) = delete;

  runtime::Context& context;
  cl::Event event;
  std::uint32_t generation = base::process_generation();
};

struct QueueChoice {
  Queue queue;  // holds it while the scope lives
  graph::QueueChoice choice;
};

}  // namespace detail

namespace {

/// Runs what may throw the bindings' error.
template <class F>
auto checked(const detail::EventState& state, F f) {
  const runtime::Context::InUse in_use(state.context, "Event");
  try {
    return f();
  } catch (const ::cl::Error& error) {
    state.context.fail(error.err(), "Event", "wait for an event");
  }
}

}  // namespace

void Event::wait() const {
  if (state_) checked(*state_, [&] { state_->event.wait(); });
}

bool Event::done() const {
  return !state_ || checked(*state_, [&] { return state_->event.done(); });
}

Queue::Queue(const Device& device) : queue_(runtime::Context::of(device).new_queue()) {}

Device Queue::device() const { return Device(queue_->context().entry()); }

Event Queue::record() const {
  return Event(std::make_shared<const detail::EventState>(queue_->context(), queue_->record()));
}

void Queue::wait(const Event& event) const {
  const detail::EventState* const state = event.state();
  if (state == nullptr) return;
  if (&state->context == &queue_->context()) {
    queue_->wait(state->event);
  } else {
    event.wait();
  }
}

void Queue::synchronize() const { queue_->finish(); }

QueueScope::QueueScope(const Queue& queue) {
  runtime::Queue& chosen = *queue.handle();
  const graph::Place place{&chosen.context(), &chosen.traits(), &chosen};
  choice_ = std::make_unique<detail::QueueChoice>(detail::QueueChoice{queue, {place, graph::queue_choice()}});
  graph::queue_choice() = &choice_->choice;
}

QueueScope::~QueueScope() { graph::queue_choice() = choice_->choice.outer; }

}  // namespace koine
