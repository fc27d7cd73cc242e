// SPDX-License-Identifier: Apache-2.0
// Copies to the device that nobody waits for.
#include <koine/copy_async.hpp>

#include "api/build.hpp"
#include "api/event.hpp"
#include "api/held_alone.hpp"
#include "exec/evaluate.hpp"

#include <koine/error.hpp>

#include <utility>

namespace koine {

Event detail::copy_async(const void* values, DType type, std::size_t count, Array& to, const CopyOptions& options) {
  constexpr const char* function = "copy_async";
  if (type != to.dtype()) {
    throw DTypeError("[copy_async] the array is of " + std::string(name(to.dtype())) + ", and the values are " +
                     std::string(name(type)) + "; a copy that nobody waits for converts nothing");
  }
  if (static_cast<std::int64_t>(count) != to.size()) {
    throw ShapeError("[copy_async] shape " + to_string(to.shape()) + " needs " + std::to_string(to.size()) +
                     " elements, the range has " + std::to_string(count));
  }
  graph::Place place = api::place_of(to.device());
  if (options.queue) place.queue = api::queue_on(*options.queue, *place.context, function);
  // No value of before is left, so memory that somebody else holds is let go of rather than copied.
  Array target = to;
  const bool in_place = target.node()->is_ready() && api::held_alone(target.node(), 2);
  if (!in_place) target = api::unwritten(to.shape(), to.dtype(), place, function);
  runtime::Queue& queue = place.queue != nullptr ? *place.queue : place.context->queue();
  Event event;
  if (count > 0) {
    event = api::event_of(*place.context,
                          queue.write_async(*target.node()->storage, values, count * size_of(type), function));
  }
  to = std::move(target);
  return event;
}

}  // namespace koine
