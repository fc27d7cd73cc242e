// SPDX-License-Identifier: Apache-2.0
// The files of compiled programs: whatever is damaged, foreign or in the way counts as absent.
#include "runtime/disk_cache.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "koine/error.hpp"
#include "support/cache_files.hpp"
#include "support/files.hpp"
#include "support/variable.hpp"

namespace fs = std::filesystem;
using koine::runtime::DiskCache;
using Folder = koine::test::TemporaryFolder;
using Mode = DiskCache::Mode;
using koine::test::age;
using koine::test::bytes;
using koine::test::content;
using koine::test::files_in;
using koine::test::put;
using koine::test::read;
using koine::test::Variable;

namespace {

std::time_t modified(const fs::path& path) {
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  return status.st_mtime;
}

mode_t mode_of(const fs::path& path) {
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

std::string error_of_environment() {
  try {
    DiskCache::settings_of_environment();
  } catch (const koine::ValueError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

/// Works without: reads nothing, writes nothing, throws nothing.
void check_unusable(const fs::path& folder) {
  CAPTURE(folder.string());
  DiskCache cache({.mode = Mode::read_write, .folder = folder});
  CHECK_FALSE(cache.read("identity"));
  CHECK_FALSE(cache.write("identity", bytes(10)));
  CHECK_FALSE(cache.read("identity"));
}

}  // namespace

TEST_CASE("what was written is read, by others too, under its own identity only") {
  const Folder folder;
  const fs::path inside = folder.path() / "a" / "b";
  DiskCache cache({.folder = inside});
  CHECK_FALSE(cache.read("one"));
  CHECK_FALSE(fs::exists(folder.path() / "a"));  // made at the first write
  CHECK(cache.write("one", bytes(1000)));
  CHECK(cache.write("two", bytes(0)));
  CHECK(cache.write(std::string("a\0b", 3), bytes(3)));
  CHECK(mode_of(inside) == 0700);
  CHECK(mode_of(inside.parent_path()) == 0700);
  CHECK(read(cache, "one") == bytes(1000));
  CHECK(read(cache, "two") == bytes(0));
  CHECK_FALSE(cache.read("three"));
  CHECK_FALSE(cache.read("a"));
  DiskCache other({.mode = Mode::read_only, .folder = inside});
  CHECK(read(other, "one") == bytes(1000));
  CHECK(read(other, std::string("a\0b", 3)) == bytes(3));
  CHECK(cache.write("one", bytes(500, 9)));
  CHECK(read(other, "one") == bytes(500, 9));
  CHECK(files_in(inside) == 3);
  cache.remove("one");
  CHECK_FALSE(other.read("one"));
}

TEST_CASE("a file cut anywhere, longer, or with any byte flipped is absent, and removed") {
  const Folder folder;
  DiskCache cache({.folder = folder.path()});
  const std::string identity = "a source";
  REQUIRE(cache.write(identity, bytes(40)));
  const fs::path path = cache.path_of(identity);
  const std::string whole = content(path);
  REQUIRE(whole.size() > 48);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    put(path, whole.substr(0, size));
    CHECK_FALSE(cache.read(identity));
    CHECK_FALSE(fs::exists(path));
  }
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const char flip : {'\x01', '\x80', '\xff'}) {
      CAPTURE(i);
      std::string text = whole;
      text[i] = static_cast<char>(text[i] ^ flip);
      put(path, text);
      CHECK_FALSE(cache.read(identity));
      CHECK_FALSE(fs::exists(path));
    }
  }
  put(path, whole + "x");
  CHECK_FALSE(cache.read(identity));
  put(path, whole + whole);
  CHECK_FALSE(cache.read(identity));
  put(path, whole);
  CHECK(read(cache, identity) == bytes(40));
}

