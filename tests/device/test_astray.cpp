// SPDX-License-Identifier: Apache-2.0
// A kernel that writes where it must not: on a card it ends the context, and the library says so.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cstdint>
#include <vector>

#include "support/child.hpp"
#include "support/inner.hpp"

namespace kn = koine;

namespace {

constexpr const char* wild_source = R"(
kernel void test(global uint* x, ulong distance) { x[distance + get_global_id(0)] = 1; }
)";

template <class F>
bool says_lost(F f) {
  try {
    f();
  } catch (const kn::DeviceLost&) {
    return true;
  }
  return false;
}

}  // namespace

TEST_CASE("child: a kernel goes astray" * doctest::skip()) {
  const kn::Array kept = kn::arange(10).eval();
  const kn::Array x = kn::asarray(std::vector<std::uint32_t>(256));
  CHECK(says_lost([&] {
    kn::test::run_kernel({wild_source}, x, {std::uint64_t{1} << 44}, {256}, {64});
    kn::synchronize();
  }));
  // For good, and without harm to what only holds memory.
  CHECK(says_lost([&] { (void)kept.to_vector<int>(); }));
  CHECK(says_lost([&] { (kept + 1).eval(); }));
  CHECK(says_lost([&] { (void)kn::asarray(std::vector<float>{1, 2}); }));
}

TEST_CASE("a kernel that writes outside its buffers loses the device") {
  if (kn::default_device().type() != kn::DeviceType::gpu) {
    MESSAGE("left out: on " << kn::default_device().selector() << " such a kernel writes into the process itself");
    return;
  }
  kn::test::check_child("child: a kernel goes astray");
}
