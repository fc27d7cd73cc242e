// SPDX-License-Identifier: Apache-2.0
// The public profiler.
#include <koine/array.hpp>
#include <koine/creation.hpp>
#include <koine/elementwise.hpp>
#include <koine/profile.hpp>
#include <koine/queue.hpp>

#include <algorithm>

#include "base/files.hpp"
#include "base/named_call.hpp"
#include "cl/discovery.hpp"
#include "runtime/bandwidth.hpp"
#include "runtime/context.hpp"
#include "runtime/profile_text.hpp"

namespace koine::profile {

namespace {

Device device_of(const DeviceTraits* traits) {
  const auto& all = cl::all_devices();
  return Device(**std::find_if(all.begin(), all.end(), [&](const auto* entry) { return &entry->traits == traits; }));
}

Kind kind_of(runtime::Command::Kind kind) { return static_cast<Kind>(kind); }

double seconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e9; }

}  // namespace

const char* to_string(Kind kind) noexcept { return runtime::word_of(static_cast<runtime::Command::Kind>(kind)).data(); }

Session::Session(const SessionOptions& options)
    : recording_(std::make_shared<runtime::Recording>(options.max_commands)) {
  if (options.start) start();
}

Session::~Session() = default;

void Session::start() { recording_->start(); }
void Session::stop() { recording_->stop(); }
bool Session::running() const { return recording_->running(); }
void Session::clear() { recording_->clear(); }

std::vector<Row> Session::rows() const {
  const std::vector<runtime::Total> totals = recording_->totals();
  std::vector<Row> rows;
  for (const runtime::Total& total : totals) {
    std::int64_t all = 0;
    for (const runtime::Total& each : totals) all += each.device == total.device ? each.nanoseconds : 0;
    const double share = all > 0 ? static_cast<double>(total.nanoseconds) / static_cast<double>(all) : 0;
    rows.push_back({std::string(total.name), kind_of(total.kind), device_of(total.device), total.calls,
                    seconds(total.nanoseconds), share, total.read, total.written});
  }
  return rows;
}

std::vector<Command> Session::commands() const {
  std::vector<Command> commands;
  for (const runtime::Recorded& each : recording_->commands()) {
    commands.push_back({std::string(each.name), kind_of(each.kind), device_of(each.device),
                        runtime::queue_name(each.queue), seconds(each.start), seconds(each.end), each.timed, each.read,
                        each.written});
  }
  return commands;
}

std::string Session::table() const { return runtime::table_of(*recording_); }
std::string Session::trace() const { return runtime::trace_of(*recording_); }

void Session::save_trace(const std::string& path) const {
  base::check_path(path, "save_trace");
  base::write_file(path, trace(), "save_trace");
}

double bandwidth(const Device& device) {
  const DeviceTraits& traits = device.record().traits;
  if (const double known = runtime::known_bandwidth(traits); known > 0) return known;
  const base::NamedCall call("bandwidth");
  // Many times what caches hold, and little of the memory.
  constexpr std::uint64_t most = std::uint64_t{256} << 20;
  const std::uint64_t bytes = std::min({most, traits.memory / 32, traits.max_allocation / 2});
  const Queue own(device);  // the driver may tell no times of one whose handle other code has
  const QueueScope scope(own);
  const Array x = ones({static_cast<std::int64_t>(bytes / sizeof(float))}).eval();
  (x + 1).eval();
  synchronize(device);
  Session session;
  for (int time = 0; time < 5; ++time) (x + 1).eval();
  session.stop();
  double best = 0;
  for (const Command& command : session.commands()) {
    if (command.kind != Kind::kernel || command.device != device || !command.timed || command.end <= command.start)
      continue;
    const auto moved = static_cast<double>(command.bytes_read + command.bytes_written);
    best = std::max(best, moved / (command.end - command.start));
  }
  if (best == 0) throw DeviceError("[bandwidth] the driver of " + traits.selector + " tells no times of kernels");
  runtime::remember_bandwidth(traits, best);
  return best;
}

}  // namespace koine::profile
