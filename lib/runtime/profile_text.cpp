// SPDX-License-Identifier: Apache-2.0
// The table and the trace of a recording.
#include "runtime/profile_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <set>
#include <vector>

#include "base/json.hpp"
#include "base/text.hpp"
#include "runtime/bandwidth.hpp"

namespace koine::runtime {

namespace {

/// printf into a string.
template <class... Values>
std::string text(const char* format, Values... values) {
  std::array<char, 64> line{};
  std::snprintf(line.data(), line.size(), format, values...);
  return line.data();
}

std::string time_text(double nanoseconds) {
  if (nanoseconds < 1e3) return text("%.0f ns", nanoseconds);
  if (nanoseconds < 1e6) return text("%.1f us", nanoseconds / 1e3);
  if (nanoseconds < 1e9) return text("%.2f ms", nanoseconds / 1e6);
  return text("%.3f s", nanoseconds / 1e9);
}

using Cells = std::array<std::string, 8>;

/// The first column to the left, the others to the right.
std::string lines_of(const std::vector<Cells>& rows) {
  std::array<std::size_t, 8> widths{};
  for (const Cells& row : rows) {
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
  }
  std::string result;
  for (const Cells& row : rows) {
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::string blank(widths[k] - row[k].size(), ' ');
      result += "  " + (k == 0 ? row[k] + blank : blank + row[k]);
    }
    result.erase(result.find_last_not_of(' ') + 1);
    result += '\n';
  }
  return result;
}

Cells cells_of(const Total& total, std::int64_t all, double bandwidth) {
  const auto time = static_cast<double>(total.nanoseconds);
  Cells cells{std::string(total.name),
              std::to_string(total.calls),
              "-",
              "-",
              "-",
              base::bytes_text(total.read + total.written),
              "-",
              "-"};
  if (total.timed == 0) return cells;
  const double rate = time > 0 ? static_cast<double>(total.timed_bytes) / time : 0;  // bytes in a nanosecond: GB/s
  const bool transfer = total.kind == Command::Kind::upload || total.kind == Command::Kind::download;
  cells[2] = time_text(time);
  cells[3] = time_text(time / static_cast<double>(total.timed));
  cells[4] = text("%.1f%%", all > 0 ? 100 * time / static_cast<double>(all) : 0);
  cells[6] = text("%.1f", rate);
  if (bandwidth > 0 && !transfer) cells[7] = text("%.0f%%", 100 * rate * 1e9 / bandwidth);
  return cells;
}

std::string table_of(const DeviceTraits& device, const std::vector<Total>& totals) {
  const double bandwidth = known_bandwidth(device);
  std::int64_t all = 0;
  std::uint64_t calls = 0, untimed = 0;
  for (const Total& total : totals) {
    all += total.nanoseconds;
    calls += total.calls;
    untimed += total.calls - total.timed;
  }
  std::vector<Cells> rows = {{"name", "calls", "total", "mean", "share", "bytes", "GB/s", "of peak"}};
  for (const Total& total : totals) rows.push_back(cells_of(total, all, bandwidth));
  std::string result = device.selector + " (" + device.name + "): " + std::to_string(calls) + " commands, " +
                       time_text(static_cast<double>(all)) + "\n" + lines_of(rows);
  if (untimed > 0) {
    result += "  The driver told no times of " + std::to_string(untimed) + " of them; they are in no time above.\n";
  }
  return result + "  " + bandwidth_text(device) + "\n";
}

std::string microseconds(std::int64_t nanoseconds) { return text("%.3f", static_cast<double>(nanoseconds) / 1e3); }

/// Numbers of processes and threads, as the format calls them: devices and their queues, and the host's threads.
class Tracks {
 public:
  std::string of(const Recorded& command) {
    const auto [process, fresh] = processes_.emplace(command.device, processes_.size() + 1);
    if (fresh) name(process->second, -1, command.device->selector + " (" + command.device->name + ")");
    const bool transfer = command.kind != Command::Kind::kernel;
    const std::size_t thread = command.queue == Recorded::beside ? 0 : 2 * command.queue + (transfer ? 2 : 1);
    const bool apart = transfer && command.queue != Recorded::beside;
    return numbers(process->second, static_cast<std::int64_t>(thread),
                   queue_name(command.queue) + (apart ? ", transfers" : ""));
  }
  std::string of(const HostSpan& span) {
    name(0, -1, "host");
    return numbers(0, static_cast<std::int64_t>(span.thread), "thread " + std::to_string(span.thread));
  }
  const std::string& names() const { return names_; }

