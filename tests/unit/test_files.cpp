// SPDX-License-Identifier: Apache-2.0
// Files written whole: permissions, what stands there already, and errors that only the descriptor's end shows.
#include "base/files.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>

#include "koine/error.hpp"
#include "support/arrays.hpp"
#include "support/files.hpp"

namespace fs = std::filesystem;
using koine::base::replace_file;
using koine::base::write_file;
using koine::test::content;
using koine::test::put;
using Folder = koine::test::TemporaryFolder;

namespace {

/// What close() says on this thread, though it has closed.
thread_local int close_error = 0;

struct stat status_of(const fs::path& path) {
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  return status;
}

mode_t mode_of(const fs::path& path) { return status_of(path).st_mode & 07777; }

std::ptrdiff_t files_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

/// The errno with which a file cannot be written, 0 if it can.
int error_of(const fs::path& path, std::string_view bytes) {
  try {
    write_file(path, bytes, "test");
  } catch (const koine::FileError& failure) {
    return failure.error();
  }
  return 0;
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
  replace_file(folder.path() / "private", "text", "test", 0600);
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
  } catch (const koine::FileError& failure) {
    message = failure.what();
    error = failure.error();
  }
  close_error = 0;
  CHECK(message.find("[test] cannot write \"" + path.string() + "\": ") == 0);
  CHECK(error == EDQUOT);
  CHECK(content(path) == "old");
  CHECK(files_in(folder.path()) == 1);
  // The descriptor is gone after a signal too, and what was written is not in doubt.
  close_error = EINTR;
  CHECK_NOTHROW(write_file(path, "new", "test"));
  close_error = 0;
  CHECK(content(path) == "new");
}

