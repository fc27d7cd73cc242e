// SPDX-License-Identifier: Apache-2.0
// Recordings of commands. Each known queue has a list of commands whose events are not over; whenever one is added,
// those at its front that are over are read and let go of, so that no more are kept than the device is behind.
#include "runtime/recorder.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <tuple>
#include <utility>

#include "base/caller.hpp"
#include "base/process.hpp"
#include "cl/queue.hpp"
#include "koine/error.hpp"

namespace koine::runtime {

namespace {

/// What to add to a device's times for the host's. A command's first stamp was taken while the host enqueued it, so
/// each command narrows what that can be.
struct Alignment {
  std::int64_t low, high;

  std::int64_t offset() const { return low + (high - low) / 2; }
  /// False if the clocks have come apart by more than stamps are rounded by.
  bool narrow(std::int64_t least, std::int64_t most) {
    constexpr std::int64_t rounding = 20'000;
    if (least > high + rounding || most < low - rounding) return false;
    low = std::max(low, least);
    high = std::max(low, std::min(high, most));
    return true;
  }
};

struct Entry {
  Recorded command;  // whose times are the device's
  const Alignment* alignment = nullptr;
};

using Active = std::vector<std::shared_ptr<Recording::State>>;

struct Pending {
  ::cl::Event event, begin;
  Recorded command;
  std::int64_t before, after;
  std::shared_ptr<const Active> active;  // the recordings that it is for
};

struct Track {
  ::cl::CommandQueue queue;
  const DeviceTraits* device;
  std::size_t number;
  std::deque<Pending> pending;
};

struct Times {
  cl_ulong queued = 0, start = 0, end = 0;
};

bool ask(const ::cl::Event& event, cl_profiling_info what, cl_ulong& time) {
  return clGetEventProfilingInfo(event(), what, sizeof time, &time, nullptr) == CL_SUCCESS;
}

bool times_of(const Pending& pending, Times& times) {
  if (pending.event() == nullptr || !ask(pending.event, CL_PROFILING_COMMAND_START, times.start) ||
      !ask(pending.event, CL_PROFILING_COMMAND_END, times.end)) {
    return false;
  }
  cl_ulong began = 0;
  if (pending.begin() != nullptr && ask(pending.begin, CL_PROFILING_COMMAND_END, began) && began != 0) {
    times.start = std::min(times.start, began);
  }
  if (!ask(pending.event, CL_PROFILING_COMMAND_QUEUED, times.queued) || times.queued == 0) times.queued = times.start;
  return times.start != 0 && times.end >= times.start;
}

}  // namespace

struct Recording::State {
  explicit State(std::size_t count) : most(count) {}

  const std::size_t most;
  const std::uint32_t generation = base::process_generation();
  bool running = false;
  std::int64_t origin = 0, started = 0, elapsed = 0;
  std::deque<Entry> entries;
  std::deque<HostSpan> spans;
  std::map<std::tuple<const DeviceTraits*, Command::Kind, const char*>, Total> totals;
  std::uint64_t left_out = 0;

  void add(const Entry& entry) {
    const Recorded& command = entry.command;
    Total& total = totals[{command.device, command.kind, command.name.data()}];
    total.device = command.device;
    total.kind = command.kind;
    total.name = command.name;
    ++total.calls;
    total.read += command.read;
    total.written += command.written;
    if (command.timed) {
      const std::int64_t time = command.end - command.start;
      ++total.timed;
      total.timed_bytes += command.read + command.written;
      total.nanoseconds += time;
      total.longest = std::max(total.longest, time);
    }
    if (entries.size() < most) {
      entries.push_back(entry);
    } else {
      ++left_out;
    }
  }
};

namespace {

/// All recordings of a process; the child of a fork gets one of its own, since another thread may have held the mutex.
struct Recorder {
  const std::uint32_t generation = base::process_generation();
  std::mutex mutex;
  std::shared_ptr<const Active> active = std::make_shared<const Active>();
  std::map<cl_command_queue, Track> tracks;
  std::map<const DeviceTraits*, std::deque<Alignment>> alignments;
  std::set<std::string, std::less<>> names;

  std::string_view lasting(std::string_view name) {
    const auto found = names.find(name);
    return found != names.end() ? *found : *names.emplace(name).first;
  }

  Alignment& align(const DeviceTraits* device, std::int64_t least, std::int64_t most) {
    std::deque<Alignment>& all = alignments[device];
    if (all.empty() || !all.back().narrow(least, most)) all.push_back({least, most});
    return all.back();
  }

