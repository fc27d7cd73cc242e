// SPDX-License-Identifier: Apache-2.0
// KOINE_DUMP_DIR: a copy of every program's text, for whoever wants to see the kernels or to give them to a compiler.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "device/traits.hpp"
#include "runtime/kernel.hpp"

namespace koine::runtime {

/// Writes a program's text into the folder that KOINE_DUMP_DIR names, if it names one: `<hash>.cl`, a comment with the
/// device and the build options, then what the compiler gets; `<hash>.ptx` for a program in assembly. The name is a
/// hash of all that the file holds, so each is written once. A failure is told to the log (KOINE_LOG=jit) and changes
/// nothing else.
void dump_program(const DeviceTraits& traits, const ProgramText& text) noexcept;

/// The program in the text of such a file, if this version of Koine wrote it for a device of the same name.
std::optional<ProgramText> dumped_program(std::string_view file, const DeviceTraits& traits);

}  // namespace koine::runtime
