// SPDX-License-Identifier: Apache-2.0
// The public queues and events.
#include <koine/host_memory.hpp>
#include <koine/queue.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/choices.hpp"
#include "api/event.hpp"
#include "runtime/context.hpp"
#include "runtime/queue.hpp"

namespace koine {

namespace detail {

struct QueueChoice {
  Queue queue;  // holds it while the scope lives
  api::ChosenQueue chosen;
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

Event api::event_of(runtime::Context& context, cl::Event event) {
  return Event(std::make_shared<const detail::EventState>(context, std::move(event)));
}

runtime::Queue* api::queue_on(const Queue& queue, const runtime::Context& context, std::string_view function) {
  runtime::Queue* const chosen = queue.handle().get();
  if (&chosen->context() == &context) return chosen;
  throw DeviceError("[" + std::string(function) + "] the queue is one of " + chosen->traits().selector +
                    ", and the work is for " + context.traits().selector);
}

void api::start_after(runtime::Queue& queue, const Event& event) {
  const detail::EventState* const state = event.state();
  if (state == nullptr) return;
  if (&state->context == &queue.context()) {
    queue.wait(state->event);
  } else {
    event.wait();
  }
}

Event Queue::record() const { return api::event_of(queue_->context(), queue_->record()); }

void Queue::wait(const Event& event) const { api::start_after(*queue_, event); }

void Queue::synchronize() const { queue_->finish(); }

std::vector<Event> under_way(const Device& device) {
  runtime::Context* const context = runtime::Context::existing(device.record());
  std::vector<Event> points;
  if (context == nullptr) return points;
  for (cl::Event& event : context->under_way()) points.push_back(api::event_of(*context, std::move(event)));
  return points;
}

QueueScope::QueueScope(const Queue& queue) {
  const api::ChosenQueue chosen{queue.handle().get(), api::choices().queue};
  choice_ = std::make_unique<detail::QueueChoice>(detail::QueueChoice{queue, chosen});
  api::choices().queue = &choice_->chosen;
}

QueueScope::~QueueScope() { api::choices().queue = choice_->chosen.outer; }

}  // namespace koine
