// SPDX-License-Identifier: Apache-2.0
// Files of the cache of compiled programs.
#include <cstring>
#include <span>
#include <string>

#include "base/hash.hpp"
#include "runtime/disk_cache.hpp"
#include "support/files.hpp"
#include "targets.hpp"

namespace koine::fuzz {
namespace {

constexpr std::string_view identity = "a program";

/// Where the file says what it is, and where its checksum lies, over all that follows.
constexpr std::string_view magic = "koinepr1";
constexpr std::size_t checksum_at = 8, checked_from = 16;

}  // namespace

void fuzz_cache(std::string_view bytes) {
  if (bytes.empty()) return;
  std::string file(bytes.substr(1));
  if (bytes[0] % 2 == 1 && file.size() >= checked_from) {
    file.replace(0, magic.size(), magic);
    const std::uint64_t checksum = base::hash64(std::string_view(file).substr(checked_from));
    std::memcpy(file.data() + checksum_at, &checksum, sizeof checksum);
  }
  static const test::TemporaryFolder folder;
  runtime::DiskCache cache({.folder = folder.path()});
  require(cache.write(identity, {}), "a program can be written");  // makes the file, for this user alone
  const auto path = cache.path_of(identity);
  test::put(path, file);
  largest_request();
  const auto found = cache.read(identity);
  require(largest_request() <= 4 * file.size() + 8192, "a file took more memory than it could fill");
  if (!found) {
    require(!std::filesystem::exists(path), "what is no program is removed");
    return;
  }
  const std::string payload(reinterpret_cast<const char*>(found->payload().data()), found->payload().size());
  require(cache.write(identity, found->payload()), "a program can be written");
  require(test::content(path) == file, "what was served is what such a file would hold");
  require(file.size() >= payload.size() && file.ends_with(payload), "the payload is the file's end");
}

}  // namespace koine::fuzz
