// SPDX-License-Identifier: Apache-2.0
// What a compiler gets of a user's program.
#pragma once

#include "runtime/kernel.hpp"

#include <koine/kernel.hpp>

#include <filesystem>
#include <string_view>

namespace koine::api {

/// The source behind its macros, and the compiler's options. `name` is what messages call the source, `folder`, unless
/// it is empty, where `#include "..."` looks first.
///
/// The text ends with a comment that has a hash of each file which the source includes, or may include, so that it is
/// another program to all caches once one of them changes.
runtime::ProgramText program_text(std::string_view source, std::string_view name, const std::filesystem::path& folder,
                                  const ProgramOptions& options);

}  // namespace koine::api