 private:
  std::string numbers(std::size_t process, std::int64_t thread, const std::string& text) {
    name(process, thread, text);
    return "\"pid\":" + std::to_string(process) + ",\"tid\":" + std::to_string(thread);
  }
  /// Of a process where there is no thread.
  void name(std::size_t process, std::int64_t thread, const std::string& text) {
    if (!named_.emplace(process, thread).second) return;
    names_ += std::string("{\"ph\":\"M\",\"name\":") + (thread < 0 ? "\"process_name\"" : "\"thread_name\"") +
              ",\"pid\":" + std::to_string(process) + ",\"tid\":" + std::to_string(std::max<std::int64_t>(thread, 0)) +
              ",\"args\":{\"name\":" + base::json_text(text) + "}},\n";
  }

  std::map<const DeviceTraits*, std::size_t> processes_;
  std::set<std::pair<std::size_t, std::int64_t>> named_;
  std::string names_;
};

std::string event(std::string_view name, std::string_view kind, const std::string& track, std::int64_t start,
                  std::int64_t end, const std::string& more = "") {
  return "{\"ph\":\"X\",\"name\":" + base::json_text(name) + ",\"cat\":" + base::json_text(kind) + "," + track +
         ",\"ts\":" + microseconds(start) + ",\"dur\":" + microseconds(end - start) + more + "},\n";
}

}  // namespace

std::string_view word_of(Command::Kind kind) noexcept {
  switch (kind) {
    case Command::Kind::kernel: return "kernel";
    case Command::Kind::upload: return "host to device";
    case Command::Kind::download: return "device to host";
    case Command::Kind::copy: return "copy";
    case Command::Kind::fill: return "fill";
  }
  return "";
}

std::string queue_name(std::size_t number) {
  return number == Recorded::beside ? "reads beside the queues" : "queue " + std::to_string(number);
}

std::string table_of(const Recording& recording) {
  std::map<std::string, std::vector<Total>> devices;
  for (const Total& total : recording.totals()) devices[total.device->selector].push_back(total);
  std::string result =
      "recorded for " + time_text(static_cast<double>(recording.nanoseconds())) + " of the host's time\n";
  for (const auto& [selector, totals] : devices) result += table_of(*totals.front().device, totals);
  return result;
}

std::string trace_of(const Recording& recording) {
  Tracks tracks;
  std::string events;
  for (const HostSpan& span : recording.spans()) {
    events += event(span.name, "host", tracks.of(span), span.start, span.end);
  }
  for (const Recorded& command : recording.commands()) {
    if (!command.timed) continue;
    std::string more = ",\"args\":{\"bytes read\":" + std::to_string(command.read) +
                       ",\"bytes written\":" + std::to_string(command.written);
    if (!command.caller.empty()) more += ",\"asked by\":" + base::json_text(command.caller);
    events += event(command.name, word_of(command.kind), tracks.of(command), command.start, command.end, more + "}");
  }
  std::string all = tracks.names() + events;
  if (all.ends_with(",\n")) all.erase(all.size() - 2, 1);
  return "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"events left out\":" + std::to_string(recording.left_out()) +
         "},\"traceEvents\":[\n" + all + "]}\n";
}

}  // namespace koine::runtime
