// SPDX-License-Identifier: Apache-2.0
// kernels/rows.cl: rows that are short of a vector, that share a group, and that take all of it.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cmath>
#include <vector>

#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;

namespace {

/// Rows of zeros, whose sums are known.
template <class T>
void check_zeros(std::int64_t rows, std::int64_t columns) {
  if (!kn::test::computes(kn::dtype_of<T>)) return;
  CAPTURE(columns);
  const Array x = kn::zeros({rows, columns}, {.dtype = kn::dtype_of<T>});
  const auto n = static_cast<double>(columns);
  const std::vector<double> shares = kn::softmax(x, {.axis = 1}).to_vector<double>(),
                            sums = kn::logsumexp(x, {.axis = 1}).to_vector<double>();
  const double eps = kn::finfo(kn::dtype_of<T>).eps;
  for (const double share : shares) CHECK(std::abs(share - 1 / n) <= eps / n);
  for (const double sum : sums) CHECK(std::abs(sum - std::log(n)) <= 4 * eps * std::max(std::log(n), 1.0));
}

}  // namespace

TEST_CASE("rows of many lengths") {
  check_zeros<float>(300, 3);
  check_zeros<kn::bfloat16_t>(5, 17);
  check_zeros<float>(2, 257);
  check_zeros<double>(2, 1025);
}
