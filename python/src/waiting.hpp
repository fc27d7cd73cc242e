// SPDX-License-Identifier: Apache-2.0
// Waiting for values while other Python threads run, and so that Ctrl-C ends it.
#pragma once

#include "function.hpp"

#include <koine/host_memory.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace koine::python {

/// From now on threads of Python let others run while the library waits for a compiler, or evaluates what has become
/// too much pending work, in whatever function that is.
void give_up_gil_in_long_waits();

/// Waits until the event has come, of work on a device of this type. KeyboardInterrupt, or what another signal's
/// handler raises, where one comes before.
void wait_for(const Event& event, DeviceType type);

/// Waits in the same way for all that a device has been given, and throws what it failed with.
void wait_for_work(const Device& device);

/// What `work` gives, which waits for values of these arrays on its way: called once they are there, without the GIL.
/// It must touch no object of Python's.
template <class Work>
auto when_all_ready(std::span<const Array> arrays, Work work) {
  if constexpr (std::is_void_v<decltype(work())>) {
    when_all_ready(arrays, [&] {
      work();
      return true;
    });
    return;
  } else {
    std::optional<decltype(work())> result;
    std::vector<Event> events;
    without_gil([&] {
      const bool there = std::all_of(arrays.begin(), arrays.end(), at_hand);
      if (!there && arrays.size() > 1) eval(std::vector(arrays.begin(), arrays.end()));
      for (const Array& x : there ? std::span<const Array>() : arrays) {
        Event event = ready(x);
        if (!event.done()) events.push_back(std::move(event));
      }
      if (events.empty()) result.emplace(work());
    });
    if (!result) {
      for (const Event& event : events) wait_for(event, arrays.front().device().type());
      without_gil([&] { result.emplace(work()); });
    }
    return *std::move(result);
  }
}
template <class Work>
auto when_ready(const Array& x, Work work) {
  return when_all_ready(std::span(&x, 1), work);
}

/// x on a device, for which what is on another one has to be computed first.
inline Array moved(const Array& x, const Device& device) {
  if (device == x.device()) return to_device(x, device);
  return when_ready(x, [&] { return to_device(x, device); });
}

/// What `work` gives, which reads the values of x: called once they are there, without the GIL unless they are few, as
/// to give that up takes as long as to read them. It must touch no object of Python's.
template <class Work>
auto once_ready(const Array& x, Work work) {
  constexpr std::int64_t few_bytes = 1 << 14;
  if (x.nbytes() <= few_bytes && eval_at_once(x)) return work();
  return when_ready(x, work);
}

}  // namespace koine::python