TEST_CASE("entries are the programs, the least recently used first, and each says what it was made of") {
  const Folder folder;
  DiskCache cache({.folder = folder.path() / "cache"});
  CHECK(cache.entries().empty());
  REQUIRE(cache.write("old", bytes(10)));
  REQUIRE(cache.write("new", bytes(20)));
  age(cache.path_of("old"), 3600);
  put(cache.settings().folder / "notes.txt", "mine");
  put(cache.settings().folder / "short.program", "no hash");
  fs::create_directory(cache.path_of("a folder"));
  const auto entries = cache.entries();
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].path == cache.path_of("old"));
  CHECK(entries[1].path == cache.path_of("new"));
  CHECK(entries[0].bytes == fs::file_size(cache.path_of("old")));
  CHECK(entries[0].used.tv_sec == modified(cache.path_of("old")));
  CHECK(DiskCache::identity_in(entries[0].path) == "old");
  CHECK(DiskCache::identity_in(entries[1].path) == "new");
  CHECK_FALSE(DiskCache::identity_in(cache.path_of("none")));
  std::string damaged = content(entries[0].path);
  damaged.back() ^= 1;
  put(entries[0].path, damaged);
  CHECK_FALSE(DiskCache::identity_in(entries[0].path));
}

TEST_CASE("a whole file of another identity under this one's name is absent") {
  const Folder folder;
  DiskCache cache({.folder = folder.path()});
  REQUIRE(cache.write("driver 1", bytes(40)));
  fs::rename(cache.path_of("driver 1"), cache.path_of("driver 2"));
  CHECK_FALSE(cache.read("driver 2"));
  REQUIRE(cache.write("driver 1", bytes(40)));
  fs::copy_file(cache.path_of("driver 1"), cache.path_of("driver 1, later"));
  CHECK_FALSE(cache.read("driver 1, later"));
  CHECK(read(cache, "driver 1") == bytes(40));
}

TEST_CASE("files are for this user alone, whatever the umask, and others' are absent") {
  const Folder folder;
  DiskCache cache({.folder = folder.path()});
  const mode_t before = umask(0);
  const bool written = cache.write("one", bytes(40));
  umask(before);
  REQUIRE(written);
  const fs::path path = cache.path_of("one");
  CHECK(mode_of(path) == 0600);
  REQUIRE(chmod(path.c_str(), 0644) == 0);
  CHECK(read(cache, "one") == bytes(40));
  for (const mode_t open : {0620, 0602, 0666}) {
    CAPTURE(open);
    REQUIRE(cache.write("one", bytes(40)));
    REQUIRE(chmod(path.c_str(), open) == 0);
    CHECK_FALSE(cache.read("one"));
    CHECK_FALSE(fs::exists(path));
  }
  if (geteuid() != 0) {
    MESSAGE("left out: only root may give files away");
  } else {
    REQUIRE(cache.write("one", bytes(40)));
    REQUIRE(chown(path.c_str(), 12345, 12345) == 0);
    CHECK_FALSE(cache.read("one"));
    CHECK_FALSE(fs::exists(path));
  }
}

TEST_CASE("a folder that goes away is made again, and waited for where it cannot be made") {
  const Folder folder;
  const fs::path inside = folder.path() / "cache";
  DiskCache cache({.folder = inside});
  for (int time = 0; time < 3; ++time) {
    CAPTURE(time);
    CHECK(cache.write("one", bytes(40)));
    CHECK(read(cache, "one") == bytes(40));
    CHECK(mode_of(inside) == 0700);
    fs::remove_all(inside);
    CHECK_FALSE(cache.read("one"));
  }
  fs::create_symlink(folder.path() / "nowhere", inside);
  CHECK_FALSE(cache.write("one", bytes(40)));
  fs::remove(inside);
  CHECK(cache.write("one", bytes(40)));
}

