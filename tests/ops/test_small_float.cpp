// SPDX-License-Identifier: Apache-2.0
// Every operation of the table on the floating types of 16 bits, and that a chain rounds to them at each step.
#include "support/op_table.hpp"

using namespace koine::test;

namespace {

template <class T>
void check_chain() {
  on_each_device([] {
    const Points<T> p = points<T>(3003);
    const koine::Array x1 = koine::asarray(p.x1), x2 = koine::asarray(p.x2);
    const std::vector<T> got = ((x1 + x2 - x1) * x2).template to_vector<T>();
    int wrong = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const long double a = widened(p.x1[i]), b = widened(p.x2[i]);
      const long double want = rounded<T>(rounded<T>(rounded<T>(a + b) - a) * b);
      if (!near<T>(widened(got[i]), want, {}) && ++wrong <= 5) {
        MESSAGE(shown(p.x1[i]), ", ", shown(p.x2[i]), " give ", shown(got[i]), ", expected ", shown(want));
      }
    }
    CHECK(wrong == 0);
  });
}

}  // namespace

TEST_CASE("float16") { check_table<koine::float16_t>(); }
TEST_CASE("bfloat16" * doctest::skip(!all_variants())) { check_table<koine::bfloat16_t>(); }

TEST_CASE("a fused chain rounds after each operation") {
  check_chain<koine::float16_t>();
  check_chain<koine::bfloat16_t>();
}
