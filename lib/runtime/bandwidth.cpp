// SPDX-License-Identifier: Apache-2.0
// Measured bandwidths: a list in memory, and files among those of compiled programs.
#include "runtime/bandwidth.hpp"

#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "koine/version.hpp"
#include "runtime/disk_cache.hpp"
#include "runtime/program_store.hpp"

namespace koine::runtime {

namespace {

/// Of one device; the list only grows, so that it can be read without a lock.
struct Known {
  const DeviceTraits* device;
  std::atomic<double> bandwidth;
  Known* next;
};
constinit std::atomic<Known*> all{nullptr};

Known* find(const DeviceTraits& device) {
  Known* each = all.load(std::memory_order_acquire);
  while (each != nullptr && each->device != &device) each = each->next;
  return each;
}

void keep(const DeviceTraits& device, double bandwidth) {
  if (Known* const known = find(device)) return known->bandwidth.store(bandwidth);
  Known* const made = new Known{&device, bandwidth, all.load(std::memory_order_relaxed)};
  while (!all.compare_exchange_weak(made->next, made, std::memory_order_acq_rel)) {
  }
}

/// As of a program with one kernel, so that what lists the folder tells the device, and what it is.
std::string identity_of(const DeviceTraits& device) {
  const std::string measured = "kernel void bandwidth";
  return ProgramIdentity{version(), device.platform, device.platform_version, device.driver, device.name, "", measured}
      .text();
}

}  // namespace

double known_bandwidth(const DeviceTraits& device) {
  if (const Known* const known = find(device)) return known->bandwidth.load();
  double bandwidth = 0;
  DiskCache& disk = DiskCache::instance();
  if (const auto found = disk.reads() ? disk.read(identity_of(device)) : std::nullopt) {
    if (found->payload().size() == sizeof bandwidth) std::memcpy(&bandwidth, found->payload().data(), sizeof bandwidth);
    if (!std::isfinite(bandwidth) || bandwidth < 0) bandwidth = 0;
  }
  keep(device, bandwidth);
  return bandwidth;
}

void remember_bandwidth(const DeviceTraits& device, double bytes_per_second) {
  keep(device, bytes_per_second);
  std::array<unsigned char, sizeof bytes_per_second> payload;
  std::memcpy(payload.data(), &bytes_per_second, payload.size());
  if (DiskCache& disk = DiskCache::instance(); disk.writes()) disk.write(identity_of(device), payload);
}

std::string bandwidth_text(const DeviceTraits& device) {
  const double bandwidth = known_bandwidth(device);
  if (bandwidth == 0) {
    return "The bandwidth of its memory is not known yet: koine::profile::bandwidth(device) measures it once, and it "
           "is kept with compiled programs.";
  }
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "Peak is %.1f GB/s, as profile::bandwidth(device) measured it.",
                bandwidth / 1e9);
  return text.data();
}

}  // namespace koine::runtime
