// SPDX-License-Identifier: Apache-2.0
// Words for what a card finds wrong: many are cleared by one command, and used again once nobody asks for them.
#include <doctest/doctest.h>
#include <koine/koine.hpp>
#include <koine/profile.hpp>

#include <cstdint>
#include <vector>

#include "support/arrays.hpp"
#include "support/vendor_layer.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::check_array;
using kn::test::check_played;

namespace {

bool is_out_of_range(const Array& x) {
  try {
    x.to_vector<std::int64_t>();
    return false;
  } catch (const kn::IndexError&) {
    return true;
  }
}

std::uint64_t fills(const kn::profile::Session& session) {
  std::uint64_t calls = 0;
  for (const kn::profile::Row& row : session.rows()) calls += row.kind == kn::profile::Kind::fill ? row.calls : 0;
  return calls;
}

}  // namespace

TEST_CASE("child: words for faults" * doctest::skip()) {
  const Array x = (kn::arange(10) * 3).eval(), right = kn::array({1, -1, 4}), wrong = kn::array({1, 10, 4});
  right.eval();
  wrong.eval();
  const auto taken = [&](const Array& positions) { return kn::take(x, positions).eval(); };
  taken(right);  // which compiles
  kn::profile::Session session;
  constexpr int many = 300;  // several times the words that are cleared together
  for (int i = 0; i < many; ++i) check_array<std::int64_t>(taken(right), {3}, {3, 27, 12});
  session.stop();
  CHECK(fills(session) >= 2);
  CHECK(fills(session) <= many / 50);
  // A word that says what is wrong goes on saying it while it is held, and no longer.
  for (int round = 0; round < 3; ++round) {
    std::vector<Array> good, bad;
    for (int i = 0; i < many / 2; ++i) {
      good.push_back(taken(right));
      bad.push_back(taken(wrong));
    }
    int reported = 0, clear = 0;
    for (int again = 0; again < 2; ++again) {
      for (const Array& each : bad) reported += is_out_of_range(each) ? 1 : 0;
      for (const Array& each : good) clear += is_out_of_range(each) ? 0 : 1;
    }
    CHECK(reported == many);
    CHECK(clear == many);
  }
  // With another queue, too.
  const kn::Queue queue;
  const kn::QueueScope scope(queue);
  check_array<std::int64_t>(taken(right), {3}, {3, 27, 12});
  CHECK(is_out_of_range(taken(wrong)));
}

TEST_CASE("words for faults are cleared together, and each says what its own kernel found") {
  check_played("nvidia", "child: words for faults");
  check_played("amd", "child: words for faults");
}
