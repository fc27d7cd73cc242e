// SPDX-License-Identifier: Apache-2.0
// Whole files in and out; POSIX calls, so that errors keep their reason.
#include "base/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

namespace koine::base {

void fail(std::string_view function, std::string_view doing, const std::string& path, int error) {
  throw FileError("[" + std::string(function) + "] cannot " + std::string(doing) + " \"" + path +
                      "\": " + std::generic_category().message(error),
                  path, error);
}

namespace {

/// Writes all, or gives the errno of what failed.
int write_all(const Descriptor& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file.number(), bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

/// The name of a new file beside one called `name`. Not longer than any file system allows, whatever `name` is.
std::string temporary_name(std::string_view name) {
  // Unique among threads; another process, killed while it wrote, may have left a file under a name with our number.
  static std::atomic<unsigned> counter{0};
  std::size_t kept = std::min<std::size_t>(name.size(), 100);
  // Not within a character of UTF-8, which some file systems insist on.
  while (kept < name.size() && kept > 0 && (name[kept] & 0xc0) == 0x80) --kept;
  return std::string(name.substr(0, kept)) + "." + std::to_string(::getpid()) + "." +
         std::to_string(counter.fetch_add(1)) + ".tmp";
}

/// Makes the new file take after the one that it replaces. The group may read what it may read there; if the file
/// cannot have that group, what others may, since it is another group's then.
int take_after(const Descriptor& file, const struct stat& old) {
  mode_t mode = old.st_mode & 0777;
  if (::fchown(file.number(), old.st_uid, old.st_gid) != 0 && ::fchown(file.number(), uid_t(-1), old.st_gid) != 0) {
    mode = (mode & ~mode_t{070}) | (mode & 07) << 3;
  }
  return ::fchmod(file.number(), mode) == 0 ? 0 : errno;
}

/// A temporary file in the path's folder, renamed to it; errno on failure, and then nothing is left behind. Names are
/// taken within the opened folder, since the temporary one may be longer than a path can be.
int replace(const std::string& path, std::string_view bytes, mode_t mode, const struct stat* old) {
  const std::filesystem::path whole(path), parent = whole.parent_path();
  const std::string name = whole.filename();
  if (name.empty()) return path.empty() ? ENOENT : EISDIR;
  const Descriptor folder{::open(parent.empty() ? "." : parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  if (folder.number() < 0) return errno;
  std::string temporary;
  int number = -1;
  for (int attempt = 0; number < 0 && attempt < 100; ++attempt) {
    temporary = temporary_name(name);
    number = ::openat(folder.number(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (number < 0 && errno != EEXIST) break;
  }
  if (number < 0) return errno;
  Descriptor file(number);
  int error = old != nullptr ? take_after(file, *old) : 0;
  if (error == 0) error = write_all(file, bytes);
  // File servers and quotas may refuse only here what write() took.
  if (const int code = file.close(); error == 0) error = code;
  if (error == 0 && ::renameat(folder.number(), temporary.c_str(), folder.number(), name.c_str()) != 0) error = errno;
  if (error != 0) ::unlinkat(folder.number(), temporary.c_str(), 0);
  return error;
}

constexpr off_t no_regular_file = -1;

/// Writes to what stands there; errno on failure. `old` is its size where it is a regular file, which is not touched
/// before there is room for all of it.
int write_in_place(const std::string& path, std::string_view bytes, off_t old) {
  Descriptor file{::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY)};
  if (file.number() < 0) return errno;
  const auto size = static_cast<off_t>(bytes.size());
  const bool regular = old != no_regular_file;
  if (regular && size > old) {
    while (::fallocate(file.number(), 0, 0, size) != 0) {
      const int error = errno;
      if (error == EINTR) continue;
      // Other codes: this file system promises nothing.
      if (error != ENOSPC && error != EDQUOT && error != EFBIG) break;
      [[maybe_unused]] const int ignored = ::ftruncate(file.number(), old);
      return error;
    }
  }
  int error = write_all(file, bytes);
  if (error == 0 && regular && ::ftruncate(file.number(), size) != 0) error = errno;
  if (const int code = file.close(); error == 0) error = code;
  return error;
}

/// Whether the errno says that this folder, or its place in the tree, takes no file beside or instead of the one there:
/// it is read-only, others' with the sticky bit, or the file is one that is mounted.
bool folder_refuses(int error) { return error == EACCES || error == EPERM || error == EROFS || error == EBUSY; }

/// Where links lead, whether or not there is a file yet; none where that is no path: a link of /proc names an open
/// file.
std::optional<std::filesystem::path> followed(std::filesystem::path path) {
  std::error_code error;
  for (int links = 0; links < 40; ++links) {
    const std::filesystem::path target = std::filesystem::read_symlink(path, error);
    if (error) return path;
    if (path.native().starts_with("/proc/")) return std::nullopt;
    path = path.parent_path() / target;
  }
  return std::nullopt;
}

int write_whatever_is_there(const std::string& path, std::string_view bytes) {
  struct stat old {};
  const bool there = ::stat(path.c_str(), &old) == 0;
  if (!there && errno != ENOENT) return errno;
  if (there && S_ISDIR(old.st_mode)) return EISDIR;
  const off_t size = there && S_ISREG(old.st_mode) ? old.st_size : no_regular_file;
  if (there && size == no_regular_file) return write_in_place(path, bytes, size);
  const auto target = followed(path);
  if (!target) return write_in_place(path, bytes, size);
  if (!there) return replace(*target, bytes, 0666, nullptr);
  // As to open it for writing: the folder alone would let files be replaced that are meant to stay.
  if (::faccessat(AT_FDCWD, target->c_str(), W_OK, AT_EACCESS) != 0) return errno;
  // Nobody else's until it is as private as the old one.
  const int error = replace(*target, bytes, 0600, &old);
  return folder_refuses(error) ? write_in_place(path, bytes, size) : error;
}

}  // namespace

int Descriptor::close() noexcept {
  if (number_ < 0 || ::close(std::exchange(number_, -1)) == 0 || errno == EINTR) return 0;
  return errno;
}

void check_path(const std::string& path, std::string_view function) {
  const std::size_t zero = path.find('\0');
  if (zero == std::string::npos) return;
  throw ValueError("[" + std::string(function) + "] the path \"" + path.substr(0, zero) + "\" goes on after " +
                   std::to_string(zero) + " bytes with a zero byte, which no path can have");
}

std::string read_file(const std::string& path, std::string_view function) {
  check_path(path, function);
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number() < 0) fail(function, "open", path, errno);
  return read_file(file, path, function);
}

std::string read_file(const Descriptor& file, const std::string& path, std::string_view function) {
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) fail(function, "read", path, errno);
  if (S_ISDIR(status.st_mode)) fail(function, "read", path, EISDIR);
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t done = 0;
  // The size is a hint only: pipes and /proc say 0, and files grow.
  for (;;) {
    if (done == bytes.size()) bytes.resize(bytes.size() + 4096);
    const ssize_t count = ::read(file.number(), bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(function, "read", path, errno);
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  bytes.resize(done);
  return bytes;
}

void replace_file(const std::string& path, std::string_view bytes, std::string_view function, mode_t mode) {
  check_path(path, function);
  if (const int error = replace(path, bytes, mode, nullptr)) fail(function, "write", path, error);
}

void write_file(const std::string& path, std::string_view bytes, std::string_view function) {
  check_path(path, function);
  if (const int error = write_whatever_is_there(path, bytes)) fail(function, "write", path, error);
}

}  // namespace koine::base
