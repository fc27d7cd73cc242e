// SPDX-License-Identifier: Apache-2.0
// KOINE_LOG: lines on stderr about chosen topics; silent unless asked.
#pragma once

#include <string_view>

namespace koine::base {

enum class LogTopic : unsigned { device = 1, jit = 2, memory = 4, launch = 8 };

/// The topics, as bits, that a value of KOINE_LOG names: words between commas. Throws ValueError for what is none.
unsigned log_topics(std::string_view value);
/// Those that KOINE_LOG names now. The others here take a malformed one for none: they may not throw.
unsigned log_topics_of_environment();

/// Whether KOINE_LOG names this topic (or "all"). Ask before formatting a line.
bool log_enabled(LogTopic topic) noexcept;
/// Whether it names any.
bool log_enabled_at_all() noexcept;

/// Writes one line, if the topic is on; behind it who asked for it (caller.hpp), where the thread knows.
void log_line(LogTopic topic, std::string_view line) noexcept;

}  // namespace koine::base
