// SPDX-License-Identifier: Apache-2.0
// Files written whole: permissions, and errors that only the descriptor's end shows.
#include "base/files.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <iterator>
#include <string>

#include "koine/error.hpp"
#include "support/files.hpp"

namespace fs = std::filesystem;
using koine::base::write_file;
using koine::test::content;
using Folder = koine::test::TemporaryFolder;

namespace {

/// What close() says on this thread, though it has closed.
thread_local int close_error = 0;

mode_t mode_of(const fs::path& path) {
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

}  // namespace

/// In place of the C library's, which fails on file servers and full quotas alone.
extern "C" int close(int descriptor) {
  const long result = syscall(SYS_close, descriptor);
  if (result != 0 || close_error == 0) return static_cast<int>(result);
  errno = close_error;
  return -1;
}

TEST_CASE("a file has the permissions that were asked for and that the umask leaves") {
  const Folder folder;
  const mode_t before = umask(027);
  write_file(folder.path() / "default", "text", "test");
  write_file(folder.path() / "private", "text", "test", 0600);
  umask(before);
  CHECK(mode_of(folder.path() / "default") == 0640);
  CHECK(mode_of(folder.path() / "private") == 0600);
  CHECK(content(folder.path() / "private") == "text");
}

TEST_CASE("what close() refuses was not written: the old file stays, and nothing else") {
  const Folder folder;
  const fs::path path = folder.path() / "file";
  write_file(path, "old", "test");
  std::string message;
  int error = 0;
  close_error = EDQUOT;
  try {
    write_file(path, "new", "test");
  } catch (const koine::base::FileError& failure) {
    message = failure.what();
    error = failure.error;
  }
  close_error = 0;
  CHECK(message.find("[test] cannot write \"" + path.string() + "\": ") == 0);
  CHECK(error == EDQUOT);
  CHECK(content(path) == "old");
  CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
  // The descriptor is gone after a signal too, and what was written is not in doubt.
  close_error = EINTR;
  CHECK_NOTHROW(write_file(path, "new", "test"));
  close_error = 0;
  CHECK(content(path) == "new");
}

TEST_CASE("an error keeps its reason") {
  const Folder folder;
  int error = 0;
  try {
    write_file(folder.path() / "missing" / "file", "text", "test");
  } catch (const koine::IoError& failure) {
    const auto* const file_error = dynamic_cast<const koine::base::FileError*>(&failure);
    if (file_error != nullptr) error = file_error->error;
  }
  CHECK(error == ENOENT);
}
