// SPDX-License-Identifier: Apache-2.0
// Makes a context's programs: from the disk if they are there, else by the compiler; and brings new ones to the disk.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "cl/device_entry.hpp"
#include "cl/program.hpp"
#include "runtime/disk_cache.hpp"
#include "runtime/kernel.hpp"
#include "runtime/program_room.hpp"

namespace koine::runtime {

/// All that a compiled program depends on: another driver, device or library never finds it.
struct ProgramIdentity {
  std::string version;  ///< of Koine
  std::string platform, platform_version, driver, device, options, source;

  /// The text under which the program lies on disk.
  std::string text() const;
  /// Of such a text; none if it is none.
  static std::optional<ProgramIdentity> parse(std::string_view text);
};
/// The identity of a program on a device.
std::string identity_of(const DeviceTraits& traits, const ProgramText& text);

class ProgramStore {
 public:
  using ProgramRef = std::shared_ptr<const cl::Program>;

  /// `finish` waits for all work. Throws ValueError if the environment's words on the cache are malformed.
  ProgramStore(const cl::DeviceEntry& entry, const ::cl::Context& context, std::function<void()> finish)
      : entry_(entry),
        context_(context),
        finish_(std::move(finish)),
        disk_(DiskCache::instance()),
        room_(entry.traits) {}

  /// Loads or compiles. Throws KernelBuildError with the compiler's log, and OutOfMemory where the process has no room
  /// for another program.
  ProgramRef make(const ProgramText& text);
  /// Sees to it that a program is on disk, for who prepares that before it is used: compiles it if it is not, and
  /// writes it before returning. Whether it is there then. Throws as make() does.
  bool keep_on_disk(const ProgramText& text);
  /// Whether make() would find it on disk, as far as a file's name tells.
  bool is_on_disk(const ProgramText& text) const;
  /// Tells that a kernel of this program was launched for the first time.
  void launched(const ProgramRef& program);
  /// Loads a binary of this device and driver, or a vendor's own assembly where the driver takes that. Nothing of it is
  /// kept on disk. Throws as make() does.
  ProgramRef load_binary(std::span<const unsigned char> binary);

  std::uint64_t built() const noexcept { return built_.load(std::memory_order_relaxed); }
  std::uint64_t loaded() const noexcept { return loaded_.load(std::memory_order_relaxed); }

 private:
  struct Unsaved {
    std::weak_ptr<const cl::Program> program;
    std::string identity;
  };

  ProgramRef load(const std::string& identity, bool parameters);
  ProgramRef build(const ProgramText& text);
  ProgramRef shared(cl::Program program) const;

  const cl::DeviceEntry& entry_;
  const ::cl::Context& context_;
  const std::function<void()> finish_;
  DiskCache& disk_;
  ProgramRoom room_;
  std::mutex mutex_;
  std::unordered_map<const cl::Program*, Unsaved> unsaved_;  // until their first launch
  std::atomic<std::uint64_t> built_{0}, loaded_{0};
};

}  // namespace koine::runtime
