// SPDX-License-Identifier: Apache-2.0
// Verdicts of trials, in memory and on disk.
#include "exec/trial.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "base/first_use.hpp"
#include "base/log.hpp"
#include "koine/error.hpp"
#include "runtime/context.hpp"
#include "runtime/disk_cache.hpp"
#include "runtime/program_store.hpp"

namespace koine::exec {
namespace {

/// Those of this process.
class Verdicts {
 public:
  std::optional<bool> find(const runtime::Context& context, const std::string& program) const {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find({&context, program});
    return found == known_.end() ? std::nullopt : std::optional(found->second);
  }
  void add(const runtime::Context& context, const std::string& program, bool right) {
    const std::lock_guard lock(mutex_);
    known_[{&context, program}] = right;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<const runtime::Context*, std::string>, bool> known_;
};
constinit base::FirstUse<Verdicts> verdicts;

}  // namespace

std::optional<bool> trial_verdict(const runtime::Context& context, const std::string& signature) {
  return verdicts.get().find(context, signature);
}

void try_out(runtime::Queue& queue, const std::string& signature, const runtime::ProgramText& text,
             const std::function<bool(const runtime::KernelRef&)>& right) {
  runtime::Context& context = queue.context();
  const DeviceTraits& traits = context.traits();
  if (trial_verdict(context, signature)) return;
  runtime::ProgramText verdict = text;  // on disk a file of its own, beside the program's
  verdict.source.insert(0, "// whether this is right\n");
  const std::string identity = runtime::identity_of(traits, verdict);
  runtime::DiskCache& disk = runtime::DiskCache::instance();
  constexpr unsigned char yes = 'y', no = 'n';
  const auto conclude = [&](bool is_right, const std::string& why) {
    verdicts.get().add(context, signature, is_right);
    if (is_right) return;
    base::log_line(base::LogTopic::jit, "does without " + signature + " on " + traits.selector + ": " + why);
  };
  if (const auto found = disk.read(identity); found && found->payload().size() == 1) {
    return conclude(found->payload()[0] == yes, "a test of it failed before with this driver");
  }
  const auto keep = [&](bool is_right, const std::string& why) {
    disk.write(identity, {is_right ? &yes : &no, 1});
    conclude(is_right, why);
  };
  try {
    keep(right(context.kernel(signature, [&] { return text; })), "a test of it failed with this driver");
  } catch (const KernelBuildError& error) {
    keep(false, error.what());
  } catch (const DeviceLost&) {
    keep(false, "the device was lost");
    throw;
  } catch (const OutOfMemory&) {
    throw;
  } catch (const Error& error) {
    conclude(false, error.what());  // which may be the device's state today
  }
}

}  // namespace koine::exec
