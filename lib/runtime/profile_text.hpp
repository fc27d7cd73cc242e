// SPDX-License-Identifier: Apache-2.0
// What was recorded, as a table for people and as a trace for chrome://tracing and Perfetto.
#pragma once

#include <string>
#include <string_view>

#include "runtime/recorder.hpp"

namespace koine::runtime {

/// "kernel", "host to device", "device to host", "copy", "fill".
std::string_view word_of(Command::Kind kind) noexcept;
/// "queue 0".
std::string queue_name(std::size_t number);
/// A line for each name, device by device, those that took longest first.
std::string table_of(const Recording& recording);
/// Chrome's trace event format, in JSON.
std::string trace_of(const Recording& recording);

}  // namespace koine::runtime
