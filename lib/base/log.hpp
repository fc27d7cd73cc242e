// SPDX-License-Identifier: Apache-2.0
// KOINE_LOG: lines on stderr about chosen topics; silent unless asked.
#pragma once

#include <string_view>

namespace koine::base {

enum class LogTopic : unsigned { device = 1, jit = 2, memory = 4, launch = 8 };

/// The topics, as bits, that a value of KOINE_LOG names: words between commas; what is none is passed over.
unsigned log_topics(std::string_view value);

/// Whether KOINE_LOG names this topic (or "all"). Ask before formatting a line.
bool log_enabled(LogTopic topic) noexcept;

/// Writes one line, if the topic is on.
void log_line(LogTopic topic, std::string_view line) noexcept;

}  // namespace koine::base
