// SPDX-License-Identifier: Apache-2.0
// Reads, checks, writes and evicts the files of compiled programs.
#include "runtime/disk_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <system_error>
#include <vector>

#include "base/env.hpp"
#include "base/files.hpp"
#include "base/first_use.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "base/ownership.hpp"
#include "base/text.hpp"
#include "koine/error.hpp"

namespace koine::runtime {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view function = "disk cache";
constexpr std::string_view suffix = ".program", temporary_suffix = ".tmp";
constexpr std::size_t name_digits = 32;
constexpr std::time_t day = 24 * 60 * 60, hour = 60 * 60;
constexpr std::uint64_t largest_file = std::uint64_t{256} << 20;

/// Identity and payload follow, to the end of the file.
struct Header {
  char magic[8] = {'k', 'o', 'i', 'n', 'e', 'p', 'r', '1'};  // the last character is the format's version
  std::uint64_t checksum = 0;                                // of all that follows
  std::uint64_t identity_size = 0;
  std::uint64_t payload_size = 0;
};
constexpr std::size_t checked_from = offsetof(Header, identity_size);

std::uint64_t checksum_of(std::string_view file) noexcept { return base::hash64(file.substr(checked_from)); }

std::string file_of(std::string_view identity, std::span<const unsigned char> payload) {
  Header header;
  header.identity_size = identity.size();
  header.payload_size = payload.size();
  std::string file(sizeof header, '\0');
  file.reserve(sizeof header + identity.size() + payload.size());
  std::memcpy(file.data(), &header, sizeof header);
  file += identity;
  file.append(reinterpret_cast<const char*>(payload.data()), payload.size());
  header.checksum = checksum_of(file);
  std::memcpy(file.data(), &header, sizeof header);
  return file;
}

/// The identity in a file, if that is whole; the payload follows it.
std::optional<std::string_view> identity_of(std::string_view file) noexcept {
  Header header;
  if (file.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, file.data(), sizeof header);
  if (std::memcmp(header.magic, Header{}.magic, sizeof header.magic) != 0) return std::nullopt;
  const std::string_view rest = file.substr(sizeof header);
  if (rest.size() < header.identity_size || header.payload_size != rest.size() - header.identity_size ||
      header.checksum != checksum_of(file)) {
    return std::nullopt;
  }
  return rest.substr(0, header.identity_size);
}

bool is_program(std::string_view name) {
  return name.size() == name_digits + suffix.size() && name.ends_with(suffix) &&
         name.find_first_not_of("0123456789abcdef") == name_digits;
}

/// As base::replace_file() names them. Only files of ours are ever removed: the folder may be one that holds others
/// too.
bool is_temporary(std::string_view name) {
  constexpr std::size_t whole = name_digits + suffix.size();
  return name.size() > whole && is_program(name.substr(0, whole)) && name[whole] == '.' &&
         name.ends_with(temporary_suffix);
}

std::string reason_of(int error) { return std::generic_category().message(error); }

fs::path default_folder() {
  // A relative XDG_CACHE_HOME is to be ignored, says its specification.
  if (const auto cache = base::env("XDG_CACHE_HOME"); cache && cache->front() == '/') return fs::path(*cache) / "koine";
  if (const auto home = base::env("HOME")) return fs::path(*home) / ".cache" / "koine";
  return {};
}

/// Makes a folder and its parents for this user alone; errno on failure.
int make_folders(const fs::path& folder) {
  if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return 0;
  if (errno != ENOENT || !folder.has_parent_path() || folder.parent_path() == folder) return errno;
  if (const int error = make_folders(folder.parent_path())) return error;
  return ::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST ? 0 : errno;
}

}  // namespace

