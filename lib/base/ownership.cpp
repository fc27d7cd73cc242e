// SPDX-License-Identifier: Apache-2.0
// Walks a path from the root, through links.
#include "base/ownership.hpp"

#include <unistd.h>

#include <system_error>

namespace koine::base {

namespace {

namespace fs = std::filesystem;

bool is_trusted(uid_t owner) noexcept { return owner == 0 || owner == ::geteuid(); }

/// Whether others may rename what lies in a folder: not in one with the sticky bit, where that is left to the owner of
/// each entry. A group of the same number as its user is that user's alone, as pam_umask has it too.
bool others_rename_in(const struct stat& folder) noexcept {
  if (!is_trusted(folder.st_uid)) return true;
  if ((folder.st_mode & S_ISVTX) != 0) return false;
  const bool own_group = folder.st_gid == folder.st_uid;
  return (folder.st_mode & S_IWOTH) != 0 || ((folder.st_mode & S_IWGRP) != 0 && !own_group);
}

fs::path replaceable_part(const fs::path& path, int links_left) {
  fs::path part;
  for (const fs::path& name : path) {
    part /= name;
    struct stat status {};
    if (::lstat(part.c_str(), &status) != 0) return part;
    if (S_ISLNK(status.st_mode)) {
      std::error_code error;
      const fs::path target = fs::read_symlink(part, error);
      if (error || links_left == 0 || !is_trusted(status.st_uid)) return part;
      // An absolute target takes the place of what stands before it.
      if (fs::path found = replaceable_part(part.parent_path() / target, links_left - 1); !found.empty()) return found;
    } else if (others_rename_in(status)) {
      return part;
    }
  }
  return {};
}

}  // namespace

bool is_ours_alone(const struct stat& status) noexcept {
  return status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

fs::path replaceable_part(const fs::path& path) {
  constexpr int most_links = 40;  // as the system's own
  return replaceable_part(path, most_links);
}

}  // namespace koine::base
