// SPDX-License-Identifier: Apache-2.0
// Whole files in and out, with errors that say what happened.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "koine/error.hpp"

namespace koine::base {

/// Closes a file descriptor on every way out.
class Descriptor {
 public:
  /// Takes what open() gave; a negative number is none.
  explicit Descriptor(int number) noexcept : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const noexcept { return number_; }
  /// The errno of what failed. The descriptor is gone in any case, after an interruption too.
  int close() noexcept;

 private:
  int number_;
};

/// All bytes of a file. Throws IoError, naming `function`.
std::string read_file(const std::filesystem::path& path, std::string_view function);
/// The same of an open one, which `path` names in errors.
std::string read_file(const Descriptor& file, const std::filesystem::path& path, std::string_view function);

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
