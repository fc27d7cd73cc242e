// SPDX-License-Identifier: Apache-2.0
// Drivers that never give back what they map for a program: before the process has no mapping left there is an error,
// and what was compiled before works on.
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "support/arrays.hpp"
#include "support/child.hpp"
#include "support/files.hpp"
#include "support/inner.hpp"
#include "support/structures.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::has;
using kn::test::structured;

namespace {

std::size_t mappings() {
  const std::string maps = kn::test::content("/proc/self/maps");
  return static_cast<std::size_t>(std::count(maps.begin(), maps.end(), '\n'));
}

std::size_t most_mappings() { return std::stoul(kn::test::content("/proc/sys/vm/max_map_count")); }

/// Pages of which no two neighbours are alike: each is a mapping of its own.
class Pages {
 public:
  explicit Pages(std::size_t count) : bytes_(count * size_) {
    start_ = static_cast<char*>(mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    REQUIRE(start_ != MAP_FAILED);
    for (std::size_t i = 1; i < count; i += 2) REQUIRE(mprotect(start_ + i * size_, size_, PROT_READ) == 0);
  }
  ~Pages() { munmap(start_, bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

 private:
  std::size_t size_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE)), bytes_;
  char* start_ = nullptr;
};

bool right(const Array& x, unsigned number) {
  return structured(x, number)(0).item<std::int64_t>() == structured(std::int64_t{5}, number);
}

}  // namespace

TEST_CASE("child: a process with few mappings left" * doctest::skip()) {
  const Array x = kn::full({50}, std::int64_t{5}).eval();
  CHECK(right(x, 2));
  const std::size_t all = most_mappings();
  {
    // As if thousands of programs had been made: a dozen more, and the reserve begins.
    const Pages pages(all - all / 16 - mappings() - 100);
    unsigned number = 3;
    std::string message;
    for (; message.empty() && number < 300; ++number) {
      try {
        const bool is_right = right(x, number);  // a CHECK would catch what it throws
        CHECK(is_right);
      } catch (const kn::OutOfMemory& error) {
        message = error.what();
      }
    }
    CAPTURE(message);
    CHECK(number < 120);
    CHECK(message.starts_with("[eval] "));
    for (const char* part : {"vm.max_map_count", "new process", "KOINE_PROGRAM_LIMIT"}) CHECK(has(message, part));
    CHECK(has(message, std::to_string(all)));
    CHECK(has(message, kn::default_device().selector()));
    CHECK(mappings() < all);
    // Again, and what is there works on.
    CHECK_THROWS_AS(right(x, 500), kn::OutOfMemory);
    CHECK(right(x, 2));
  }
  CHECK(right(x, 500));  // once there is room again
}

TEST_CASE("a process is told of its mappings in time, and not ended by the driver") {
  if (!kn::test::facts_of().programs_stay_mapped) {
    MESSAGE("left out: this driver gives back what it maps");
    return;
  }
  const kn::test::Ended ended =
      kn::test::run_child("child: a process with few mappings left", {{"KOINE_LOG", "jit"}, {"KOINE_CACHE", "off"}});
  CAPTURE(ended.report);
  CHECK(ended.status == 0);
  CHECK(has(ended.err, "koine jit: the driver of " + kn::default_device().selector()));
  CHECK(has(ended.err, "are taken\n"));
}
