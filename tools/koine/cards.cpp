// SPDX-License-Identifier: Apache-2.0
// Reads /sys/bus/pci.
#include "cards.hpp"

#include <algorithm>
#include <system_error>

#include "base/files.hpp"
#include "base/text.hpp"

namespace koine::tool {

namespace {

namespace fs = std::filesystem;

std::string word_in(const fs::path& file) {
  try {
    return std::string(base::trim(base::read_file(file, "koine")));
  } catch (const IoError&) {
    return {};
  }
}

std::string vendor_of(std::string_view number) {
  if (number == "0x10de") return "nvidia";
  if (number == "0x1002") return "amd";
  return number == "0x8086" ? "intel" : "";
}

}  // namespace

std::vector<Card> cards(const fs::path& root) {
  std::vector<Card> found;
  std::error_code error;
  for (fs::directory_iterator entry(root / "sys/bus/pci/devices", error), end; !error && entry != end;
       entry.increment(error)) {
    // Display controllers and processing accelerators.
    const std::string kind = word_in(entry->path() / "class");
    if (!kind.starts_with("0x03") && !kind.starts_with("0x12")) continue;
    Card card{entry->path().filename(), vendor_of(word_in(entry->path() / "vendor")), {}};
    if (card.vendor.empty()) continue;
    std::error_code none;
    card.driver = fs::read_symlink(entry->path() / "driver", none).filename();
    found.push_back(std::move(card));
  }
  std::sort(found.begin(), found.end(), [](const Card& a, const Card& b) { return a.address < b.address; });
  return found;
}

}  // namespace koine::tool
