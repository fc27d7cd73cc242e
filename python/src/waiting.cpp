// SPDX-License-Identifier: Apache-2.0
// Waiting for values; see waiting.hpp.
#include "waiting.hpp"

#include "lending.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>

namespace koine::python {
namespace {

/// What a thread of Python's gives up while the library waits for long: the GIL, and with it the array that it changes.
struct GivenUp {
  PyObject* const changed = Changing::of_thread();
  const Lent lent{changed != nullptr ? std::vector<PyObject*>{changed} : std::vector<PyObject*>()};
  const OthersRun others_run{changed == nullptr};
};

}  // namespace

void give_up_gil_in_long_waits() {
  const auto begin = []() -> void* {
    try {
      return OthersRun::has_gil() ? new GivenUp : nullptr;
    } catch (const std::bad_alloc&) {  // they wait
      return nullptr;
    }
  };
  koine::set_wait_hooks(begin, [](void* given_up) { delete static_cast<GivenUp*>(given_up); });
}

void wait_for(const Event& event, DeviceType type) {
  using Clock = std::chrono::steady_clock;
  using namespace std::chrono_literals;
  const auto begin = Clock::now();
  // A short wait spins: a sleep takes some 60 us, however short it is to be. Where the work needs the host's processors
  // itself, that is a matter of 50 us.
  const Clock::duration short_wait = type == DeviceType::cpu ? Clock::duration(50us) : Clock::duration(2ms);
  // Whether the event came within the time between two looks at Python's signals. A long wait is looked at so often
  // that it takes a few percent longer at most.
  const auto comes_soon = [&] {
    for (auto now = Clock::now(), until = now + 20ms; now < until; now = Clock::now()) {
      if (event.done()) return true;
      const auto waited = now - begin;
      if (waited > short_wait) std::this_thread::sleep_for(std::min<Clock::duration>(waited / 32, 2ms));
    }
    return false;
  };
  while (!without_gil(comes_soon)) {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
}

void wait_for_work(const Device& device) {
  for (const Event& point : without_gil([&] { return under_way(device); })) wait_for(point, device.type());
  without_gil([&] { synchronize(device); });
}

}  // namespace koine::python
