// SPDX-License-Identifier: Apache-2.0
// Reading fault words, and what results inherit from their operands.
#include "runtime/fault.hpp"

#include <algorithm>
#include <iterator>

#include "base/named_call.hpp"
#include "cl/errors.hpp"
#include "runtime/context.hpp"

namespace koine::runtime {

Fault::Fault(Queue& queue, std::function<std::string(std::int64_t)> message, ErrorKind kind)
    : word_(queue.context().fault_words().take(queue)), message_(std::move(message)), kind_(kind) {}

Fault::Fault(Queue& queue, const FaultCause& cause)
    : word_(queue.context().fault_words().take(queue)),
      message_([cause](std::int64_t value) { return cause.sentence(cause, value); }),
      cause_(cause),
      kind_(ErrorKind::IndexError) {}

void Fault::check(const std::function<void(const Buffer&, void*, std::uint64_t)>& read) {
  if (state_.load(std::memory_order_acquire) == State::clear) return;
  FaultWord word;
  read(*word_, &word, sizeof word);
  state_.store(word.reported != 0 ? State::reported : State::clear, std::memory_order_release);
  if (word.reported == 0) return;
  const base::OwnNames of_the_call_that_failed;
  cl::throw_kind(kind_, message_(word.value));
}

Faults merged(const Faults& a, const Faults& b) {
  if (a == b || b == nullptr) return a;
  if (a == nullptr) return b;
  const auto in_a = [&](const auto& fault) { return std::find(a->begin(), a->end(), fault) != a->end(); };
  if (std::all_of(b->begin(), b->end(), in_a)) return a;
  std::vector<std::shared_ptr<Fault>> both = *a;
  std::copy_if(b->begin(), b->end(), std::back_inserter(both), [&](const auto& fault) { return !in_a(fault); });
  return std::make_shared<const std::vector<std::shared_ptr<Fault>>>(std::move(both));
}

}  // namespace koine::runtime