DiskCache::Settings DiskCache::settings_of_environment() {
  Settings settings;
  if (const auto text = base::env("KOINE_CACHE")) {
    settings.asked = true;
    const std::string mode = base::lower(*text);
    if (mode == "off") {
      settings.mode = Mode::off;
    } else if (mode == "ro") {
      settings.mode = Mode::read_only;
    } else if (mode != "rw") {
      throw ValueError("[KOINE_CACHE] \"" + *text +
                       "\" is not a way to use the cache: write rw (read and write, the default), ro (only read) or "
                       "off");
    }
  }
  if (const auto text = base::env("KOINE_CACHE_SIZE")) {
    const auto bytes = text->ends_with('%') ? std::nullopt : base::parse_bytes(*text, 0);
    if (!bytes) {
      throw ValueError("[KOINE_CACHE_SIZE] \"" + *text +
                       "\" is not a size: write bytes (\"512MiB\", \"2GiB\"; a part of the disk cannot be asked for)");
    }
    settings.limit = *bytes;
  }
  const auto folder = base::env("KOINE_CACHE_DIR");
  settings.folder = folder ? fs::path(*folder) : default_folder();
  // Relative paths mean where the process was when it began to use devices.
  std::error_code error;
  if (const fs::path absolute = fs::absolute(settings.folder, error); !error && !settings.folder.empty()) {
    settings.folder = absolute;
  }
  return settings;
}

DiskCache& DiskCache::instance() {
  static constinit base::FirstUse<DiskCache> cache;
  return cache.get([] { return DiskCache(settings_of_environment()); });
}

fs::path DiskCache::path_of(std::string_view identity) const {
  return settings_.folder / (base::hash128_hex(identity) + std::string(suffix));
}

void DiskCache::give_up(std::string_view reason) {
  folder_ = Folder::bad;
  base::log_line(base::LogTopic::jit,
                 "works without a program cache on disk: \"" + settings_.folder.string() + "\" " + std::string(reason));
}

bool DiskCache::usable() {
  const std::lock_guard lock(mutex_);
  if (folder_ != Folder::unknown) return folder_ == Folder::good;
  struct stat status {};
  if (settings_.folder.empty()) {
    give_up("is no folder, and neither XDG_CACHE_HOME nor HOME says where to put one; KOINE_CACHE_DIR may name it");
  } else if (::stat(settings_.folder.c_str(), &status) != 0) {
    if (errno == ENOENT) return false;  // not yet
    give_up("cannot be read: " + reason_of(errno));
  } else if (!S_ISDIR(status.st_mode)) {
    give_up("is not a folder");
  } else if (status.st_uid != ::geteuid()) {
    give_up("belongs to another user");
  } else if (!base::is_ours_alone(status)) {
    give_up("can be written by other users, who could slip programs in");
  } else if (const fs::path part = base::replaceable_part(settings_.folder); !part.empty()) {
    give_up("could be replaced by other users, who may write to \"" + part.string() + "\" or own it");
  } else if (::access(settings_.folder.c_str(), R_OK | X_OK) != 0) {
    give_up("cannot be read: " + reason_of(errno));
  } else {
    folder_ = Folder::good;
  }
  return folder_ == Folder::good;
}

bool DiskCache::create() {
  if (usable()) return true;
  {
    const std::lock_guard lock(mutex_);
    if (folder_ == Folder::bad) return false;
    if (const int error = make_folders(settings_.folder)) {
      give_up("cannot be made: " + reason_of(error));
      return false;
    }
  }
  return usable();
}

std::optional<DiskCache::Found> DiskCache::read(std::string_view identity) noexcept {
  try {
    if (!reads() || !usable()) return std::nullopt;
    const fs::path path = path_of(identity);
    // What is looked at is what is read, whoever renames meanwhile: a checksum is no secret, and a program may be
    // machine code of the host. A link is not followed, nor a pipe's writer waited for.
    const base::Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (file.number() < 0 && errno != ELOOP && errno != ENXIO && errno != EACCES) return std::nullopt;
    struct stat status {};
    if (file.number() >= 0 && ::fstat(file.number(), &status) == 0 && S_ISREG(status.st_mode) &&
        base::is_ours_alone(status) && static_cast<std::uint64_t>(status.st_size) <= largest_file) {
      Found found;
      found.file_ = base::read_file(file, path, function);
      if (identity_of(found.file_) == identity) {
        found.offset_ = sizeof(Header) + identity.size();
        found.stale_ = std::time(nullptr) - status.st_mtime > day;
        return found;
      }
    }
    base::log_line(base::LogTopic::jit, (writes() ? "removes " : "ignores ") + path.string() +
                                            ", which is damaged, of another kind or not this user's alone");
    remove(identity);
  } catch (const std::exception&) {  // gone meanwhile, or cannot be read
  }
  return std::nullopt;
}

