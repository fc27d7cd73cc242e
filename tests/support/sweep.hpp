// SPDX-License-Identifier: Apache-2.0
// Fails each call of each step of the workload in its turn, and looks at what comes of it. A sweep is cut into
// processes: where one crashes or hangs, the place is known; where a device is lost, another takes over.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "support/child.hpp"
#include "support/fail_layer.hpp"
#include "support/files.hpp"
#include "support/host_memory.hpp"
#include "support/workload.hpp"

namespace koine::test {

/// Stands for CL codes where `operator new` is what fails.
constexpr int host_allocation = 1;

/// What fails: calls of a function, or of any, with a code.
struct Fault {
  const char* function;
  int code;
  bool for_good;  ///< from the place on, not there alone
};

constexpr int device_not_available = -2, allocation_failure = -4, out_of_resources = -5, out_of_host_memory = -6,
              build_failure = -11, invalid_binary = -42;

constexpr std::array faults = {
    Fault{any_function, allocation_failure, false},
    Fault{any_function, allocation_failure, true},
    Fault{any_function, out_of_resources, false},
    Fault{any_function, out_of_resources, true},
    Fault{any_function, out_of_host_memory, false},
    Fault{any_function, out_of_host_memory, true},
    Fault{any_function, device_not_available, false},
    Fault{any_function, device_not_available, true},
    Fault{"clBuildProgram", build_failure, false},
    Fault{"clBuildProgram", build_failure, true},
    Fault{"clCreateProgramWithBinary", invalid_binary, false},
    Fault{"clCreateProgramWithBinary", invalid_binary, true},
    Fault{"operator new", host_allocation, false},
    Fault{"operator new", host_allocation, true},
};

inline std::string text_of(const Fault& fault) {
  std::string text = fault.code == host_allocation ? "std::bad_alloc" : error_name(fault.code);
  if (std::string_view(fault.function) != any_function) text += " of " + std::string(fault.function);
  return text + (fault.for_good ? " from then on" : "");
}

/// How far a sweep is, and what it has done: in memory that outlives a process which crashes.
struct Progress {
  std::uint64_t fault, step, skip;  ///< under way, or next
  bool done;
  std::uint64_t injected[faults.size()];  ///< failures that calls or allocations had
  std::uint64_t trials, absorbed, thrown, lost;
};

/// A file that holds a Progress.
class ProgressFile {
 public:
  explicit ProgressFile(const std::filesystem::path& path) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT, 0600);
    REQUIRE(file >= 0);
    REQUIRE(ftruncate(file, sizeof(Progress)) == 0);
    void* const memory = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    REQUIRE(memory != MAP_FAILED);
    close(file);
    progress_ = static_cast<Progress*>(memory);
  }
  ~ProgressFile() { munmap(progress_, sizeof(Progress)); }
  ProgressFile(const ProgressFile&) = delete;
  ProgressFile& operator=(const ProgressFile&) = delete;

  Progress& operator*() const { return *progress_; }
  Progress* operator->() const { return progress_; }

 private:
  Progress* progress_;
};

/// One of the process' environment variables as a number.
inline std::uint64_t number_in(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 10) : otherwise;
}

inline bool set_in(const char* variable) { return number_in(variable, 0) != 0; }

/// Carries a sweep on, in a child. Which one it is comes by KOINE_TEST_* variables; see run_sweep().
class Sweep {
 public:
  Sweep(Progress& progress, const std::filesystem::path& folder)
      : progress_(progress), steps_(workload()), known_(steps_.size()), first_use_(steps_.size()) {
    site_.folder = folder;
    site_.two_queues = set_in("KOINE_TEST_TWO_QUEUES");
    fail_layer();
  }

