// SPDX-License-Identifier: Apache-2.0
// Whether anybody else than this user, and root, can have changed a file or what a path leads to.
#pragma once

#include <sys/stat.h>

#include <filesystem>

namespace koine::base {

/// Whether a file or folder is this user's, and nobody else can write to it.
bool is_ours_alone(const struct stat& status) noexcept;

/// The first part of an absolute path, or of what its links lead to, that another user could replace by something else;
/// empty if there is none. The last part of the path is looked at as the others are. What cannot be looked at is given
/// too.
std::filesystem::path replaceable_part(const std::filesystem::path& path);

}  // namespace koine::base
