// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and singular values by halves, with a LAPACK that finds no root between them.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "exec/bidiagonal_halves.hpp"
#include "exec/host_lapack.hpp"
#include "exec/tridiagonal_halves.hpp"
#include "support/devices.hpp"

namespace {

using koine::exec::HostLapack;
using koine::exec::SpectraCalls;

struct NoRoots : SpectraCalls<double, int> {
  using SpectraCalls::SpectraCalls;
  template <class... Arguments>
  int laed4(Arguments...) const {
    return 1;
  }
  template <class... Arguments>
  int lasd4(Arguments...) const {
    return 1;
  }
};

/// Finds nothing, and counts how often it is asked.
struct Failing : SpectraCalls<double, int> {
  using SpectraCalls::SpectraCalls;
  template <class... Arguments>
  int bdsdc(Arguments...) const {
    return ++asked;
  }
  template <class... Arguments>
  int stedc(Arguments...) const {
    return ++asked;
  }
  mutable int asked = 0;
};

constexpr std::int64_t n = 160;

std::vector<double> numbers(unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  std::vector<double> result(n);
  std::generate(result.begin(), result.end(), [&] { return normal(generator); });
  return result;
}

/// LAPACK with integers of 32 bits, or null, which leave_out() says.
const HostLapack* narrow_lapack() {
  const HostLapack* const lapack = HostLapack::get();
  if (lapack != nullptr && !lapack->wide() && SpectraCalls<double, int>(*lapack, koine::DType::float64).complete()) {
    return lapack;
  }
  koine::test::leave_out("there is no LAPACK here with integers of 32 bits");
  return nullptr;
}

/// Calls check(calls) with those of LAPACK and with those that find no root.
template <class Check>
void with_and_without_roots(Check check) {
  const HostLapack* const lapack = narrow_lapack();
  if (lapack == nullptr) return;
  check(SpectraCalls<double, int>(*lapack, koine::DType::float64));
  check(NoRoots(*lapack, koine::DType::float64));
}

constexpr double tolerance = 30 * n * 2.2e-16;

}  // namespace

TEST_CASE("a tridiagonal matrix whose roots are not found is LAPACK's alone") {
  with_and_without_roots([]<class Calls>(const Calls& calls) {
    using Halves = koine::exec::TridiagonalHalves<double, int, Calls>;
    const std::vector<double> diagonal = numbers(1), beside = numbers(2);
    std::vector<double> d = diagonal, e = beside, z(n * n), memory(static_cast<std::size_t>(Halves::room(n)));
    std::vector<int> integers(static_cast<std::size_t>(Halves::integers(n)));
    REQUIRE(Halves(calls, 2).solve(n, d.data(), e.data(), z.data(), memory.data(), integers.data()) == 0);
    double error = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j <= i; ++j) {
        double sum = 0;
        for (std::int64_t k = 0; k < n; ++k) sum += z[k * n + i] * d[k] * z[k * n + j];
        const double there = i == j ? diagonal[i] : i == j + 1 ? beside[j] : 0;
        error = std::max(error, std::abs(sum - there));
      }
    }
    CHECK(std::is_sorted(d.begin(), d.end()));
    CHECK(error <= tolerance * std::max(std::abs(d.front()), std::abs(d.back())));
  });
}

TEST_CASE("a bidiagonal matrix whose roots are not found is LAPACK's alone") {
  with_and_without_roots([]<class Calls>(const Calls& calls) {
    using Halves = koine::exec::BidiagonalHalves<double, int, Calls>;
    const std::vector<double> diagonal = numbers(3), beside = numbers(4);
    std::vector<double> d = diagonal, e = beside, u(n * n), vt(n * n),
                        memory(static_cast<std::size_t>(Halves::room(n)));
    std::vector<int> integers(static_cast<std::size_t>(Halves::integers(n)));
    REQUIRE(Halves(calls, 2).solve(n, d.data(), e.data(), u.data(), n, vt.data(), memory.data(), integers.data()) == 0);
    double error = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::int64_t k = 0; k < n; ++k) sum += u[k * n + i] * d[k] * vt[j * n + k];
        const double there = i == j ? diagonal[i] : j == i + 1 ? beside[i] : 0;
        error = std::max(error, std::abs(sum - there));
      }
    }
    CHECK(std::is_sorted(d.rbegin(), d.rend()));
    CHECK(error <= tolerance * d.front());
  });
}

TEST_CASE("a LAPACK that finds nothing in a matrix that is not divided is asked once") {
  const HostLapack* const lapack = narrow_lapack();
  if (lapack == nullptr) return;
  using Bidiagonal = koine::exec::BidiagonalHalves<double, int, Failing>;
  using Tridiagonal = koine::exec::TridiagonalHalves<double, int, Failing>;
  constexpr std::int64_t few = 40;
  const auto ones = [](std::int64_t size) { return std::vector<double>(static_cast<std::size_t>(size), 1.0); };
  std::vector<double> d = ones(few), e = ones(few), u = ones(few * few), vt = u,
                      memory = ones(std::max(Bidiagonal::room(few), Tridiagonal::room(few)));
  std::vector<int> integers(static_cast<std::size_t>(std::max(Bidiagonal::integers(few), Tridiagonal::integers(few))));
  const Failing calls(*lapack, koine::DType::float64);
  const Bidiagonal singular(calls, 2);
  CHECK(singular.solve(few, d.data(), e.data(), u.data(), few, vt.data(), memory.data(), integers.data()) != 0);
  CHECK(calls.asked == 1);
  const Tridiagonal eigen(calls, 2);
  CHECK(eigen.solve(few, d.data(), e.data(), u.data(), memory.data(), integers.data()) != 0);
  CHECK(calls.asked == 2);
}
