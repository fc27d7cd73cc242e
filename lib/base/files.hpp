// SPDX-License-Identifier: Apache-2.0
// Whole files in and out, with errors that say what happened.
#pragma once

#include <sys/types.h>

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

/// Throws FileError, naming `function`: it cannot do that (such as "open") with the file, for the system's reason.
[[noreturn]] void fail(std::string_view function, std::string_view doing, const std::string& path, int error);

/// Throws ValueError, naming `function`, for a path with a zero byte in it, at which the system would cut it.
void check_path(const std::string& path, std::string_view function);

/// All bytes of a file. Throws FileError, naming `function`.
std::string read_file(const std::string& path, std::string_view function);
/// The same of an open one, which `path` names in errors.
std::string read_file(const Descriptor& file, const std::string& path, std::string_view function);

/// For files of the library's own: puts a new file under exactly this path so that readers see the old one or the new
/// one, never a part: temporary file, then rename. It has the permissions of `mode` that the umask leaves. Throws
/// FileError, naming `function`.
void replace_file(const std::string& path, std::string_view bytes, std::string_view function, mode_t mode = 0666);

/// For files that a user names, which may stand there already: a link is followed, a file that may be written is
/// replaced as by replace_file() and keeps its permissions, its group and, where the system lets us, its owner. What is
/// no regular file (a device, a pipe) is written to where it is; so is a file whose folder takes no other, though not
/// before the disk has promised room for all. Throws FileError, naming `function`.
void write_file(const std::string& path, std::string_view bytes, std::string_view function);

}  // namespace koine::base