  /// Until all is done or this process has had its share. What went wrong, the first of it; nothing if all is well.
  std::string run() {
    const auto start = std::chrono::steady_clock::now();
    std::string wrong;
    int wrongs = 0;
    for (; progress_.fault < faults.size(); ++progress_.fault, progress_.step = 0, progress_.skip = 0) {
      if (!wanted(faults[progress_.fault])) continue;
      for (; progress_.step < steps_.size(); ++progress_.step, progress_.skip = 0) {
        if (steps_[progress_.step].slow && !exhaustive()) continue;
        if (steps_[progress_.step].clblast && faults[progress_.fault].code == host_allocation) continue;
        if (step_ != nullptr && steps_[progress_.step].name != step_) continue;
        if (progress_.skip == 0) progress_.skip = (progress_.fault * 5 + progress_.step * 3 + offset_) % stride_;
        for (bool struck = true; struck; progress_.skip += stride_) {
          if (std::chrono::steady_clock::now() - start > std::chrono::seconds(60)) return wrong;
          alarm(90);  // whoever hangs is killed
          const bool ready = prepare();
          const std::string here = ready ? try_once(struck) : "";
          alarm(0);
          if (!ready) return wrong;  // no device is left
          if (!here.empty() && wrongs++ < 20) wrong += place() + ": " + here + "\n";
          if (fresh_ || lost_) settled_ = false;
        }
      }
    }
    progress_.done = true;
    return wrong;
  }

 private:
  struct State {
    Live live;
    std::uint64_t programs = 0, in_use = 0;
  };
  struct Outcome {
    std::string error;  ///< the message of what was thrown
    bool right = false, thrown = false, lost = false, no_memory = false;
  };

  bool wanted(const Fault& fault) const {
    const char* const which = std::getenv("KOINE_TEST_FAULTS");
    if (fault.code == host_allocation) return memory_can_fail && (which == nullptr || has(which, "host"));
    if (which != nullptr && !has(which, "calls")) return false;
    // What costs a device needs a fresh one each time, and programs are made on those alone.
    const bool first_use = fault.code == device_not_available || (fault.code == out_of_resources && fault.for_good) ||
                           fault.code == build_failure || fault.code == invalid_binary;
    return fresh_ || !first_use;
  }

  std::string place() const {
    return "step \"" + steps_[progress_.step].name + "\", " + text_of(faults[progress_.fault]) + ", after " +
           std::to_string(progress_.skip) + " that go well";
  }

  /// A device on which the step has never run, or has run before, as the sweep wants it.
  bool prepare() {
    const std::size_t step = progress_.step;
    if (!fresh_ && settled_ && ready_for_ == step) return true;
    if (known_[step].empty() && !first_use_[step]) {
      // What the step gives, and what it leaves behind, while nothing fails.
      if (!next_device()) return false;
      const State before = state();
      const Outcome outcome = attempt_anew();
      if (!outcome.right) throw std::runtime_error("without a fault: " + outcome.error);
      const State after = state();
      first_use_[step] = State{difference_of(before.live, after.live), after.programs - before.programs, 0};
    }
    if (fresh_) return next_device();
    if (!settled_ && !next_device()) return false;
    const Outcome outcome = attempt_anew();
    if (!outcome.right) throw std::runtime_error("before the fault: " + outcome.error);
    settled_ = true;
    ready_for_ = step;
    return true;
  }

  bool next_device() {
    static const std::vector<Device> all = devices();
    const std::size_t taken = std::min<std::size_t>(all.size(), 2);
    if (used_ + taken <= all.size()) {
      site_.device = all[used_];
      if (taken == 2) site_.other = all[used_ + 1];
      used_ += taken;
    } else if (fresh_ || lost_) {
      return false;  // another process begins anew
    }
    lost_ = false;
    return true;
  }

