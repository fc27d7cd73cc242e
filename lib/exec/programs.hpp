// SPDX-License-Identifier: Apache-2.0
// Kernels for evaluations: compiling takes long, and is not done while the evaluation mutex is held.
#pragma once

#include "codegen/spec.hpp"
#include "runtime/context.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace koine::exec {

/// Enqueues what was prepared: all its kernels are at hand. Allocates and records results, too.
using Work = std::function<void()>;

/// The programs of an evaluation, which asks for all of them before any of its work runs.
class Programs {
 public:
  /// What has to be built before an evaluation can begin anew: a program of a text, or what another library compiles.
  struct Missing {
    std::string signature;
    runtime::ProgramText text;
    std::function<void()> compile;  // null where it is a text
  };

  /// A program that a step asked for.
  struct Asked {
    std::string kernel;
    runtime::ProgramText text;
  };

  explicit Programs(runtime::Context& context) : context_(context) {}
  /// For who looks at a plan: what is asked for is written down, and nothing is built or run.
  Programs(runtime::Context& context, std::vector<Asked>& asked) : context_(context), asked_(&asked) {}

  /// The kernel `entry` of a program that is there, or without a name its only one; else null, `make` writes the
  /// program's text, and complete() will throw.
  template <class Make>
  runtime::KernelRef kernel(std::string_view signature, Make make, std::string_view entry = {}) {
    ++asks_.others;
    runtime::KernelRef kernel = context_.find_kernel(signature, entry);
    if (asked_ != nullptr) asked_->push_back(asked(make(), entry));
    if (!kernel && !is_missing(signature)) missing_.push_back({std::string(signature), make(), nullptr});
    return asked_ == nullptr ? kernel : nullptr;
  }

  /// Likewise the kernel `entry` of a file of kernels/, compiled for a spec (codegen/spec.hpp), whose macros are
  /// options.
  template <class Spec>
  runtime::KernelRef kernel_of_file(std::string_view file, const Spec& spec, std::string_view entry) {
    // Runs before every launch: the options are written where the program has to be built.
    std::string signature(file);
    const char* const kind = &spec_kind<Spec>;
    signature.append(reinterpret_cast<const char*>(&kind), sizeof kind);
    codegen::append_key(signature, spec);
    const auto text = [&] { return text_of_file(file, codegen::options_of(spec)); };
    return kernel(signature, text, entry);
  }

  /// The program of such a file.
  static runtime::ProgramText text_of_file(std::string_view file, std::string options);

  /// Says that a step runs a function of the host's (runtime::HostCommand), for which nothing is built. `small`: one
  /// that the calling thread runs, if it may (HostCommand::run_small).
  void host_command(std::string_view name, bool small = false) {
    ++(small ? asks_.small : asks_.others);
    if (asked_ != nullptr) asked_->push_back({std::string(name), {}});
  }

  /// How many functions of the host that are small were asked for so far, and how much else.
  struct Asks {
    std::size_t small = 0, others = 0;
  };
  Asks asks() const { return asks_; }

  /// Asks for what another library compiles by itself: `compile` does so where no lock is held. False for who looks at
  /// a plan, where the evaluation does not begin anew.
  bool need(std::string_view signature, std::function<void()> compile) {
    ++asks_.others;
    if (asked_ != nullptr) return false;
    if (!is_missing(signature)) missing_.push_back({std::string(signature), {}, std::move(compile)});
    return true;
  }

  /// What is missing so far, in the order in which it was asked for.
  const std::vector<Missing>& missing() const { return missing_; }
  /// Forgets all but the first `count` of them, for a step that does without.
  void forget_missing(std::size_t count) { missing_.resize(std::min(missing_.size(), count)); }

  /// Past it kernels that were asked for are there. Throws a list of Missing otherwise.
  void complete() {
    if (!missing_.empty()) throw std::exchange(missing_, {});
  }

 private:
  template <class Spec>
  static inline const char spec_kind = 0;  // whose place tells specs of equal fields apart

  static Asked asked(runtime::ProgramText text, std::string_view entry) {
    std::string name(entry.empty() ? std::string_view(text.entry) : entry);
    return {std::move(name), std::move(text)};
  }
  bool is_missing(std::string_view signature) const {
    return std::any_of(missing_.begin(), missing_.end(),
                       [&](const Missing& each) { return each.signature == signature; });
  }

  runtime::Context& context_;
  std::vector<Asked>* asked_ = nullptr;
  std::vector<Missing> missing_;
  Asks asks_;
};

/// Builds programs, side by side where the driver can. They stay in memory as long as what is added to `held`. Whoever
/// waits for that may leave (base/watch.hpp).
void build(runtime::Context& context, const std::vector<Programs::Missing>& missing,
           std::vector<runtime::ProgramCache::Held>& held);

/// Runs `run(programs)` under the evaluation mutex, if no program is missing. Whether that was so.
template <class Run>
bool evaluated_at_once(runtime::Context& context, Run run) {
  try {
    const std::lock_guard lock(context.evaluation_mutex());
    Programs programs(context);
    run(programs);
    return true;
  } catch (const std::vector<Programs::Missing>&) {
    return false;
  }
}

/// Runs `run(programs)` under the evaluation mutex, again and again until no program is missing. So `run` may be cut
/// off where it completes its programs, and must come to the same when it begins anew.
template <class Run>
void evaluated(runtime::Context& context, Run run) {
  std::vector<runtime::ProgramCache::Held> held;  // others' programs do not push them out before they ran
  for (;;) {
    try {
      const std::lock_guard lock(context.evaluation_mutex());
      Programs programs(context);
      return run(programs);
    } catch (const std::vector<Programs::Missing>& missing) {
      build(context, missing, held);
    }
  }
}

}  // namespace koine::exec
