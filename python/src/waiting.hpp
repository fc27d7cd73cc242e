// SPDX-License-Identifier: Apache-2.0
// Waiting for values while other Python threads run, and so that Ctrl-C ends it.
#pragma once

#include "function.hpp"

#include <koine/host_memory.hpp>

#include <cstdint>
#include <optional>

namespace koine::python {

/// Waits until the event has come, of work on a device of this type. KeyboardInterrupt, or what another signal's
/// handler raises, where one comes before.
void wait_for(const Event& event, DeviceType type);

/// What `work` gives, which reads the values of x: called once they are there, without the GIL unless they are few, as
/// to give that up takes as long as to read them. It must touch no object of Python's.
template <class Work>
auto once_ready(const Array& x, Work work) {
  constexpr std::int64_t few_bytes = 1 << 14;
  if (at_hand(x) && x.nbytes() <= few_bytes) return work();
  std::optional<decltype(work())> result;
  Event event;
  without_gil([&] {
    event = ready(x);
    if (event.state() == nullptr) result.emplace(work());
  });
  if (!result) {
    wait_for(event, x.device().type());
    without_gil([&] { result.emplace(work()); });
  }
  return *std::move(result);
}

}  // namespace koine::python
