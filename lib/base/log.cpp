// SPDX-License-Identifier: Apache-2.0
// Reads KOINE_LOG once and writes lines whole, so that threads do not mix theirs.
#include "base/log.hpp"

#include <atomic>
#include <cstdio>
#include <string>

#include "base/caller.hpp"
#include "base/env.hpp"
#include "base/text.hpp"
#include "koine/error.hpp"

namespace koine::base {

namespace {

struct TopicName {
  LogTopic topic;
  std::string_view name;
};
constexpr TopicName topics[] = {
    {LogTopic::device, "device"}, {LogTopic::jit, "jit"}, {LogTopic::memory, "memory"}, {LogTopic::launch, "launch"}};

unsigned mask() noexcept {
  constexpr unsigned unknown = ~0U;
  // No guard of the language's, which a fork on another thread would leave held in the child.
  static constinit std::atomic<unsigned> known{unknown};
  unsigned value = known.load(std::memory_order_relaxed);
  if (value != unknown) return value;
  try {
    value = log_topics_of_environment();
  } catch (...) {
    value = 0;
  }
  known.store(value, std::memory_order_relaxed);
  return value;
}

}  // namespace

unsigned log_topics_of_environment() {
  const auto text = env("KOINE_LOG");
  return text ? log_topics(*text) : 0U;
}

unsigned log_topics(std::string_view value) {
  unsigned mask = 0;
  for (const std::string_view piece : split(value, ',')) {
    const std::string word = lower(trim(piece));
    unsigned named = 0;
    for (const TopicName& each : topics) {
      if (word == each.name || word == "all") named |= static_cast<unsigned>(each.topic);
    }
    if (named == 0 && !word.empty()) {
      throw ValueError("[KOINE_LOG] \"" + std::string(trim(piece)) +
                       "\" is not a topic: write device, jit, memory or launch, several with commas, or all");
    }
    mask |= named;
  }
  return mask;
}

bool log_enabled(LogTopic topic) noexcept { return (mask() & static_cast<unsigned>(topic)) != 0; }

bool log_enabled_at_all() noexcept { return mask() != 0; }

void log_line(LogTopic topic, std::string_view line) noexcept {
  if (!log_enabled(topic)) return;
  const std::string_view place = caller(), asked = place.empty() ? "" : ", asked by ";
  const auto width = [](std::string_view text) { return static_cast<int>(text.size()); };
  for (const TopicName& each : topics) {
    if (each.topic == topic) {
      std::fprintf(stderr, "koine %.*s: %.*s%.*s%.*s\n", width(each.name), each.name.data(), width(line), line.data(),
                   width(asked), asked.data(), width(place), place.data());
    }
  }
}

}  // namespace koine::base