TEST_CASE("what is no file under a file's name is absent, and does not hang") {
  const Folder folder;
  DiskCache cache({.folder = folder.path()});
  fs::create_directories(cache.path_of("folder") / "inside");
  CHECK_FALSE(cache.read("folder"));
  REQUIRE(mkfifo(cache.path_of("pipe").c_str(), 0600) == 0);
  CHECK_FALSE(cache.read("pipe"));
  REQUIRE(cache.write("right", bytes(5)));
  const fs::path right = cache.path_of("right"), link = cache.path_of("link");
  for (const fs::path& target : {fs::path("/dev/zero"), fs::path("/dev/null"), fs::path("/dev/tty"), fs::path("/"),
                                 fs::path("/proc/self/mem"), cache.path_of("pipe"), link, right, fs::path("nowhere")}) {
    CAPTURE(target.string());
    fs::create_symlink(target, link);
    CHECK_FALSE(cache.read("link"));
    CHECK_FALSE(fs::is_symlink(link));
    CHECK(cache.write("link", bytes(6)));
    CHECK(read(cache, "link") == bytes(6));
    fs::remove(link);
  }
  CHECK(read(cache, "right") == bytes(5));
  // Larger than any program: not even read.
  put(cache.path_of("huge"), "koinepr1");
  fs::resize_file(cache.path_of("huge"), std::uintmax_t{1} << 40);
  CHECK_FALSE(cache.read("huge"));
  CHECK(cache.write("pipe", bytes(5)));
  CHECK(read(cache, "pipe") == bytes(5));
}

