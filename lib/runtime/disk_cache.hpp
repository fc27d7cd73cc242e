// SPDX-License-Identifier: Apache-2.0
// Compiled programs in files: each holds what the program was made of and a checksum, so that what is read is right or
// absent. Files only; knows nothing of OpenCL.
#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace koine::runtime {

/// Several processes may read, write and evict in one folder at once: files appear whole, by rename, and whoever finds
/// one gone or bad goes on without it.
class DiskCache {
 public:
  enum class Mode { off, read_only, read_write };

  struct Settings {
    Mode mode = Mode::read_write;
    std::filesystem::path folder;  ///< empty: there is nowhere to put it
    std::uint64_t limit = std::uint64_t{512} << 20;
    bool asked = false;  ///< somebody chose the mode
  };

  /// A file's content.
  class Found {
   public:
    std::span<const unsigned char> payload() const noexcept {
      return {reinterpret_cast<const unsigned char*>(file_.data()) + offset_, file_.size() - offset_};
    }
    /// Not used for a day: time to touch() it.
    bool stale() const noexcept { return stale_; }

   private:
    friend class DiskCache;
    std::string file_;
    std::size_t offset_ = 0;
    bool stale_ = false;
  };

  /// What KOINE_CACHE, KOINE_CACHE_DIR and KOINE_CACHE_SIZE say. Throws ValueError if one is malformed.
  static Settings settings_of_environment();
  /// The process' own, never destroyed. The first call reads the environment and throws ValueError as above.
  static DiskCache& instance();

  explicit DiskCache(Settings settings) : settings_(std::move(settings)) {}

  bool reads() const noexcept { return settings_.mode != Mode::off; }
  bool writes() const noexcept { return settings_.mode == Mode::read_write; }
  /// Whether programs are to be written that are kept elsewhere, too.
  bool writes_all() const noexcept { return writes() && settings_.asked; }

  /// What was written under this identity, which may be any text. A bad file, or one that is not this user's alone,
  /// counts as absent, and is removed.
  std::optional<Found> read(std::string_view identity) noexcept;
  /// Writes a file, then removes the least recently used ones that are over the limit. Whether it worked; a failure is
  /// told to the log once, and nothing more is written, unless the folder had only gone.
  bool write(std::string_view identity, std::span<const unsigned char> payload) noexcept;
  /// Marks a file as used now.
  void touch(std::string_view identity) noexcept;
  /// For a payload that turned out to be of no use.
  void remove(std::string_view identity) noexcept;

  std::filesystem::path path_of(std::string_view identity) const;
  const Settings& settings() const noexcept { return settings_; }

  /// A program's file.
  struct Entry {
    std::filesystem::path path;
    std::uint64_t bytes;
    timespec used;  ///< when it was written or touched
  };
  /// All programs in the folder, the least recently used first; none if it cannot be read.
  std::vector<Entry> entries() const;
  /// What the program in a file was made of; none if the file is damaged or of another kind.
  static std::optional<std::string> identity_in(const std::filesystem::path& file) noexcept;
  /// Removes what processes left that were killed while they wrote, an hour ago or earlier.
  void remove_left_over() const;

 private:
  enum class Folder { unknown, good, bad };

  /// Whether there is a folder whose files nobody else can have written.
  bool usable();
  bool create();
  bool write_whole(const std::filesystem::path& path, std::string_view file);
  void give_up(std::string_view reason);
  void evict(std::uint64_t written);

  const Settings settings_;
  std::mutex mutex_;  // of what follows
  Folder folder_ = Folder::unknown;
  bool write_failed_ = false;
  std::optional<std::uint64_t> unswept_;  // bytes written since the folder was last looked through
};

}  // namespace koine::runtime
