// SPDX-License-Identifier: Apache-2.0
// Whole files in and out, with errors that say what happened.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace koine::base {

/// All bytes of a file. Throws IoError, naming `function`.
std::string read_file(const std::filesystem::path& path, std::string_view function);

/// Writes a file so that readers see the old one or the new one, never a part: temporary file, then rename.
/// Throws IoError, naming `function`.
void write_file(const std::filesystem::path& path, std::string_view bytes, std::string_view function);

}  // namespace koine::base