TEST_CASE("read-only and off") {
  const Folder folder;
  DiskCache writer({.folder = folder.path()});
  REQUIRE(writer.write("one", bytes(8)));
  const fs::path path = writer.path_of("one");
  age(path, 1'000'000);
  const std::time_t before = modified(path);

  DiskCache reader({.mode = Mode::read_only, .folder = folder.path()});
  CHECK(reader.reads());
  CHECK_FALSE(reader.writes());
  CHECK(read(reader, "one") == bytes(8));
  CHECK_FALSE(reader.write("two", bytes(8)));
  reader.touch("one");
  CHECK(modified(path) == before);
  put(path, "damaged");
  CHECK_FALSE(reader.read("one"));
  reader.remove("one");
  CHECK(content(path) == "damaged");
  CHECK(files_in(folder.path()) == 1);

  REQUIRE(writer.write("one", bytes(8)));
  DiskCache off({.mode = Mode::off, .folder = folder.path()});
  CHECK_FALSE(off.reads());
  CHECK_FALSE(off.read("one"));
  CHECK_FALSE(off.write("two", bytes(8)));
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("the least recently used files go first, once there are more than the limit") {
  const Folder folder;
  const std::size_t size = 10'000;
  DiskCache cache({.folder = folder.path(), .limit = 4 * size + 1000});
  const std::vector<std::string> names = {"a", "b", "c", "d"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    REQUIRE(cache.write(names[i], bytes(size)));
    age(cache.path_of(names[i]), static_cast<std::time_t>(200'000 - 1000 * i));
  }
  for (const std::string& name : names) CHECK(cache.read(name));
  const auto found = cache.read("a");
  REQUIRE(found);
  CHECK(found->stale());
  cache.touch("a");
  CHECK(std::time(nullptr) - modified(cache.path_of("a")) < 100);
  CHECK_FALSE(cache.read("a")->stale());
  REQUIRE(cache.write("e", bytes(size)));
  CHECK(cache.read("a"));
  CHECK_FALSE(fs::exists(cache.path_of("b")));
  CHECK(cache.read("c"));
  REQUIRE(cache.write("f", bytes(2 * size)));
  CHECK_FALSE(fs::exists(cache.path_of("c")));
  CHECK_FALSE(fs::exists(cache.path_of("d")));
  CHECK(cache.read("a"));
  CHECK(cache.read("e"));
  CHECK(cache.read("f"));
  // More than the limit by itself: not written, and nothing goes for it.
  CHECK_FALSE(cache.write("g", bytes(5 * size)));
  CHECK(files_in(folder.path()) == 3);
}

TEST_CASE("temporary files that were left go after an hour; other people's files stay") {
  const Folder folder;
  DiskCache cache({.folder = folder.path(), .limit = 1000});
  const std::string name = cache.path_of("killed").string();
  const std::vector<fs::path> stay = {folder.path() / "notes.txt", folder.path() / "x.tmp", name + ".9.9.bak",
                                      folder.path() / "0123456789abcdef0123456789abcde.program", name + ".77.1.tmp"};
  for (const fs::path& each : stay) put(each, std::string(5000, 'x'));
  const fs::path old = name + ".77.0.tmp";
  put(old, "half");
  for (const fs::path& each : stay) age(each, 1'000'000);
  age(stay.back(), 1000);
  age(old, 4000);
  REQUIRE(cache.write("one", bytes(10)));
  CHECK_FALSE(fs::exists(old));
  for (const fs::path& each : stay) {
    CAPTURE(each.string());
    CHECK(fs::exists(each));
  }
  CHECK(cache.read("one"));
}

TEST_CASE("a temporary file that a killed process left is no obstacle to one with the same number") {
  const Folder folder;
  DiskCache cache({.folder = folder.path()});
  // All the names that this process could take next.
  for (int i = 0; i < 90; ++i) {
    put(cache.path_of("one").string() + "." + std::to_string(getpid()) + "." + std::to_string(i) + ".tmp", "half");
  }
  CHECK(cache.write("one", bytes(10)));
  CHECK(read(cache, "one") == bytes(10));
}

TEST_CASE("folders that cannot be used are done without") {
  const Folder folder;
  SUBCASE("none") { check_unusable({}); }
  SUBCASE("a file in its place") {
    put(folder.path() / "file", "text");
    check_unusable(folder.path() / "file");
    CHECK(content(folder.path() / "file") == "text");
  }
  SUBCASE("a file in its parent's place") {
    put(folder.path() / "file", "text");
    check_unusable(folder.path() / "file" / "koine");
  }
  SUBCASE("a pipe in its place") {
    REQUIRE(mkfifo((folder.path() / "pipe").c_str(), 0600) == 0);
    check_unusable(folder.path() / "pipe");
  }
  SUBCASE("a link to itself, to a device and to nowhere") {
    for (const fs::path& target : {folder.path() / "link", fs::path("/dev/null"), fs::path("/nowhere/koine")}) {
      fs::create_symlink(target, folder.path() / "link");
      check_unusable(folder.path() / "link");
      fs::remove(folder.path() / "link");
    }
  }
  SUBCASE("a place where nobody makes folders") { check_unusable("/proc/koine/cache"); }
  SUBCASE("writable by others") {
    fs::create_directory(folder.path() / "open");
    for (const mode_t mode : {0777, 01777, 0770}) {
      REQUIRE(chmod((folder.path() / "open").c_str(), mode) == 0);
      check_unusable(folder.path() / "open");
    }
    CHECK(files_in(folder.path() / "open") == 0);
  }
  SUBCASE("of another user") {
    if (geteuid() != 0) {
      // The root folder belongs to somebody else, and is there on every machine.
      check_unusable("/");
    } else {
      const fs::path theirs = folder.path() / "theirs";
      fs::create_directory(theirs);
      REQUIRE(chmod(theirs.c_str(), 0700) == 0);
      DiskCache before({.folder = theirs});
      REQUIRE(before.write("identity", bytes(10)));
      REQUIRE(chown(theirs.c_str(), 12345, 12345) == 0);
      check_unusable(theirs);
      CHECK(files_in(theirs) == 1);
    }
  }
  SUBCASE("not writable") {
    if (geteuid() == 0) {
      MESSAGE("left out: root may write into every folder");
    } else {
      const fs::path closed = folder.path() / "closed";
      fs::create_directory(closed);
      REQUIRE(chmod(closed.c_str(), 0500) == 0);
      check_unusable(closed);
    }
  }
}

TEST_CASE("what the environment says") {
  const Folder folder;
  const Variable mode("KOINE_CACHE", std::nullopt), size("KOINE_CACHE_SIZE", std::nullopt),
      dir("KOINE_CACHE_DIR", std::nullopt);
  const Variable xdg("XDG_CACHE_HOME", std::nullopt), home("HOME", "/home/someone");
  const auto settings = [] { return DiskCache::settings_of_environment(); };
  SUBCASE("defaults") {
    CHECK(settings().mode == Mode::read_write);
    CHECK_FALSE(settings().asked);
    CHECK(settings().limit == std::uint64_t{512} << 20);
    CHECK(settings().folder == "/home/someone/.cache/koine");
    setenv("XDG_CACHE_HOME", "/var/cache/someone", 1);
    CHECK(settings().folder == "/var/cache/someone/koine");
    setenv("XDG_CACHE_HOME", "relative", 1);
    CHECK(settings().folder == "/home/someone/.cache/koine");
    setenv("KOINE_CACHE_DIR", "/elsewhere", 1);
    CHECK(settings().folder == "/elsewhere");
    setenv("KOINE_CACHE_DIR", "here/cache", 1);
    CHECK(settings().folder == fs::current_path() / "here/cache");
    for (const char* name : {"KOINE_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}) unsetenv(name);
    CHECK(settings().folder.empty());
    setenv("KOINE_CACHE", " RO ", 1);
    CHECK(settings().mode == Mode::read_only);
    setenv("KOINE_CACHE", "off", 1);
    CHECK(settings().mode == Mode::off);
    setenv("KOINE_CACHE", "rw", 1);
    CHECK(settings().mode == Mode::read_write);
    CHECK(settings().asked);
    setenv("KOINE_CACHE_SIZE", "2GiB", 1);
    CHECK(settings().limit == std::uint64_t{2} << 30);
    setenv("KOINE_CACHE_SIZE", "1000", 1);
    CHECK(settings().limit == 1000);
  }
  SUBCASE("modes that cannot be read") {
    for (const char* word : {"on", "1", "read", "r w", "ro,rw"}) {
      setenv("KOINE_CACHE", word, 1);
      const std::string message = error_of_environment();
      CAPTURE(message);
      for (const std::string& part : {std::string("[KOINE_CACHE] "), "\"" + std::string(word) + "\"", std::string("rw"),
                                      std::string("ro"), std::string("off")}) {
        CHECK(message.find(part) != std::string::npos);
      }
    }
  }
  SUBCASE("sizes that cannot be read") {
    for (const char* word : {"50%", "large", "-1", "10 parsecs", "1e30", "50 %"}) {
      setenv("KOINE_CACHE_SIZE", word, 1);
      const std::string message = error_of_environment();
      CAPTURE(message);
      CHECK(message.find("[KOINE_CACHE_SIZE] \"" + std::string(word) + "\" is not a size") == 0);
    }
  }
}

TEST_CASE("two processes read, write and evict at once, and read only what is right") {
  const Folder folder;
  const std::size_t names = 12, size = 3000;
  const auto work = [&](unsigned seed) {
    DiskCache cache({.folder = folder.path() / "new", .limit = (names - 4) * (size + 200)});
    int good = 0;
    for (unsigned i = 0; i < 600; ++i) {
      const unsigned which = (i * 7 + seed * 5 + i / 13) % names;
      const std::string name = "program " + std::to_string(which);
      if (const auto found = read(cache, name)) {
        if (*found != bytes(size, which)) return 1;
        ++good;
      } else if (!cache.write(name, bytes(size, which))) {
        return 2;
      }
    }
    return good > 0 ? 0 : 3;
  };
  std::vector<pid_t> children;
  for (unsigned seed = 0; seed < 2; ++seed) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) _exit(work(seed));
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
  }
  for (const auto& entry : fs::directory_iterator(folder.path() / "new")) {
    CHECK(entry.path().extension() == ".program");  // no temporary file is left
  }
}