  /// Hands a command on. `over`: its event can be asked.
  void finish(Pending& pending, bool over) {
    Entry entry{pending.command, nullptr};
    Times times;
    if (over && times_of(pending, times)) {
      entry.command.timed = true;
      entry.command.start = static_cast<std::int64_t>(times.start);
      entry.command.end = static_cast<std::int64_t>(times.end);
      const auto queued = static_cast<std::int64_t>(times.queued);
      entry.alignment = &align(entry.command.device, pending.before - queued, pending.after - queued);
    }
    for (const auto& state : *pending.active) state->add(entry);
  }

  /// Reads the commands at the front that are over. `give_up`: of the others the times stay unknown.
  void drain(Track& track, bool give_up = false) {
    // Many more than a driver keeps before the runtime waits for it.
    constexpr std::size_t most_pending = 8192;
    while (!track.pending.empty()) {
      Pending& front = track.pending.front();
      cl_int status = CL_COMPLETE;
      const bool gone = base::drivers_gone();
      const bool told = !gone && front.event() != nullptr &&
                        clGetEventInfo(front.event(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                                       nullptr) == CL_SUCCESS;
      if (told && status > CL_COMPLETE && !give_up && track.pending.size() <= most_pending) return;
      finish(front, told && status == CL_COMPLETE);
      if (gone) front.event() = front.begin() = nullptr;
      track.pending.pop_front();
    }
  }
};

Recorder& recorder() {
  static constinit std::atomic<Recorder*> current{nullptr};
  Recorder* known = current.load(std::memory_order_acquire);
  while (known == nullptr || known->generation != base::process_generation()) {
    auto made = std::make_unique<Recorder>();
    if (current.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) known = made.release();
  }
  return *known;
}

/// The recorder for a recording of this process, locked.
struct Locked {
  explicit Locked(const Recording::State& state) : all(usable(state)), lock(all.mutex) {}

  static Recorder& usable(const Recording::State& state) {
    if (state.generation == base::process_generation()) return recorder();
    throw DeviceError(
        "[profile::Session] was made before this process was forked, and what it records is its parent's. Make another "
        "one after the fork");
  }

