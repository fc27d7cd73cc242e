// SPDX-License-Identifier: Apache-2.0
// Reads KOINE_LOG once and writes lines whole, so that threads do not mix theirs.
#include "base/log.hpp"

#include <cstdio>
#include <string>

#include "base/env.hpp"
#include "base/text.hpp"

namespace koine::base {

namespace {

struct TopicName {
  LogTopic topic;
  std::string_view name;
};
constexpr TopicName topics[] = {
    {LogTopic::device, "device"}, {LogTopic::jit, "jit"}, {LogTopic::memory, "memory"}, {LogTopic::launch, "launch"}};

unsigned mask() noexcept {
  static const unsigned value = [] {
    try {
      const auto text = env("KOINE_LOG");
      return text ? log_topics(*text) : 0U;
    } catch (...) {
      return 0U;
    }
  }();
  return value;
}

}  // namespace

unsigned log_topics(std::string_view value) {
  unsigned mask = 0;
  for (const std::string_view piece : split(value, ',')) {
    const std::string word = lower(trim(piece));
    for (const TopicName& each : topics) {
      if (word == each.name || word == "all") mask |= static_cast<unsigned>(each.topic);
    }
  }
  return mask;
}

bool log_enabled(LogTopic topic) noexcept { return (mask() & static_cast<unsigned>(topic)) != 0; }

void log_line(LogTopic topic, std::string_view line) noexcept {
  if (!log_enabled(topic)) return;
  for (const TopicName& each : topics) {
    if (each.topic == topic) {
      std::fprintf(stderr, "koine %.*s: %.*s\n", static_cast<int>(each.name.size()), each.name.data(),
                   static_cast<int>(line.size()), line.data());
    }
  }
}

}  // namespace koine::base
