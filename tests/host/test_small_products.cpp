// SPDX-License-Identifier: Apache-2.0
// Many products of small matrices by the host's threads: whole numbers, whose sums are exact, against plain loops.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cstdint>
#include <vector>

#include "support/small_numbers.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::small_number;
using kn::test::small_numbers;

namespace {

template <class T>
void check(std::int64_t m, std::int64_t n, std::int64_t k) {
  CAPTURE(m);
  CAPTURE(n);
  CAPTURE(k);
  constexpr std::int64_t matrices = 3;
  const Array a = small_numbers<T>({matrices, m, k}), turned = small_numbers<T>({matrices, k, m}),
              b = small_numbers<T>({matrices, k, n + 2});
  const auto expected = [&](bool transposed, std::int64_t b_step) {
    std::vector<T> sums;
    for (std::int64_t matrix = 0; matrix < matrices; ++matrix) {
      for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          int sum = 0;
          for (std::int64_t d = 0; d < k; ++d) {
            const std::int64_t at = matrix * m * k + (transposed ? d * m + i : i * k + d);
            sum += small_number(at) * small_number(matrix * b_step + d * (n + 2) + j + 1);
          }
          sums.push_back(static_cast<T>(sum));
        }
      }
    }
    return sums;
  };
  const Array right = b(kn::ellipsis, kn::slice(1, n + 1));
  CHECK(kn::matmul(a, right).template to_vector<T>() == expected(false, k * (n + 2)));
  CHECK(kn::matmul(turned.mT(), right).template to_vector<T>() == expected(true, k * (n + 2)));
  CHECK(kn::matmul(a, right(0)).template to_vector<T>() == expected(false, 0));
}

}  // namespace

TEST_CASE("small products of any sizes and layouts") {
  for (const std::int64_t n : {2, 3, 4, 7, 8, 9, 12, 16, 17, 40}) {
    for (const std::int64_t m : {2, 3, 4, 5, 16}) {
      for (const std::int64_t k : {2, 8, 13}) {
        check<float>(m, n, k);
        check<double>(m, n, k);
      }
    }
  }
  check<float>(64, 8, 8);
  check<double>(2, 1000, 2);
  check<float>(64, 200, 100);  // which threads share, without a command of the queue
}