TEST_CASE("an error keeps its reason") {
  const Folder folder;
  CHECK(error_of(folder.path() / "missing" / "file", "text") == ENOENT);
  CHECK(error_of(folder.path(), "text") == EISDIR);
  CHECK(error_of(folder.path() / "", "text") == EISDIR);
  CHECK(error_of("", "text") == ENOENT);
  put(folder.path() / "file", "old");
  CHECK(error_of(folder.path() / "file" / "below", "text") == ENOTDIR);
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("what stands there keeps its permissions, group and owner") {
  const Folder folder;
  const fs::path path = folder.path() / "file";
  for (const mode_t mode : {0600, 0640, 0666, 0755}) {
    put(path, "old");
    REQUIRE(chmod(path.c_str(), mode) == 0);
    write_file(path, "new", "test");
    CHECK(mode_of(path) == mode);
    CHECK(content(path) == "new");
  }
  if (chown(path.c_str(), 4321, 1234) == 0) {  // root's part
    write_file(path, "newer", "test");
    CHECK(status_of(path).st_uid == 4321);
    CHECK(status_of(path).st_gid == 1234);
    CHECK(content(path) == "newer");
  }
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("links are followed, and stay") {
  const Folder folder;
  const fs::path path = folder.path() / "sub" / "file", link = folder.path() / "link";
  fs::create_directory(folder.path() / "sub");
  fs::create_symlink("sub/to", link);
  fs::create_symlink("file", folder.path() / "sub" / "to");
  for (const char* const text : {"first", "second"}) {  // there is no file at first
    write_file(link, text, "test");
    CHECK(fs::is_symlink(link));
    CHECK(fs::is_symlink(folder.path() / "sub" / "to"));
    CHECK(!fs::is_symlink(path));
    CHECK(content(path) == text);
  }
  fs::create_symlink("round", folder.path() / "round");
  CHECK(error_of(folder.path() / "round", "text") == ELOOP);
  // A link of /proc names an open file, whatever became of its name.
  const int open_file = ::open(path.c_str(), O_RDWR);
  REQUIRE(open_file >= 0);
  const ino_t before = status_of(path).st_ino;
  write_file("/proc/self/fd/" + std::to_string(open_file), "third", "test");
  close(open_file);
  CHECK(status_of(path).st_ino == before);
  CHECK(content(path) == "third");
}

TEST_CASE("devices and pipes are written to, not replaced") {
  const Folder folder;
  write_file("/dev/null", "text", "test");
  CHECK(S_ISCHR(status_of("/dev/null").st_mode));
  CHECK(error_of("/dev/full", "text") == ENOSPC);
  const fs::path pipe = folder.path() / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::string got;
  std::thread reader([&] { got = content(pipe); });
  write_file(pipe, "text", "test");
  reader.join();
  CHECK(got == "text");
  CHECK(S_ISFIFO(status_of(pipe).st_mode));
}

TEST_CASE("names and paths as long as the system takes them, and none with a zero byte") {
  const Folder folder;
  for (const std::size_t length : {250u, 255u}) {
    const fs::path path = folder.path() / std::string(length, 'x');
    for (const char* const text : {"old", "new"}) {
      write_file(path, text, "test");
      CHECK(content(path) == text);
    }
  }
  // 127 characters of two bytes each, and paths just below the 4096 bytes that a path can have with its end.
  std::string name;
  for (int i = 0; i < 127; ++i) name += "ö";
  CHECK(error_of(folder.path() / name, "text") == 0);
  std::string deep = folder.path().string();
  while (deep.size() < 3800) fs::create_directory(deep += "/" + std::string(200, 'd'));
  deep += "/" + std::string(4095 - deep.size() - 1, 'f');
  CHECK(deep.size() == 4095);
  CHECK(error_of(deep, "text") == 0);
  CHECK(error_of(folder.path() / std::string(256, 'x'), "text") == ENAMETOOLONG);
  const std::string cut = (folder.path() / "cut").string();
  const std::string want = "[test] the path \"" + cut + "\" goes on after " + std::to_string(cut.size()) +
                           " bytes with a zero byte, which no path can have";
  const std::string whole = cut + std::string("\0.npy", 5);
  CHECK(koine::test::message_of<koine::ValueError>([&] { write_file(whole, "text", "test"); }) == want);
  CHECK(koine::test::message_of<koine::ValueError>([&] { replace_file(whole, "text", "test"); }) == want);
  CHECK(koine::test::message_of<koine::ValueError>([&] { koine::base::read_file(whole, "test"); }) == want);
  CHECK(files_in(folder.path()) == 4);
}

TEST_CASE("a disk that is full leaves the old file") {
  const Folder folder;
  const fs::path path = folder.path() / "file";
  put(path, "old");
  const int open_file = ::open(path.c_str(), O_RDWR);
  // As full as a process can make one: no file may pass ten bytes.
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{10, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  const int beside = error_of(path, std::string(100, 'x'));
  const int in_place = error_of("/proc/self/fd/" + std::to_string(open_file), std::string(100, 'x'));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  close(open_file);
  CHECK(beside == EFBIG);
  CHECK(in_place == EFBIG);
  CHECK(content(path) == "old");
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("as a user who is not root: read-only files stay, files in read-only folders can be written") {
  const Folder folder;
  const fs::path path = folder.path() / "file", fixed = folder.path() / "fixed";
  put(path, "old");
  put(fixed, "old");
  REQUIRE(chmod(path.c_str(), 0666) == 0);
  REQUIRE(chmod(fixed.c_str(), 0444) == 0);
  REQUIRE(chmod(folder.path().c_str(), 0555) == 0);
  int wrong = -1;
  // Of this thread alone: the C library's seteuid() would change them all.
  std::thread([&] {
    if (geteuid() == 0 && syscall(SYS_setresuid, -1, 4321, -1) != 0) return;
    const ino_t before = status_of(path).st_ino;
    wrong = 0;
    if (error_of(path, "a longer text") != 0 || content(path) != "a longer text") wrong |= 1;
    if (error_of(path, "short") != 0 || content(path) != "short") wrong |= 2;
    if (status_of(path).st_ino != before) wrong |= 4;
    if (error_of(fixed, "new") != EACCES || content(fixed) != "old") wrong |= 8;
    if (error_of(folder.path() / "none", "new") != EACCES) wrong |= 16;
  }).join();
  REQUIRE(chmod(folder.path().c_str(), 0755) == 0);
  CHECK(wrong == 0);
  CHECK(files_in(folder.path()) == 2);
}
