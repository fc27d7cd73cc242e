// SPDX-License-Identifier: Apache-2.0
// Choosing between the calling thread and the device.
#include "exec/host_step.hpp"

#include "exec/families.hpp"
#include "exec/host_run.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace koine::exec {
namespace {

// Of a step in place of a program that is not compiled yet: a quarter of a second at most, where a compiler in a
// process takes 150 ms to compile a small one, and 500 ms to a second for the first, or for those of selections,
// products or logarithms of the gamma function. Of what threads share, and compute in vectors, eight times as much
// takes as long.
constexpr std::uint64_t most_cold_work = std::uint64_t{1} << 28, most_shared_cold_work = 8 * most_cold_work;
// As soon as a program comes again, only so small a part: who comes a third time may come many times.
constexpr std::uint64_t cold_work_again = 128;
// What a step counts at least, for the text of its kernel is written each time, and what is behind steps of the device
// waits for them: so it is compiled after some eight times at the latest.
constexpr std::uint64_t least_cold_work = most_cold_work / cold_work_again / 8;
constexpr std::uint64_t fold_work = 4;  // to reduce or scan an element

/// Whether the host is done in about the time that a program takes to compile, which `most` work does. One that comes
/// again is compiled.
bool stands_in(runtime::Context& context, const Programs::Missing& program, std::uint64_t work,
               std::uint64_t most = most_cold_work) {
  if (program.compile) return false;
  const std::uint64_t done = context.cold_work().done(program.signature);
  return done + work <= (done == 0 ? most : most_cold_work / cold_work_again) && !context.is_on_disk(program.text);
}

/// Whether the host may do steps of the device at all, which nothing is known to be under way on.
bool may_step(const runtime::Context& context) {
  return context.works_in_host_memory() && context.traits().tuning.host_step_work > 0 && context.known_idle();
}

/// A view, which is nobody's work.
bool is_view(const codegen::Step& step) { return graph::role(step.family) == graph::Role::movement; }

/// Elements by operations; none of what the host does not know.
std::optional<std::uint64_t> host_work_of(const HostRun& run) {
  const HostRunner* const host = host_runner(run.step.family);
  return host != nullptr ? host->work(run) : std::nullopt;
}

/// Whether its family has the calling thread do a step, by what it asked for.
bool host_does_at_once(const codegen::Step& step, const Programs::Asks& before, const Programs::Asks& after) {
  return after.small > before.small && after.others == before.others && host_reads_inputs(step);
}

}  // namespace

bool host_does_small(const runtime::Context& context, std::uint64_t work) {
  return work <= context.traits().tuning.host_step_work && may_step(context);
}

bool host_stands_in(runtime::Context& context, Programs& programs, std::uint64_t work) {
  if (programs.missing().empty() || !may_step(context) || !stands_in(context, programs.missing()[0], work)) {
    return false;
  }
  context.cold_work().add(programs.missing()[0].signature, std::max(work, least_cold_work));
  programs.forget_missing(0);
  return true;
}

HostSteps::HostSteps(runtime::Context& context) : context_(context), began_idle_(may_step(context)) {}

Work HostSteps::prepare(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  const bool on = began_idle_ && !is_view(step);
  doer_ = Doer::host_small;
  if (Work small = on && idle_ ? prepare_small(queue, step) : nullptr) return small;
  doer_ = Doer::host_cold;
  const std::size_t before = programs.missing().size();
  const Programs::Asks asks = programs.asks();
  Work work = exec::prepare(programs, queue, step);
  if (on && programs.missing().size() > before) {
    if (Work cold = prepare_cold(queue, step, programs.missing(), before)) {
      programs.forget_missing(before);
      return cold;
    }
  }
  doer_ = Doer::device;
  if (!is_view(step)) idle_ = idle_ && on && host_does_at_once(step, asks, programs.asks());
  return work;
}

Work HostSteps::prepare_small(runtime::Queue& queue, codegen::Step& step) const {
  HostRun run{queue, step, false};
  const auto work = host_work_of(run);
  const std::uint64_t most = queue.traits().tuning.host_step_work;
  if (!work) return nullptr;
  const HostRunner& host = *host_runner(step.family);
  const bool shared = host.shares && goes_along_memory(step.body);
  if (*work > (shared ? shared_host_work(most) : most)) return nullptr;
  run.work = *work;
  run.only_shared = *work > most;
  return host.prepare(run);
}

Work HostSteps::prepare_cold(runtime::Queue& queue, codegen::Step& step, const std::vector<Programs::Missing>& missing,
                             std::size_t first) const {
  const Programs::Missing& program = missing[first];
  HostRun run{queue, step, true};
  auto work = host_work_of(run);
  if (!work) return nullptr;
  if (step.folds()) *work += fold_work * static_cast<std::uint64_t>(step.body.domain.elements());
  const HostRunner& host = *host_runner(step.family);
  if (!stands_in(context_, program, *work, host.shares ? most_shared_cold_work : most_cold_work)) return nullptr;
  run.work = *work;
  Work prepared = host.prepare(run);
  if (!prepared) return nullptr;
  return [&context = context_, signature = program.signature, work = *work, prepared = std::move(prepared)] {
    context.cold_work().add(signature, std::max(work, least_cold_work));
    prepared();
  };
}

}  // namespace koine::exec