bool DiskCache::write_whole(const fs::path& path, std::string_view file) {
  constexpr mode_t for_this_user = 0600;
  try {
    base::replace_file(path, file, function, for_this_user);
    return true;
  } catch (const FileError& error) {
    if (error.error() != ENOENT) throw;
  }
  // Somebody cleaned up: the folder went away.
  {
    const std::lock_guard lock(mutex_);
    folder_ = Folder::unknown;
  }
  if (!create()) return false;
  base::replace_file(path, file, function, for_this_user);
  return true;
}

bool DiskCache::write(std::string_view identity, std::span<const unsigned char> payload) noexcept {
  try {
    if (!writes()) return false;
    {
      const std::lock_guard lock(mutex_);
      if (write_failed_) return false;
    }
    const std::string file = file_of(identity, payload);
    if (file.size() > std::min(settings_.limit, largest_file) || !create()) return false;
    try {
      if (!write_whole(path_of(identity), file)) return false;
    } catch (const IoError& error) {
      const std::lock_guard lock(mutex_);
      write_failed_ = true;
      base::log_line(base::LogTopic::jit, std::string("writes no more programs to disk: ") + error.what());
      return false;
    }
    evict(file.size());
    return true;
  } catch (const std::exception&) {  // no memory for the file's text
    return false;
  }
}

void DiskCache::touch(std::string_view identity) noexcept {
  try {
    if (writes()) ::utimensat(AT_FDCWD, path_of(identity).c_str(), nullptr, 0);
  } catch (const std::exception&) {
  }
}

void DiskCache::remove(std::string_view identity) noexcept {
  try {
    if (writes()) ::unlink(path_of(identity).c_str());
  } catch (const std::exception&) {
  }
}

std::vector<DiskCache::Entry> DiskCache::entries() const {
  std::vector<Entry> found;
  std::error_code error;
  for (fs::directory_iterator entry(settings_.folder, error), end; !error && entry != end; entry.increment(error)) {
    struct stat status {};
    if (!is_program(entry->path().filename().string()) || ::lstat(entry->path().c_str(), &status) != 0) continue;
    if (S_ISREG(status.st_mode)) {
      found.push_back({entry->path(), static_cast<std::uint64_t>(status.st_size), status.st_mtim});
    }
  }
  std::sort(found.begin(), found.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
  });
  return found;
}

std::optional<std::string> DiskCache::identity_in(const fs::path& file) noexcept {
  try {
    const std::string text = base::read_file(file, function);
    if (const auto identity = identity_of(text)) return std::string(*identity);
  } catch (const std::exception&) {  // gone meanwhile, or cannot be read
  }
  return std::nullopt;
}

void DiskCache::remove_left_over() const {
  const std::time_t now = std::time(nullptr);
  std::error_code error;
  for (fs::directory_iterator entry(settings_.folder, error), end; !error && entry != end; entry.increment(error)) {
    struct stat status {};
    if (!is_temporary(entry->path().filename().string()) || ::lstat(entry->path().c_str(), &status) != 0) continue;
    if (S_ISREG(status.st_mode) && now - status.st_mtime > hour) ::unlink(entry->path().c_str());
  }
}

void DiskCache::evict(std::uint64_t written) {
  {
    // Looking through the folder costs time with each file: once in a while is enough.
    const std::lock_guard lock(mutex_);
    if (unswept_ && (*unswept_ += written) < settings_.limit / 64) return;
    unswept_ = 0;
  }
  remove_left_over();
  const std::vector<Entry> files = entries();
  std::uint64_t total = 0;
  for (const Entry& each : files) total += each.bytes;
  for (const Entry& each : files) {
    if (total <= settings_.limit) return;
    ::unlink(each.path.c_str());  // or another process has
    total -= each.bytes;
  }
}

}  // namespace koine::runtime
