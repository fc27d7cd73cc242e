// SPDX-License-Identifier: Apache-2.0
// What the device does, command by command, for those who asked for it (profile::Session, KOINE_PROFILE): names, bytes,
// and the times that the device's clock gives.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cl/opencl.hpp"
#include "device/traits.hpp"

namespace koine::runtime {

/// What a command is.
struct Command {
  enum class Kind : std::uint8_t { kernel, upload, download, copy, fill };

  Kind kind;
  std::string_view name;
  std::uint64_t read = 0, written = 0;  ///< bytes of the device's memory
  bool several = false;                 ///< several kernels of another library, of which only the last has an event
};

inline Command copied(std::uint64_t bytes) { return {Command::Kind::copy, "copy", bytes, bytes}; }
inline Command filled(std::uint64_t bytes) { return {Command::Kind::fill, "fill", 0, bytes}; }
inline Command uploaded(std::uint64_t bytes) { return {Command::Kind::upload, "host to device", 0, bytes}; }
inline Command downloaded(std::uint64_t bytes) { return {Command::Kind::download, "device to host", bytes, 0}; }

/// A command that is over. Times are nanoseconds since the recording began, by the host's clock.
struct Recorded {
  const DeviceTraits* device;
  std::size_t queue;  ///< its number; `beside` for reads on a queue of their own
  Command::Kind kind;
  std::string_view name;    ///< lasts as long as the process
  std::string_view caller;  ///< who asked for it (base/caller.hpp), else empty; lasts as long
  std::uint64_t read, written;
  bool timed;  ///< whether the driver told the times
  std::int64_t start = 0, end = 0;

  static constexpr std::size_t beside = ~std::size_t{0};
};

/// What the host did meanwhile: "plan", "compile add_mul_f32".
struct HostSpan {
  std::string name;
  std::uint64_t thread;
  std::int64_t start, end;
};

/// All commands of one name, kind and device.
struct Total {
  const DeviceTraits* device;
  Command::Kind kind;
  std::string_view name;
  std::uint64_t calls = 0, timed = 0;
  std::uint64_t read = 0, written = 0;        ///< of all calls
  std::uint64_t timed_bytes = 0;              ///< read and written by those whose times are known
  std::int64_t nanoseconds = 0, longest = 0;  ///< of those
};

/// Collects commands between start() and stop(), any number of times. Several may run at once, and each gets all
/// commands. Thread-safe. What the child of a fork does with its parent's is a DeviceError.
class Recording {
 public:
  /// Keeps the times of single commands up to that many; totals go on.
  explicit Recording(std::size_t most);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  void start();
  /// Waits for the commands that were recorded.
  void stop();
  bool running() const;
  void clear();

  /// What is over so far; the device's work goes on meanwhile.
  std::vector<Recorded> commands() const;
  std::vector<HostSpan> spans() const;
  std::vector<Total> totals() const;  ///< longest together first
  std::uint64_t left_out() const;     ///< commands past `most`, which totals() have
  /// Nanoseconds between start() and stop(), or now, all in all.
  std::int64_t nanoseconds() const;

  struct State;

 private:
  std::shared_ptr<State> state_;
};

namespace detail {
inline constinit std::atomic<int> recordings{0};
}

/// Whether somebody records: all that a command costs otherwise.
inline bool recording() noexcept { return detail::recordings.load(std::memory_order_relaxed) > 0; }

// What the runtime tells the recordings. None of it fails: what cannot be recorded is left out, or has no times.

/// By the host's clock.
std::int64_t now() noexcept;
/// Commands on this OpenCL queue belong to queue `number` of the device.
void know_queue(cl_command_queue queue, const DeviceTraits& device, std::size_t number) noexcept;
/// A command was enqueued, between two times; `begin`, if there is one, is a marker before the first of several. A
/// queue that is not known is passed over.
void record(cl_command_queue queue, cl_event event, const Command& command, std::int64_t before,
            cl_event begin = nullptr) noexcept;
/// The host did a command itself, in memory that it shares with the device, since `start`.
void record_on_host(cl_command_queue queue, const Command& command, std::int64_t start) noexcept;

/// Enqueues by `enqueue(cl_event*)`, which gives OpenCL's code, and records that.
template <class Enqueue>
cl_int recorded(cl_command_queue queue, const Command& command, Enqueue enqueue) {
  if (!recording()) return enqueue(nullptr);
  cl_event event = nullptr;
  const std::int64_t before = now();
  const cl_int code = enqueue(&event);
  if (code == CL_SUCCESS) record(queue, event, command, before);
  if (event != nullptr) clReleaseEvent(event);
  return code;
}

/// A span of the host's from its making to its end.
class SpanOfHost {
 public:
  explicit SpanOfHost(std::string_view what, std::string_view about = {}) noexcept
      : what_(what), about_(about), start_(recording() ? now() : -1) {}
  ~SpanOfHost() {
    if (start_ >= 0) end();
  }
  SpanOfHost(const SpanOfHost&) = delete;
  SpanOfHost& operator=(const SpanOfHost&) = delete;

 private:
  void end() noexcept;

  std::string_view what_, about_;
  std::int64_t start_;
};

/// Starts what KOINE_PROFILE asks for, once; the end of the process writes it. Called when a device is first used.
void record_as_environment_says();

}  // namespace koine::runtime
