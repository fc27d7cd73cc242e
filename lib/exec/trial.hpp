// SPDX-License-Identifier: Apache-2.0
// Trials of programs that a driver may refuse or get wrong, on the device that is to run them, before their first use.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "runtime/context.hpp"
#include "runtime/program_cache.hpp"

namespace koine::exec {

/// Whether a program gives right results on a device; nothing before try_out was called for it.
std::optional<bool> trial_verdict(const runtime::Context& context, const std::string& signature);
/// Finds out by `right` of the program's kernel, once for each driver and device: what it finds is kept on disk beside
/// the programs. A program that the driver refuses is not right, and KOINE_LOG=jit says why. After another error, such
/// as that of a launch, this process alone does without the program. Throws DeviceLost, which is kept too, and
/// OutOfMemory, after which nothing is known.
void try_out(runtime::Queue& queue, const std::string& signature, const runtime::ProgramText& text,
             const std::function<bool(const runtime::KernelRef&)>& right);

}  // namespace koine::exec
