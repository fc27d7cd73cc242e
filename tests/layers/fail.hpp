// SPDX-License-Identifier: Apache-2.0
// What tests/layers/fail.cpp offers the process that it is loaded into: failures on demand, and counts.
#pragma once

#include <cstdint>

namespace koine::test {

/// The objects that were made through the layer and are not released yet.
struct Live {
  std::uint64_t memory = 0, events = 0, programs = 0, kernels = 0, queues = 0, contexts = 0;
  bool operator==(const Live&) const = default;
};

/// The memory among them.
struct LiveMemory {
  std::uint64_t objects = 0, bytes = 0;
  std::uint64_t most_objects = 0, most_bytes = 0;  ///< since the last reset_peak()
};

/// Stands for every function that can fail.
constexpr const char* any_function = "*";

/// Functions are given by name, such as "clCreateBuffer", or as any_function. Everything may be called from any thread.
struct FailLayer {
  /// Lets `skip` more calls of a function through and then fails `count` of them with `code`. A second order for the
  /// same function replaces the first. False if the layer does not sit before this function. The environment variable
  /// KOINE_FAIL_LAYER="skip:count:code" is such an order for any function from the process' first call on.
  bool (*fail)(const char* function, std::uint64_t skip, std::uint64_t count, int code);
  /// Ends all failures.
  void (*stop)();
  /// Calls of a function since the process began, failed ones included.
  std::uint64_t (*calls)(const char* function);
  /// Calls of all functions that failed by order since the process began.
  std::uint64_t (*failed)();
  LiveMemory (*memory)();
  /// The events that commands gave out through the layer and that are not released yet.
  std::uint64_t (*events)();
  Live (*live)();
  void (*reset_peak)();
  /// Whether what this thread does now is the driver's doing: it is inside a call, or has never made one.
  bool (*foreign)();
  /// The names of all functions that can fail; the last is null.
  const char* const* functions;
};

/// The one symbol that the layer exports beside OpenCL's two.
constexpr const char* fail_layer_symbol = "koine_fail_layer";

}  // namespace koine::test
