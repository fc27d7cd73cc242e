// SPDX-License-Identifier: Apache-2.0
// Arrays of unspecified values: memory that no kernel fills.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cstdint>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/inner.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::test::check_array;
using kn::test::on_each_device;

TEST_CASE("an empty array is memory, of bool_ with truths in it") {
  on_each_device([] {
    kn::Array x, like;
    const auto make = [&] {
      x = kn::empty({30, 5}, kn::int32).eval();
      like = kn::empty_like(x, kn::float32).eval();
    };
    CHECK(kn::test::work_of(make).kernels == 0);
    CHECK(kn::test::is_computed(x));
    CHECK(x.shape() == kn::Shape{30, 5});
    CHECK(like.dtype() == kn::float32);
    CHECK(x.to_vector<std::int32_t>().size() == 150);
    CHECK(kn::empty({0, 2}).to_vector<float>().empty());
    for (int i = 0; i < 3; ++i) {
      (void)kn::full({1000}, -1, {.dtype = kn::int8}).eval();  // whose memory comes again
      CHECK(kn::nonzero(kn::empty({1000}, kn::bool_))[0].size() <= 1000);
      CHECK(kn::max(kn::empty({1000}, kn::bool_).astype(kn::int32)).item<int>() <= 1);
    }
    // Each is written by itself.
    kn::Array a = kn::empty({4}), b = kn::empty({4});
    a(kn::all) = 1;
    b(kn::all) = 2;
    check_array<float>(a, {4}, {1, 1, 1, 1});
    check_array<float>(b, {4}, {2, 2, 2, 2});
  });
}
