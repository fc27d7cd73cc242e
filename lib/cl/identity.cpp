// SPDX-License-Identifier: Apache-2.0
// Vendor words, order and identity of devices.
#include "cl/identity.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "base/text.hpp"

namespace koine::cl {

namespace {

using base::contains_ignoring_case;

struct VendorWord {
  std::string_view clue;
  std::string_view word;
};

// Implementations that serve other makers' hardware, by platform: their name is what the user has to know.
constexpr VendorWord implementations[] = {{"portable computing language", "pocl"}, {"oclgrind", "oclgrind"}};
// Mesa drives real cards, which go by their maker; what is left (llvmpipe) is Mesa's own.
constexpr std::string_view mesa_platforms[] = {"rusticl", "clover", "mesa"};
constexpr VendorWord makers[] = {
    {"nvidia", "nvidia"}, {"advanced micro devices", "amd"}, {"amd", "amd"}, {"intel", "intel"},
    {"apple", "apple"},   {"qualcomm", "qualcomm"},          {"arm", "arm"}, {"imagination", "imagination"},
    {"xilinx", "xilinx"}, {"moore threads", "mtt"},          {"ibm", "ibm"}};

std::string_view maker_by_id(std::uint32_t id) {
  switch (id) {
    case 0x10de: return "nvidia";
    case 0x1002: return "amd";
    case 0x1022: return "amd";
    case 0x8086: return "intel";
    case 0x106b: return "apple";
    case 0x5143: return "qualcomm";
    case 0x13b5: return "arm";
    default: return {};
  }
}

std::string_view maker_by_text(std::string_view text) {
  for (const VendorWord& each : makers) {
    if (contains_ignoring_case(text, each.clue)) return each.word;
  }
  return {};
}

/// The first word of a name, as a selector can hold it.
std::string first_word(std::string_view text) {
  std::string word;
  for (const char c : base::lower(base::trim(text))) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      word += c;
    } else if (!word.empty()) {
      break;
    }
  }
  return word;
}

/// Drivers that are not the maker's own come second when two show the same card.
bool is_makers_own(const Candidate& candidate) {
  return contains_ignoring_case(candidate.traits.platform, candidate.traits.vendor);
}

bool same_card(const Candidate& a, const Candidate& b) {
  if (a.platform == b.platform) return false;
  if (!a.uuid.empty() && !b.uuid.empty() && a.uuid == b.uuid) return true;
  if (!a.pci.empty() && !b.pci.empty()) return a.pci == b.pci;
  if (!a.uuid.empty() && !b.uuid.empty()) return false;
  // Nothing certain to go by. One driver that is installed twice says the same about everything; two different CPU
  // drivers stay two devices, because choosing between them is what the user may want.
  const bool same_driver = a.traits.platform == b.traits.platform && a.traits.driver == b.traits.driver;
  return (same_driver || a.traits.device_class == DeviceClass::gpu) && a.traits.name == b.traits.name &&
         a.traits.device_class == b.traits.device_class && a.traits.compute_units == b.traits.compute_units;
}

int tier(const DeviceTraits& traits) {
  switch (traits.device_class) {
    case DeviceClass::gpu: return traits.unified_memory ? 1 : 0;
    case DeviceClass::cpu: return 2;
    case DeviceClass::accelerator: return 3;
  }
  return 4;
}

bool ranks_before(const Candidate& a, const Candidate& b) {
  const auto key = [](const Candidate& c) {
    // Cards by memory, in whole GiB since two of a kind differ by a little; CPU drivers by how many cores they use.
    const std::uint64_t size =
        c.traits.device_class == DeviceClass::cpu ? c.traits.compute_units : (c.traits.memory + (1 << 29)) >> 30;
    return std::tuple(tier(c.traits), !c.traits.fp64, ~size, std::string_view(c.pci), std::string_view(c.uuid),
                      std::string_view(c.traits.name), std::string_view(c.traits.platform));
  };
  return key(a) < key(b);
}

}  // namespace

std::string vendor_of(const VendorClues& clues) {
  for (const VendorWord& each : implementations) {
    if (contains_ignoring_case(clues.platform_name, each.clue)) return std::string(each.word);
  }
  for (const std::string_view mesa : mesa_platforms) {
    if (!contains_ignoring_case(clues.platform_name, mesa)) continue;
    const std::string_view maker = maker_by_id(clues.vendor_id);
    return std::string(maker.empty() || clues.device_class == DeviceClass::cpu ? "mesa" : maker);
  }
  for (const std::string_view text : {clues.platform_name, clues.platform_vendor}) {
    if (const std::string_view maker = maker_by_text(text); !maker.empty()) return std::string(maker);
  }
  if (const std::string_view maker = maker_by_id(clues.vendor_id); !maker.empty()) return std::string(maker);
  if (const std::string_view maker = maker_by_text(clues.device_vendor); !maker.empty()) return std::string(maker);
  for (const std::string_view text : {clues.device_vendor, clues.platform_vendor, clues.platform_name}) {
    const std::string word = first_word(text);
    // "any" and the types are words of the selector's own.
    if (!word.empty() && word != "any" && word != "gpu" && word != "cpu" && word != "acc") return word;
  }
  return "unknown";
}

std::vector<std::size_t> distinct_in_order(std::span<const Candidate> candidates) {
  std::vector<std::size_t> order(candidates.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  // The makers' own drivers first, so that they are the ones that stay.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return is_makers_own(candidates[a]) && !is_makers_own(candidates[b]);
  });
  std::vector<std::size_t> kept;
  // Two equal cards without an address are told apart by counting: each kept one absorbs one of each other platform.
  std::map<std::pair<std::size_t, std::size_t>, bool> absorbed;
  for (const std::size_t each : order) {
    const bool known = std::any_of(kept.begin(), kept.end(), [&](std::size_t other) {
      if (!same_card(candidates[other], candidates[each])) return false;
      bool& taken = absorbed[{other, candidates[each].platform}];
      return !std::exchange(taken, true);
    });
    if (!known) kept.push_back(each);
  }
  std::stable_sort(kept.begin(), kept.end(), [&](std::size_t a, std::size_t b) {
    if (ranks_before(candidates[a], candidates[b])) return true;
    return !ranks_before(candidates[b], candidates[a]) && a < b;
  });
  return kept;
}

void assign_selectors(std::span<DeviceTraits* const> devices) {
  std::map<std::string, int> counts;
  for (DeviceTraits* device : devices) {
    const std::string group = device->vendor + ":" + to_string(device->device_class);
    device->selector = group + ":" + std::to_string(counts[group]++);
  }
}

}  // namespace koine::cl