  /// Runs a step's body; `over` ends what makes calls fail, before anything is said about what came of it.
  template <class Over>
  Outcome attempt(const std::function<bool(Attempt&)>& body, Attempt& state, Over over) {
    Outcome outcome;
    std::exception_ptr thrown;
    {
      const DeviceScope scope(site_.device);
      state.begin();
      try {
        outcome.right = body(state);
      } catch (...) {
        thrown = std::current_exception();
      }
    }
    over();
    outcome.thrown = thrown != nullptr;
    if (!thrown) {
      if (!outcome.right) outcome.error = "wrong values";
      return outcome;
    }
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      outcome.lost = error.kind() == ErrorKind::DeviceLost;
      outcome.error = error.what();
    } catch (const std::bad_alloc&) {
      outcome.no_memory = true;
      outcome.error = "std::bad_alloc";
    } catch (const std::exception& error) {
      outcome.error = std::string("no koine::Error: ") + error.what();
    }
    return outcome;
  }

  Outcome attempt_anew() {
    const std::function<bool(Attempt&)> body = steps_[progress_.step].body;
    Attempt state(site_, known_[progress_.step]);
    return attempt(body, state, [] {});
  }

  /// Fails one place of a step. `struck` tells whether there was such a place.
  std::string try_once(bool& struck) {
    const Fault& fault = faults[progress_.fault];
    const State before = state();
    Outcome first, second;
    bool unmade = false;
    {
      const std::function<bool(Attempt&)> body = steps_[progress_.step].body;
      Attempt state(site_, known_[progress_.step]);
      const std::uint64_t count = fault.for_good ? always : 1;
      if (fault.code == host_allocation) {
        NoMemory none(progress_.skip, count, fail_layer().foreign);
        first = attempt(body, state, [&] { none.stop(); });
        failed_ = none.failed();
      } else {
        const Failing failing(fault.function, fault.code, count, progress_.skip);
        first = attempt(body, state, fail_layer().stop);
        failed_ = failing.failed();
      }
      struck = failed_ > 0;
      progress_.injected[progress_.fault] += failed_;
      progress_.trials += struck;
      progress_.absorbed += struck && first.right;
      progress_.thrown += first.thrown;
      if (first.right) {
        // It may have gone well by another way.
      } else if (!first.thrown) {
        return "wrong values";
      } else if (!struck) {
        return "an error without a fault: " + first.error;
      } else if (first.no_memory ? fault.code != host_allocation : !is_sentence(first.error)) {
        return "no sentence: " + first.error;
      }
      each_device([&](const Device& device) { unmade = unmade || !was_used(device); });
      if (first.thrown) second = attempt(body, state, [] {});
    }
    // Where the context itself did not come to be, nothing is lost for good.
    lost_ = first.lost && !(unmade && second.right);
    progress_.lost += lost_;
    if (lost_ && !(second.lost && has(second.error, "other devices work on"))) {
      return "a lost device that goes on after \"" + first.error + "\": " + second.error;
    }
    if (first.thrown && !first.lost && !second.right) {
      return "the second attempt, after \"" + first.error + "\": " + second.error;
    }
    return left_behind(before);
  }

  static bool is_sentence(std::string_view text) {
    const auto end = text.find("] ");
    return text.starts_with("[") && end != text.npos && text.size() > end + 10;
  }

  /// What is not given back, in words.
  std::string left_behind(const State& before) {
    std::string text;
    // Work in the background may hold things for a moment longer.
    for (int wait = 0; wait < 2000; ++wait) {
      if (wait > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      const State now = state();
      const Live grown = difference_of(before.live, now.live);
      Live most = fresh_ ? first_use_[progress_.step]->live : Live{};
      // Another way to the result may take other programs, which are kept, and whose kernels do not count.
      most.programs += now.programs - before.programs - (fresh_ ? first_use_[progress_.step]->programs : 0);
      text.clear();
      const auto check = [&](const char* what, std::uint64_t Live::*count) {
        const auto got = static_cast<std::int64_t>(grown.*count), limit = static_cast<std::int64_t>(most.*count);
        // A device that was lost, or never was all there, has less than one that works.
        if (lost_ ? got > limit : got != limit) {
          text += std::to_string(got) + " more " + what + ", expected " + std::to_string(limit) + "; ";
        }
      };
      check("memory objects", &Live::memory);
      check("events", &Live::events);
      check("programs", &Live::programs);
      check("kernels", &Live::kernels);
      check("queues", &Live::queues);
      check("contexts", &Live::contexts);
      if (now.in_use != before.in_use) text += "memory in use; ";
      if (text.empty()) return "";
    }
    return "left behind: " + text;
  }

  static Live difference_of(const Live& before, const Live& after) {
    return {after.memory - before.memory,   after.events - before.events, after.programs - before.programs,
            after.kernels - before.kernels, after.queues - before.queues, after.contexts - before.contexts};
  }

  template <class F>
  void each_device(F f) const {
    f(site_.device);
    if (site_.other) f(*site_.other);
  }

  /// When all work is over and the pools are empty.
  State state() const {
    State result;
    std::uint64_t staging_slots = 0, staging_events = 0, kept_kernels = 0;
    each_device([&](const Device& device) {
      if (!was_used(device)) return;
      finish_background(device);
      try {
        synchronize(device);
      } catch (const DeviceLost&) {
      }
      const MemoryStats stats = memory_stats(device);
      set_memory_limit(device, stats.in_use);
      set_memory_limit(device, stats.limit);
      result.in_use += stats.in_use;
      const Activity activity = activity_of(device);
      result.programs += activity.built + activity.loaded;
      staging_slots += activity.staging_slots;
      staging_events += activity.staging_events;
      kept_kernels += activity.idle_kernels;
    });
    result.live = fail_layer().live();
    // How many a transfer takes is a matter of time; Staging has a limit for them.
    result.live.memory -= staging_slots;
    result.live.events -= staging_events;
    result.live.kernels -= kept_kernels;
    // A recording keeps those of commands that it has not read yet.
    if (std::getenv("KOINE_PROFILE") != nullptr) result.live.events = 0;
    return result;
  }

  Progress& progress_;
  const std::uint64_t stride_ = number_in("KOINE_TEST_STRIDE", 1), offset_ = number_in("KOINE_TEST_OFFSET", 0);
  const bool fresh_ = set_in("KOINE_TEST_FRESH");
  const char* const step_ = std::getenv("KOINE_TEST_STEP");
  Site site_{default_device(), {}, false, {}};
  std::vector<Step> steps_;
  std::vector<std::vector<Attempt::Values>> known_;
  std::vector<std::optional<State>> first_use_;
  std::size_t used_ = 0, ready_for_ = 0;
  std::uint64_t failed_ = 0;
  bool settled_ = false, lost_ = false;
};

