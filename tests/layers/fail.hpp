// SPDX-License-Identifier: Apache-2.0
// What tests/layers/fail.cpp offers the process that it is loaded into: failures on demand, and counts.
#pragma once

#include <cstdint>

namespace koine::test {

/// The memory objects that were made through the layer and are not released yet.
struct LiveMemory {
  std::uint64_t objects = 0, bytes = 0;
  std::uint64_t most_objects = 0, most_bytes = 0;  ///< since the last reset_peak()
};

/// Functions are given by name, such as "clCreateBuffer". Everything may be called from any thread.
struct FailLayer {
  /// Lets `skip` more calls of a function through and then fails `count` of them with `code`. A second order for the
  /// same function replaces the first. False if the layer does not sit before this function.
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
  void (*reset_peak)();
  /// The names of all functions that can fail; the last is null.
  const char* const* functions;
};

/// The one symbol that the layer exports beside OpenCL's two.
constexpr const char* fail_layer_symbol = "koine_fail_layer";

}  // namespace koine::test
