// SPDX-License-Identifier: Apache-2.0
// Whole files in and out, with errors that say what happened.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "koine/error.hpp"

namespace koine::base {

/// All bytes of a file. Throws IoError, naming `function`.
std::string read_file(const std::filesystem::path& path, std::string_view function);

/// An IoError that keeps the system's errno.
struct FileError : IoError {
  FileError(const std::string& message, int error) : IoError(message), error(error) {}
  int error;
};

/// Writes a file so that readers see the old one or the new one, never a part: temporary file, then rename. The new
/// file has the permissions of `mode` that the umask leaves. Throws FileError, naming `function`.
void write_file(const std::filesystem::path& path, std::string_view bytes, std::string_view function,
                mode_t mode = 0666);

}  // namespace koine::base
