// SPDX-License-Identifier: Apache-2.0
// Whole files in and out; POSIX calls, so that errors keep their reason.
#include "base/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

namespace koine::base {

namespace {

[[noreturn]] void fail(std::string_view function, std::string_view doing, const std::string& path, int error) {
  throw FileError("[" + std::string(function) + "] cannot " + std::string(doing) + " \"" + path +
                      "\": " + std::generic_category().message(error),
                  error);
}

}  // namespace

int Descriptor::close() noexcept {
  if (number_ < 0 || ::close(std::exchange(number_, -1)) == 0 || errno == EINTR) return 0;
  return errno;
}

std::string read_file(const std::filesystem::path& path, std::string_view function) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) fail(function, "open", path, errno);
  return read_file(file, path, function);
}

std::string read_file(const Descriptor& file, const std::filesystem::path& path, std::string_view function) {
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

void write_file(const std::filesystem::path& path, std::string_view bytes, std::string_view function, mode_t mode) {
  // Unique among threads; another process, killed while it wrote, may have left a file under a name with our number.
  static std::atomic<unsigned> counter{0};
  std::string temporary;
  int error = 0;
  {
    int number = -1;
    for (int attempt = 0; number < 0 && attempt < 100; ++attempt) {
      temporary =
          path.string() + "." + std::to_string(::getpid()) + "." + std::to_string(counter.fetch_add(1)) + ".tmp";
      number = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
      if (number < 0 && errno != EEXIST) break;
    }
    if (number < 0) fail(function, "write", path, errno);
    Descriptor file(number);
    while (!bytes.empty() && error == 0) {
      const ssize_t count = ::write(file.number(), bytes.data(), bytes.size());
      if (count >= 0) {
        bytes.remove_prefix(static_cast<std::size_t>(count));
      } else if (errno != EINTR) {
        error = errno;
      }
    }
    // File servers and quotas may refuse only here what write() took.
    if (const int code = file.close(); error == 0) error = code;
  }
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    fail(function, "write", path, error);
  }
}

}  // namespace koine::base
