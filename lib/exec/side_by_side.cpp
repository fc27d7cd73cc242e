// SPDX-License-Identifier: Apache-2.0
// Launching kernels/side_by_side.cl, and what is kept of a device.
#include "exec/side_by_side.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/first_use.hpp"
#include "device/warps.hpp"
#include "exec/trial.hpp"
#include "runtime/kernel_sources.hpp"
#include "runtime/launch.hpp"

namespace koine::exec {
namespace {

constexpr const char* kernel_name = "side_by_side";

/// Finds out whether so many groups run at the same time.
void try_groups(runtime::Queue& queue, std::uint64_t groups) {
  const runtime::ProgramText text{std::string(runtime::kernel_source(kernel_name)), "", kernel_name, kernel_name};
  try_out(queue, kernel_name, text, [&](const runtime::KernelRef& kernel) {
    constexpr std::size_t items = 64;
    std::vector<std::uint32_t> met(groups);
    const std::uint64_t bytes = groups * sizeof(met[0]);
    const runtime::BufferRef come = queue.allocate(sizeof(met[0]), "linalg"), out = queue.allocate(bytes, "linalg");
    queue.fill_zero(*come, 0, sizeof(met[0]), "linalg");
    {
      runtime::Launch launch(queue, kernel);
      launch.out(*come).out(*out).run({groups * items}, {items});
    }
    queue.read(*out, 0, met.data(), bytes, "linalg");
    return std::all_of(met.begin(), met.end(), [](std::uint32_t one) { return one == 1; });
  });
}

/// Those of this process; contexts live as long.
struct Devices {
  std::mutex mutex;
  std::map<const runtime::Context*, std::unique_ptr<SideBySide>> known;
};
constinit base::FirstUse<Devices> devices;

}  // namespace

Warps::Warps(const DeviceTraits& traits) {
  if (has_warps(traits)) lanes = 32;
  if (has_redux(traits)) redux = 1;
}

SideBySide* SideBySide::of(Programs& programs, runtime::Queue& queue) {
  constexpr std::uint64_t most = 32;  // KN_MOST_GROUPS of lu_spread.cl and qr_spread.cl
  const DeviceTraits& traits = queue.traits();
  const std::uint64_t groups = std::min<std::uint64_t>(most, traits.compute_units / 4);
  if (!has_warps(traits) || traits.cpu_loops() || groups < 2) return nullptr;
  const std::optional<bool> verdict = trial_verdict(queue.context(), kernel_name);
  if (!verdict && programs.need("trial of side_by_side", [&queue, groups] { try_groups(queue, groups); })) {
    return nullptr;
  }
  if (!verdict.value_or(true)) return nullptr;
  Devices& all = devices.get();
  const std::lock_guard lock(all.mutex);
  std::unique_ptr<SideBySide>& own = all.known[&queue.context()];
  if (!own) own = std::make_unique<SideBySide>(groups);
  return own.get();
}

SideBySide::Told SideBySide::told(runtime::Queue& queue, std::uint64_t numbers) {
  constexpr std::uint64_t bytes = words * sizeof(std::uint64_t);
  // They have 32 bits. What is under way elsewhere has numbers that do not come again soon.
  if (!memory_ || next_ + numbers > std::numeric_limits<std::uint32_t>::max()) {
    if (!memory_) memory_ = queue.allocate(bytes, "linalg");
    queue.fill_zero(*memory_, 0, bytes, "linalg");
    next_ = 1;
  }
  const std::uint64_t first = next_;
  next_ += numbers;
  return {*memory_, first};
}

}  // namespace koine::exec