/// What the parent of a sweep's children learns.
struct Swept {
  Progress progress{};
  std::uint64_t processes = 0;
  std::string wrong;
};

/// Runs the sweep that `changes` describe: KOINE_TEST_FRESH=1 for a device of its own for each place, KOINE_TEST_STRIDE
/// to look at every so many places from KOINE_TEST_OFFSET on, KOINE_TEST_TWO_QUEUES=1, KOINE_TEST_FAULTS=calls or host,
/// KOINE_TEST_STEP for one step alone, and the library's own. KOINE_TEST_EXHAUSTIVE=1 takes the slow steps in.
inline Swept run_sweep(const std::string& child, Changes changes) {
  const TemporaryFolder folder;
  const ProgressFile progress(folder.path() / "progress");
  changes.emplace_back("KOINE_TEST_FOLDER", folder.path().string());
  Swept swept;
  while (!progress->done) {
    const std::array before{progress->fault, progress->step, progress->skip};
    const Ended ended = run_child(child, changes);
    ++swept.processes;
    swept.progress = *progress;
    const std::array after{progress->fault, progress->step, progress->skip};
    const bool stuck = !progress->done && after == before;
    if (ended.status == 0 && !stuck) continue;
    const std::size_t fault = std::min<std::size_t>(progress->fault, faults.size() - 1);
    swept.wrong = (stuck && ended.status == 0 ? "no progress" : "status " + std::to_string(ended.status)) + " at " +
                  text_of(faults[fault]) + ", step " + std::to_string(progress->step) + ", place " +
                  std::to_string(progress->skip) + "\n" + ended.report + ended.err + ended.out;
    break;
  }
  swept.progress = *progress;
  return swept;
}

}  // namespace koine::test
