// SPDX-License-Identifier: Apache-2.0
// Iterations that do not converge are LinAlgErrors, which say how far they came: those of kernels that are given too
// few steps, and of a LAPACK that never converges.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <complex>
#include <cstdlib>
#include <string>

#include "exec/spectra.hpp"
#include "support/arrays.hpp"
#include "support/child.hpp"

namespace kn = koine;
namespace la = koine::linalg;
using kn::Array;
using kn::test::message_of;

namespace {

/// While it lives, iterations of kernels take no more steps.
class Limit {
 public:
  explicit Limit(std::uint32_t steps) : before_(kn::exec::most_steps.exchange(steps)) {}
  ~Limit() { kn::exec::most_steps = before_; }

 private:
  const std::uint32_t before_;
};

/// Matrix 1 of these takes steps, the other does not.
Array two_matrices() { return kn::stack({kn::eye(3), kn::array({{1.f, 2.f, 3.f}, {0.f, 1.f, 2.f}, {5.f, 0.f, 1.f}})}); }

template <class T = float>
std::string said(const Array& x) {
  return message_of<kn::LinAlgError>([&] { x.to_vector<T>(); });
}

/// Whether a message says of how many pairs, of so many, the only sweep turned at least.
bool pairs_turned(const std::string& message, const std::string& iteration, int most) {
  const std::string before = iteration + ": at least ",
                    after = " of the pairs of its rows still turned in sweep 1, the last one";
  if (!message.starts_with(before) || !message.ends_with(after)) return false;
  const int pairs = std::stoi(message.substr(before.size()));
  return pairs >= 1 && pairs <= most;
}

using C = std::complex<float>;

}  // namespace

TEST_CASE("kernels that are given too few steps") {
  const kn::reproducible scope;
  const Array x = two_matrices();
  const std::string iteration = "the iteration for matrix 1 of 2 did not converge";
  const std::string found = ": 3 of its 3 eigenvalues were not found";
  {
    const Limit limit(0);
    CHECK(said<C>(la::eig(x).eigenvectors) == "[eig] " + iteration + found);
    CHECK(said<C>(la::eigvals(x)) == "[eigvals] " + iteration + found);
    CHECK(said<C>(la::schur(x, {.output = "complex"}).T) == "[schur] " + iteration + found);
    CHECK(said(la::schur(x).Z) == "[schur] " + iteration + found);
    // Jacobi rotations take a sweep, which does not find out that there is nothing left to do.
    const std::string one = "the iteration for the matrix did not converge";
    CHECK(pairs_turned(said(la::eigh(x(1)).eigenvectors), "[eigh] " + one, 3));
    CHECK(pairs_turned(said(la::svdvals(x(1))), "[svdvals] " + one, 3));
    // Cards take matrices of that size by blocks.
    const kn::reproducible off(false);
    if (kn::default_device().type() != kn::DeviceType::cpu) {
      const Array large = kn::stack({kn::eye(70), kn::cos(kn::expand_dims(kn::arange(70.f), 1) * kn::arange(70.f))});
      CHECK(pairs_turned(said(la::eigh(large).eigenvalues), "[eigh] " + iteration, 70 * 69 / 2));
      CHECK(pairs_turned(said(la::svd(large).U), "[svd] " + iteration, 70 * 69 / 2));
    }
  }
  CHECK(la::svdvals(x).to_vector<float>().size() == 6);
  CHECK(la::schur(x).T.to_vector<float>()[0] == 1);
}

TEST_CASE("child: uses a LAPACK that does not converge" * doctest::skip()) {
  const Array x = two_matrices()(1);
  const std::string iteration = "the iteration for the matrix did not converge";
  const std::string found = ": 2 of its 3 eigenvalues were not found";
  CHECK(said(la::eigh(x).eigenvectors) == "[eigh] " + iteration + ": at least 1 of its 3 eigenvalues were not found");
  CHECK(said(la::eigvalsh(x)) == "[eigvalsh] " + iteration + ": at least 2 of its 3 eigenvalues were not found");
  CHECK(said(la::svd(x).U) == "[svd] " + iteration + ": at least 1 of its 3 singular values were not found");
  CHECK(said<C>(la::eig(x).eigenvalues) == "[eig] " + iteration + found);
  CHECK(said(la::schur(x).T) == "[schur] " + iteration + found);
}

TEST_CASE("a LAPACK that does not converge") {
  const char* const library = std::getenv("KOINE_TEST_LAPACK");
  if (library == nullptr) {
    MESSAGE("not run: ctest names a library in KOINE_TEST_LAPACK");
    return;
  }
  if (kn::default_device().vendor() != "pocl") return;  // others may have no functions of the host
  const kn::test::Ended ended =
      kn::test::run_child("child: uses a LAPACK that does not converge", {{"KOINE_BLAS", library}});
  CHECK(ended.status == 0);
  if (ended.status != 0) MESSAGE(ended.report);
}
