// SPDX-License-Identifier: Apache-2.0
// What gives no array: arrays computed and read on the way, another queue for what follows, a limit of memory.
#include "families.hpp"
#include "print.hpp"
#include "resolution.hpp"

namespace koine::fuzz {
namespace {

// eval: of one array, or of all together.

class Evaluating : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    if (step_.p[0] % 2 == 0) {
      call_.sources = {x(step_.a)};
    } else {
      for (std::size_t i = 0; i < variables; ++i) call_.sources.emplace_back(i);
    }
    return {call_};
  }
};

void evaluate(State& state, const Call& call, const std::vector<Operand>&) {
  std::vector<const Array*> list;
  for (const Call::Source& source : call.sources) list.push_back(&state.x[std::get<std::size_t>(source)]);
  list.size() == 1 ? void(list[0]->eval()) : koine::detail::eval_all(list);
}

std::string text_of_evaluation(const Call&, const std::vector<std::string>& sources) {
  return sources.size() == 1 ? sources[0] + ".eval()" : "kn::eval(" + together(sources) + ")";
}

class Reading : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    call_.sources = {x(step_.a)};
    return {call_};
  }
};

/// Programs read at such a call by themselves, and compare.
void read(State&, const Call&, const std::vector<Operand>&) {}

std::string text_of_read(const Call&, const std::vector<std::string>& sources) {
  return "kn::to_string(" + sources[0] + ")";
}

/// A choice by the first byte.
template <std::size_t Count>
std::vector<Call> chosen(const Step& step, const Faces&, const Setting&) {
  Call call;
  call.kind = step.kind;
  call.which = step.p[0] % Count;
  return {call};
}

// queue: `which` 0 is the one that arrays take of themselves.

void choose_queue(State& state, const Call& call, const std::vector<Operand>&) {
  state.scope.reset();
  if (call.which == 0) return;
  std::optional<Queue>& queue = state.queues[call.which - 1];
  if (!queue) queue.emplace();
  state.scope.emplace(*queue);
}

std::string text_of_queue(const Call& call, const std::vector<std::string>&) {
  return call.which == 0 ? "scope.reset()" : "scope.reset(), scope.emplace(queue" + std::to_string(call.which) + ")";
}

// limit: `which` 0 is the one that there was at first.

void limit_memory(State& state, const Call& call, const std::vector<Operand>&) {
  constexpr std::uint64_t sizes[] = {0, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20};
  set_memory_limit(default_device(), call.which == 0 ? state.limit : sizes[call.which]);
}

std::string text_of_limit(const Call& call, const std::vector<std::string>&) {
  return "// a memory limit, number " + std::to_string(call.which);
}

}  // namespace

const Family evaluating = {
    .resolve = resolved<Evaluating>, .text = text_of_evaluation, .perform = evaluate, .effect = Effect::none};
const Family reading = {.resolve = resolved<Reading>, .text = text_of_read, .perform = read, .effect = Effect::none};
const Family queueing = {.resolve = chosen<3>, .text = text_of_queue, .perform = choose_queue, .effect = Effect::none};
const Family limiting = {.resolve = chosen<6>, .text = text_of_limit, .perform = limit_memory, .effect = Effect::none};

}  // namespace koine::fuzz
