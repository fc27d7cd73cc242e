// SPDX-License-Identifier: Apache-2.0
// Counts the lines of /proc/self/maps, less often where there are many.
#include "runtime/program_room.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "base/files.hpp"
#include "base/log.hpp"
#include "koine/error.hpp"

namespace koine::runtime {

namespace {

// A sixteenth of all is left to the rest of the process, and to the programs until all are counted again.
constexpr std::uint64_t reserved_share = 16;
// For so many the count takes a millisecond, a hundredth of what a compiler does.
constexpr std::uint64_t counted_each_time = 2048;

struct Mappings {
  std::uint64_t taken, all;
};

/// None where the system does not say.
std::optional<Mappings> count() {
  try {
    const std::string maps = base::read_file("/proc/self/maps", "eval");
    return Mappings{static_cast<std::uint64_t>(std::count(maps.begin(), maps.end(), '\n')),
                    std::stoull(base::read_file("/proc/sys/vm/max_map_count", "eval"))};
  } catch (const IoError&) {
  } catch (const std::logic_error&) {  // not a number
  }
  return std::nullopt;
}

}  // namespace

void ProgramRoom::take() {
  if (!traits_.quirks.programs_stay_mapped) return;
  const std::lock_guard lock(mutex_);
  if (uncounted_ > 0) {
    --uncounted_;
    return;
  }
  const auto mappings = count();
  if (!mappings) return;
  const auto [taken, all] = *mappings;
  const std::uint64_t left = all - std::min(taken, all);
  const auto text = [&, taken = taken, all = all] {
    return "the driver of " + traits_.selector + " (" + traits_.name +
           ") never gives back what it maps for a program, and of the " + std::to_string(all) +
           " mappings that a process may have (vm.max_map_count), " + std::to_string(taken) + " are taken";
  };
  if (told_left_ == 0) told_left_ = all;
  if (left <= told_left_ / 2) {
    told_left_ = left;
    base::log_line(base::LogTopic::jit, text());
  }
  if (left < all / reserved_share) {
    throw OutOfMemory("[eval] " + text() +
                      ". What was compiled before works on; for more kernels start a new process, or raise the number "
                      "(sysctl -w vm.max_map_count=" +
                      std::to_string(all * 4) +
                      "). Kernels that are let go and made again count anew: KOINE_PROGRAM_LIMIT keeps more of them");
  }
  uncounted_ = taken / counted_each_time;
}

}  // namespace koine::runtime
