// SPDX-License-Identifier: Apache-2.0
// What a public Event points to.
#pragma once

#include "base/process.hpp"
#include "cl/queue.hpp"
#include "runtime/context.hpp"

#include <koine/queue.hpp>

#include <cstdint>
#include <string_view>
#include <utility>

namespace koine::detail {

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

}  // namespace koine::detail

namespace koine::api {

Event event_of(runtime::Context& context, cl::Event event);
/// The queue, which must be one of the context; DeviceError otherwise.
runtime::Queue* queue_on(const Queue& queue, const runtime::Context& context, std::string_view function);
/// Later work of the queue starts after the event; for one of another device the host waits.
void start_after(runtime::Queue& queue, const Event& event);

}  // namespace koine::api
