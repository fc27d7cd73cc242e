// SPDX-License-Identifier: Apache-2.0
// What the devices do, and how long: a table of kernels and transfers, and a trace for chrome://tracing and Perfetto.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "koine/device.hpp"
#include "koine/export.hpp"
#include "koine/options.hpp"

namespace koine::runtime {
class Recording;
}

namespace koine::profile {

/// What a device was asked to do: run a kernel, take bytes from the host, give it some, copy or fill memory of its own.
enum class Kind { kernel, upload, download, copy, fill };

/// "kernel", "host to device", "device to host", "copy" or "fill".
KOINE_API const char* to_string(Kind kind) noexcept;

/// One command of a device. Times are in seconds since the session began, by the host's clock.
struct Command {
  std::string name;  ///< the kernel's, as KOINE_LOG=launch writes it; of others what to_string() gives
  Kind kind;
  Device device;
  std::string queue;            ///< "queue 0" is the default one
  double start, end;            ///< on the device
  bool timed;                   ///< whether the driver told the times; they are 0 otherwise
  std::uint64_t bytes_read;     ///< of the device's memory
  std::uint64_t bytes_written;  ///< of the device's memory
};

/// All commands of one name and kind on one device.
struct Row {
  std::string name;
  Kind kind;
  Device device;
  std::uint64_t calls;
  double seconds;               ///< that they took on the device, together
  double share;                 ///< of the time of all commands of the device, 0 to 1
  std::uint64_t bytes_read;     ///< by all of them
  std::uint64_t bytes_written;  ///< by all of them
};

/// Options of Session: how many commands it keeps one by one, for commands() and trace() (64 bytes each; rows() and
/// table() count those past them as well), and whether it starts at once.
struct SessionOptions {
  koine::detail::Named names_only = koine::detail::named;
  std::size_t max_commands = 1'000'000;
  bool start = true;
};

/// Records every kernel and transfer that any thread submits to any device while it runs, with the times of the
/// devices' own clocks. It starts when it is made, unless the options say otherwise, and stops with its end. Several
/// may run at once, one inside the other or not; each gets all commands. Safe to use from several threads. Work is
/// recorded when it is submitted: arrays that are pending when the session stops are not part of it.
///
/// All functions throw DeviceError in the child of a fork whose parent made the session.
class KOINE_API Session {
 public:
  explicit Session(const SessionOptions& options = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Goes on recording after a stop(); what was recorded before stays. Nothing happens if it runs.
  void start();
  /// Waits until the commands that were recorded are done. Nothing happens if it does not run.
  void stop();
  bool running() const;
  /// Forgets what was recorded. If it runs, it goes on, and times count from now.
  void clear();

  /// What is recorded, those that took longest first. While the session runs: of the commands that are done.
  std::vector<Row> rows() const;
  /// Each command, in the order in which they were done on each queue.
  std::vector<Command> commands() const;
  /// rows() as a table: name, calls, total and mean time, share, bytes, GB/s, and what part of the bandwidth of the
  /// device's memory that is, if bandwidth() has measured it.
  std::string table() const;
  /// commands() in Chrome's trace event format, with a track for each queue, another for its transfers, and spans of
  /// the host for planning and for programs that are compiled or loaded.
  std::string trace() const;
  /// Writes trace() to a file. IoError if it cannot be written.
  void save_trace(const std::string& path) const;

 private:
  std::shared_ptr<runtime::Recording> recording_;
};

/// The bandwidth of a device's memory in bytes per second, as a large `x + 1` reads and writes it. Measured once for a
/// device and its driver, which takes a fraction of a second; then known to this process and, through the folder of
/// compiled programs (KOINE_CACHE), to later ones. Session::table() and explain() compare with it. OutOfMemory if there
/// is no room for two arrays of a 32nd of the device's memory.
KOINE_API double bandwidth(const Device& device = default_device());

}  // namespace koine::profile
