// SPDX-License-Identifier: Apache-2.0
// Paths that other users could lead elsewhere, and the program cache that does without such.
#include "base/ownership.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "runtime/disk_cache.hpp"
#include "support/cache_files.hpp"
#include "support/files.hpp"

namespace fs = std::filesystem;
using koine::runtime::DiskCache;
using Folder = koine::test::TemporaryFolder;
using koine::test::bytes;

namespace {

/// Whether the cache uses a folder, which it does where no part of its path can be replaced.
bool works(const fs::path& path) {
  DiskCache cache({.folder = path});
  const bool used = cache.write("one", bytes(10)) && cache.read("one").has_value();
  CHECK(used == koine::base::replaceable_part(path).empty());
  return used;
}

}  // namespace

TEST_CASE("a folder that others could replace is no place for programs, at whatever part of its path") {
  const Folder folder;
  const fs::path parent = folder.path() / "parent", inside = parent / "other" / "cache";
  fs::create_directories(inside);
  for (const fs::path& each : {parent, parent / "other", inside}) REQUIRE(chmod(each.c_str(), 0700) == 0);
  CHECK(works(inside));
  SUBCASE("writable by all") {
    for (const fs::path& each : {parent, parent / "other"}) {
      REQUIRE(chmod(each.c_str(), 0777) == 0);
      CHECK_FALSE(works(inside));
      REQUIRE(chmod(each.c_str(), 01777) == 0);  // there only the owner of an entry may replace it
      CHECK(works(inside));
      REQUIRE(chmod(each.c_str(), 0755) == 0);
      CHECK(works(inside));
    }
  }
  SUBCASE("writable by a group") {
    if (geteuid() != 0) {
      MESSAGE("left out: only root may give files to any group");
    } else {
      REQUIRE(chmod(parent.c_str(), 0770) == 0);
      CHECK(works(inside));  // the user's own, by its number
      REQUIRE(chown(parent.c_str(), 0, 12345) == 0);
      CHECK_FALSE(works(inside));
      REQUIRE(chmod(parent.c_str(), 0750) == 0);
      CHECK(works(inside));
    }
  }
  SUBCASE("another user's") {
    if (geteuid() != 0) {
      MESSAGE("left out: only root may give files away");
    } else {
      REQUIRE(chown(parent.c_str(), 12345, 12345) == 0);
      CHECK_FALSE(works(inside));
    }
  }
  SUBCASE("links") {
    const fs::path link = folder.path() / "link";
    fs::create_symlink("parent/other", link);
    CHECK(works(link / "cache"));
    CHECK(works(link / ".." / "other" / "cache"));
    REQUIRE(chmod(parent.c_str(), 0777) == 0);
    CHECK_FALSE(works(link / "cache"));  // for what it leads to
    REQUIRE(chmod(parent.c_str(), 0700) == 0);
    if (geteuid() == 0) {
      REQUIRE(lchown(link.c_str(), 12345, 12345) == 0);
      CHECK_FALSE(works(link / "cache"));
      REQUIRE(lchown(link.c_str(), 0, 0) == 0);
    }
    CHECK(works(link / "cache"));
  }
}