  Recorder& all;
  std::unique_lock<std::mutex> lock;
};

/// Runs what may lack memory, for callers who are not to be troubled by it.
template <class F>
void quietly(F f) noexcept {
  try {
    f();
  } catch (...) {  // no memory: it is left out
  }
}

std::uint64_t thread_number() noexcept {
  static constinit std::atomic<std::uint64_t> last{0};
  thread_local const std::uint64_t number = last.fetch_add(1, std::memory_order_relaxed);
  return number;
}

}  // namespace

Recording::Recording(std::size_t most) : state_(std::make_shared<State>(most)) {}

Recording::~Recording() {
  if (state_->generation == base::process_generation()) quietly([&] { stop(); });
}

void Recording::start() {
  const Locked locked(*state_);
  if (state_->running) return;
  auto more = std::make_shared<Active>(*locked.all.active);
  more->push_back(state_);
  locked.all.active = std::move(more);
  state_->running = true;
  state_->started = now();
  if (state_->origin == 0) state_->origin = state_->started;
  detail::recordings.fetch_add(1, std::memory_order_relaxed);
}

void Recording::stop() {
  std::vector<std::pair<::cl::CommandQueue, const DeviceTraits*>> busy;
  {
    const Locked locked(*state_);
    if (!state_->running) return;
    auto fewer = std::make_shared<Active>(*locked.all.active);
    std::erase(*fewer, state_);
    locked.all.active = std::move(fewer);
    state_->running = false;
    state_->elapsed += now() - state_->started;
    detail::recordings.fetch_sub(1, std::memory_order_relaxed);
    for (const auto& [handle, track] : locked.all.tracks) {
      if (!track.pending.empty()) busy.emplace_back(track.queue, track.device);
    }
  }
  for (const auto& [queue, device] : busy) {
    const base::HoldExit hold(device->quirks.calls_crash_at_exit);
    if (!hold.late() && !base::drivers_gone()) cl::finish(queue(), device->quirks);
  }
  const Locked locked(*state_);
  const bool last = locked.all.active->empty();
  for (auto& [handle, track] : locked.all.tracks) locked.all.drain(track, last);
  if (last && !base::drivers_gone()) locked.all.tracks.clear();
}

bool Recording::running() const {
  const Locked locked(*state_);
  return state_->running;
}

void Recording::clear() {
  const Locked locked(*state_);
  for (auto& [handle, track] : locked.all.tracks) locked.all.drain(track);
  state_->entries.clear();
  state_->spans.clear();
  state_->totals.clear();
  state_->left_out = 0;
  state_->elapsed = 0;
  state_->origin = state_->started = state_->running ? now() : 0;
}

std::vector<Recorded> Recording::commands() const {
  const Locked locked(*state_);
  for (auto& [handle, track] : locked.all.tracks) locked.all.drain(track);
  std::vector<Recorded> result;
  result.reserve(state_->entries.size());
  for (const Entry& entry : state_->entries) {
    Recorded& command = result.emplace_back(entry.command);
    if (!command.timed) continue;
    const std::int64_t shift = (entry.alignment != nullptr ? entry.alignment->offset() : 0) - state_->origin;
    const std::int64_t time = command.end - command.start;
    command.start = std::max<std::int64_t>(command.start + shift, 0);
    command.end = command.start + time;
  }
  return result;
}

std::vector<HostSpan> Recording::spans() const {
  const Locked locked(*state_);
  std::vector<HostSpan> result(state_->spans.begin(), state_->spans.end());
  for (HostSpan& span : result) {
    span.start = std::max<std::int64_t>(span.start - state_->origin, 0);
    span.end = std::max(span.start, span.end - state_->origin);
  }
  return result;
}

std::vector<Total> Recording::totals() const {
  const Locked locked(*state_);
  for (auto& [handle, track] : locked.all.tracks) locked.all.drain(track);
  std::vector<Total> result;
  for (const auto& [key, total] : state_->totals) result.push_back(total);
  std::sort(result.begin(), result.end(), [](const Total& a, const Total& b) {
    return std::tuple(b.nanoseconds, b.calls, a.name) < std::tuple(a.nanoseconds, a.calls, b.name);
  });
  return result;
}

std::uint64_t Recording::left_out() const {
  const Locked locked(*state_);
  return state_->left_out;
}

std::int64_t Recording::nanoseconds() const {
  const Locked locked(*state_);
  return state_->elapsed + (state_->running ? now() - state_->started : 0);
}

std::int64_t now() noexcept {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void know_queue(cl_command_queue queue, const DeviceTraits& device, std::size_t number) noexcept {
  quietly([&] {
    Recorder& all = recorder();
    const std::lock_guard lock(all.mutex);
    if (!all.tracks.contains(queue)) {
      all.tracks.emplace(queue, Track{::cl::CommandQueue(queue, true), &device, number, {}});
    }
  });
}

void record(cl_command_queue queue, cl_event event, const Command& command, std::int64_t before,
            cl_event begin) noexcept {
  const std::int64_t after = now();
  quietly([&] {
    Recorder& all = recorder();
    const std::lock_guard lock(all.mutex);
    const auto track = all.tracks.find(queue);
    if (track == all.tracks.end() || all.active->empty()) return;
    const std::string_view name = all.lasting(command.name);
    Track& known = track->second;
    known.pending.push_back({::cl::Event(event, true),
                             ::cl::Event(begin, true),
                             {known.device, known.number, command.kind, name, all.lasting(base::caller()), command.read,
                              command.written, false},
                             before,
                             after,
                             all.active});
    all.drain(known);
  });
}

void record_on_host(cl_command_queue queue, const Command& command, std::int64_t start) noexcept {
  const std::int64_t end = now();
  quietly([&] {
    Recorder& all = recorder();
    const std::lock_guard lock(all.mutex);
    const auto track = all.tracks.find(queue);
    if (track == all.tracks.end()) return;
    const Track& known = track->second;
    const Entry entry{{known.device, known.number, command.kind, all.lasting(command.name), all.lasting(base::caller()),
                       command.read, command.written, true, start, end},
                      nullptr};
    for (const auto& state : *all.active) state->add(entry);
  });
}

void SpanOfHost::end() noexcept {
  const std::int64_t end = now();
  quietly([&] {
    std::string name(what_);
    if (!about_.empty()) name += " " + std::string(about_);
    Recorder& all = recorder();
    const std::lock_guard lock(all.mutex);
    for (const auto& state : *all.active) {
      if (state->spans.size() < state->most) state->spans.push_back({name, thread_number(), start_, end});
    }
  });
}

}  // namespace koine::runtime
