// SPDX-License-Identifier: Apache-2.0
// eigh, svd and what is made of them, by what they promise: backward errors and orthogonality, computed in double here,
// within 30 n epsilon, by LAPACK and, in a reproducible scope, by kernels.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/matrices.hpp"

namespace kn = koine;
using kn::Array;
using kn::Shape;
using kn::test::has;
using kn::test::identity;
using kn::test::Matrix;
using kn::test::message_of;
using kn::test::on_each_device;
using Number = Matrix::Number;

namespace {

/// Its columns times the values.
Matrix scaled(Matrix a, const std::vector<double>& values) {
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t k = 0; k < a.columns; ++k) a(i, k) *= values[k];
  }
  return a;
}

template <class T>
constexpr bool is_complex = !std::is_floating_point_v<T>;
template <class T>
using Real = decltype(std::abs(T()));

template <class T>
Number number(const T& x) {
  return Number(static_cast<double>(std::real(x)), static_cast<double>(std::imag(x)));
}

template <class T>
Array array_of(const Matrix& a, const Shape& shape) {
  std::vector<T> values;
  for (const Number& x : a.at) {
    if constexpr (is_complex<T>) {
      values.emplace_back(static_cast<Real<T>>(x.real()), static_cast<Real<T>>(x.imag()));
    } else {
      values.push_back(static_cast<T>(x.real()));
    }
  }
  return kn::asarray(values, shape);
}
template <class T>
Array array_of(const Matrix& a) {
  return array_of<T>(a, {a.rows, a.columns});
}

/// Matrix `which` of a stack.
template <class T>
Matrix matrix_of(const std::vector<T>& values, std::size_t rows, std::size_t columns, std::size_t which) {
  Matrix a(rows, columns);
  for (std::size_t i = 0; i < a.at.size(); ++i) a.at[i] = number(values[which * a.at.size() + i]);
  return a;
}

/// The largest magnitude, or 1: what is divided by it has squares within the range of double.
double size_of(const Matrix& a) {
  double size = 0;
  for (const Number& x : a.at) size = std::max(size, std::abs(x));
  return size == 0 ? 1 : size;
}

template <class T>
double allowed(std::size_t n) {
  return 30 * static_cast<double>(std::max<std::size_t>(n, 1)) *
         static_cast<double>(std::numeric_limits<Real<T>>::epsilon());
}

/// The columns are orthonormal.
template <class T>
void check_orthonormal(const Matrix& a) {
  CHECK((adjoint(a) * a - identity(a.columns)).norm() <= allowed<T>(a.rows));
}

template <class T>
void check_svd(const Array& x) {
  const Shape& shape = x.shape();
  const auto m = static_cast<std::size_t>(x.shape(-2)), n = static_cast<std::size_t>(x.shape(-1)), k = std::min(m, n);
  const std::size_t count = k == 0 ? 0 : static_cast<std::size_t>(shape.elements()) / (m * n);
  CAPTURE(to_string(shape));
  const auto all = x.to_vector<T>();
  const auto alone = kn::linalg::svdvals(x).to_vector<Real<T>>();
  for (const bool full : {false, true}) {
    CAPTURE(full);
    const auto [U, S, Vh] = kn::linalg::svd(x, {.full_matrices = full});
    const std::size_t left = full ? m : k, right = full ? n : k;
    CHECK(U.shape(-1) == static_cast<std::int64_t>(left));
    CHECK(Vh.shape(-2) == static_cast<std::int64_t>(right));
    const auto us = U.to_vector<T>(), vs = Vh.to_vector<T>();
    const auto ss = S.to_vector<Real<T>>();
    for (std::size_t i = 0; i < count; ++i) {
      Matrix a = matrix_of(all, m, n, i);
      const Matrix u = matrix_of(us, m, left, i), v = matrix_of(vs, right, n, i);
      const double size = size_of(a);
      for (Number& element : a.at) element /= size;
      std::vector<double> s(left);
      Matrix s_v(left, n);
      for (std::size_t j = 0; j < k; ++j) {
        s[j] = static_cast<double>(ss[i * k + j]) / size;
        CHECK(s[j] >= 0);
        if (j > 0) CHECK(s[j] <= s[j - 1]);
        CHECK(std::abs(s[j] - static_cast<double>(alone[i * k + j]) / size) <= allowed<T>(std::max(m, n)) * a.norm());
        for (std::size_t c = 0; c < n; ++c) s_v(j, c) = s[j] * v(j, c);
      }
      CHECK((u * s_v - a).norm() <= allowed<T>(std::max(m, n)) * a.norm());
      check_orthonormal<T>(u);
      check_orthonormal<T>(adjoint(v));
    }
  }
}

template <class T>
void check_eigh(const Array& x) {
  const auto n = static_cast<std::size_t>(x.shape(-1));
  const std::size_t count = n == 0 ? 0 : static_cast<std::size_t>(x.size()) / (n * n);
  CAPTURE(to_string(x.shape()));
  const auto all = x.to_vector<T>();
  const auto [w, v] = kn::linalg::eigh(x);
  const auto values = w.to_vector<Real<T>>(), alone = kn::linalg::eigvalsh(x).to_vector<Real<T>>();
  const auto vectors = v.to_vector<T>();
  for (std::size_t i = 0; i < count; ++i) {
    Matrix a = matrix_of(all, n, n, i);
    for (std::size_t row = 0; row < n; ++row) {
      a(row, row) = a(row, row).real();
      for (std::size_t column = row + 1; column < n; ++column) a(row, column) = std::conj(a(column, row));
    }
    const double size = size_of(a);
    for (Number& element : a.at) element /= size;
    const Matrix u = matrix_of(vectors, n, n, i);
    std::vector<double> of_this;
    for (std::size_t k = 0; k < n; ++k) {
      of_this.push_back(static_cast<double>(values[i * n + k]) / size);
      if (k > 0) CHECK(of_this[k - 1] <= of_this[k]);
      CHECK(std::abs(of_this[k] - static_cast<double>(alone[i * n + k]) / size) <= allowed<T>(n) * a.norm());
    }
    CHECK((a * u - scaled(u, of_this)).norm() <= allowed<T>(n) * a.norm());
    check_orthonormal<T>(u);
  }
}

template <class T>
class Drawn {
 public:
  explicit Drawn(unsigned seed) : random_(seed) {}
  Matrix matrix(std::size_t m, std::size_t n) {
    std::normal_distribution<double> normal;
    Matrix a(m, n);
    for (Number& x : a.at) {
      const double re = normal(random_);
      x = is_complex<T> ? Number(re, normal(random_)) : Number(re);
    }
    return a;
  }
  /// Columns that are orthonormal, by Gram and Schmidt, twice.
  Matrix basis(std::size_t m, std::size_t n) {
    Matrix a = matrix(m, n);
    for (std::size_t k = 0; k < n; ++k) {
      for (int pass = 0; pass < 2; ++pass) {
        for (std::size_t j = 0; j < k; ++j) {
          Number share = 0;
          for (std::size_t i = 0; i < m; ++i) share += std::conj(a(i, j)) * a(i, k);
          for (std::size_t i = 0; i < m; ++i) a(i, k) -= share * a(i, j);
        }
      }
      double square = 0;
      for (std::size_t i = 0; i < m; ++i) square += std::norm(a(i, k));
      for (std::size_t i = 0; i < m; ++i) a(i, k) /= std::sqrt(square);
    }
    return a;
  }

 private:
  std::mt19937 random_;
};

/// Classes of matrices as LAPACK's own tests take them, of which the singular or eigenvalues are known.
template <class T>
std::vector<std::pair<const char*, std::vector<double>>> classes(std::size_t n) {
  const double epsilon = static_cast<double>(std::numeric_limits<Real<T>>::epsilon());
  std::vector<double> zero(n, 0.0), ones(n, 1.0), ill(n), deficient(n, 0.0), one_large(n, epsilon), graded(n), two(n);
  one_large[0] = 1;
  for (std::size_t i = 0; i < n; ++i) {
    const double part = n == 1 ? 0 : static_cast<double>(i) / static_cast<double>(n - 1);
    ill[i] = std::pow(epsilon, 0.8 * part);
    graded[i] = std::pow(std::numeric_limits<Real<T>>::max_exponent > 128 ? 1e-250 : 1e-30, part);
    if (2 * i < n) deficient[i] = 1 + part;
    two[i] = 2 * i < n ? 3 : 2;
  }
  return {{"zero", zero},           {"equal", ones}, {"ill-conditioned", ill},      {"deficient", deficient},
          {"one large", one_large}, {"two", two},    {"over the exponents", graded}};
}

template <class T>
void check_type() {
  Drawn<T> drawn(7);
  for (const std::size_t n : {1u, 2u, 3u, 31u, 33u}) {
    const Matrix a = drawn.matrix(n, n);
    check_svd<T>(array_of<T>(a));
    check_eigh<T>(array_of<T>(a));
  }
  check_svd<T>(array_of<T>(drawn.matrix(32, 5)));
  check_svd<T>(array_of<T>(drawn.matrix(5, 32)));
  check_svd<T>(array_of<T>(drawn.matrix(1, 7)));
  check_svd<T>(array_of<T>(drawn.matrix(7, 1)));
  // Stacks, and matrices that do not lie in order.
  const Array stack = array_of<T>(drawn.matrix(6, 12), {2, 3, 4, 3});
  check_svd<T>(stack);
  check_svd<T>(stack.mT());
  const Array squares = array_of<T>(drawn.matrix(6, 9), {2, 3, 3, 3});
  check_eigh<T>(squares);
  check_eigh<T>(squares.mT());
  check_eigh<T>(squares(kn::all, kn::slice(kn::none, kn::none, 2), kn::all, kn::all));
  for (const std::size_t n : {4u, 20u}) {
    for (const auto& [name, values] : classes<T>(n)) {
      CAPTURE(name);
      const Matrix u = drawn.basis(n, n), v = drawn.basis(n + 3, n);
      check_svd<T>(array_of<T>(scaled(u, values) * adjoint(v)));
      check_svd<T>(array_of<T>(scaled(v, values) * adjoint(u)));
      std::vector<double> signs = values;
      for (std::size_t i = 1; i < n; i += 2) signs[i] = -signs[i];
      check_eigh<T>(array_of<T>(scaled(u, signs) * adjoint(u)));
    }
  }
  // Near the ends of the range.
  const double large = static_cast<double>(std::numeric_limits<Real<T>>::max()) / 1e3,
               small = static_cast<double>(std::numeric_limits<Real<T>>::min()) * 1e3;
  for (const double scale : {large, small}) {
    CAPTURE(scale);
    Matrix a = drawn.basis(6, 6);
    for (Number& x : a.at) x *= scale;
    check_svd<T>(array_of<T>(a));
    check_eigh<T>(array_of<T>(a));
  }
}

template <class F>
void by_both_ways(kn::DType type, F test) {
  on_each_device(type, [&] {
    for (const bool kernels : {false, true}) {
      CAPTURE(kernels);
      const kn::reproducible scope(kernels);
      test();
    }
  });
}

}  // namespace

TEST_CASE("decompositions of float32") { by_both_ways(kn::float32, check_type<float>); }
TEST_CASE("decompositions of float64") { by_both_ways(kn::float64, check_type<double>); }
TEST_CASE("decompositions of complex64") { by_both_ways(kn::complex64, check_type<std::complex<float>>); }
TEST_CASE("decompositions of complex128") { by_both_ways(kn::complex128, check_type<std::complex<double>>); }

TEST_CASE("decompositions of larger matrices") {
  by_both_ways(kn::float64, [] {
    Drawn<double> drawn(3);
    const std::size_t n = kn::test::exhaustive() ? 257 : 100;
    check_eigh<double>(array_of<double>(drawn.matrix(n, n)));
    check_svd<double>(array_of<double>(drawn.matrix(n, n / 2)));
    // Eigenvalues that are equal, and some that float32 takes for equal.
    std::vector<double> two(n), close(n);
    for (std::size_t i = 0; i < n; ++i) {
      two[i] = 2 * i < n ? 3 : -2;
      close[i] = static_cast<double>(i / 4) + 1e-9 * static_cast<double>(i % 4);
    }
    for (const std::vector<double>& values : {two, close}) {
      const Matrix u = drawn.basis(n, n);
      check_eigh<double>(array_of<double>(scaled(u, values) * adjoint(u)));
    }
    if (!kn::test::exhaustive()) return;
    check_svd<double>(array_of<double>(drawn.matrix(n, n)));
    check_svd<std::complex<float>>(array_of<std::complex<float>>(drawn.matrix(n, n)));
    check_eigh<std::complex<double>>(array_of<std::complex<double>>(drawn.matrix(n, n)));
    check_svd<double>(array_of<double>(drawn.matrix(1000, 10)));
  });
}

TEST_CASE("decompositions of nothing") {
  on_each_device([] {
    const auto [w, v] = kn::linalg::eigh(kn::zeros({0, 3, 3}));
    CHECK(w.shape() == Shape{0, 3});
    CHECK(v.shape() == Shape{0, 3, 3});
    CHECK(kn::linalg::eigvalsh(kn::zeros({2, 0, 0})).shape() == Shape{2, 0});
    const auto [U, S, Vh] = kn::linalg::svd(kn::zeros({2, 3, 0}));
    CHECK(U.shape() == Shape{2, 3, 3});
    CHECK(U(1).to_vector<float>() == std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 1});
    CHECK(S.shape() == Shape{2, 0});
    CHECK(Vh.shape() == Shape{2, 0, 0});
    CHECK(kn::linalg::svd(kn::zeros({0, 3}), {.full_matrices = false}).U.shape() == Shape{0, 0});
    CHECK(kn::linalg::pinv(kn::zeros({2, 3, 0})).shape() == Shape{2, 0, 3});
    CHECK(kn::linalg::matrix_rank(kn::zeros({2, 3, 0})).to_vector<std::int64_t>() == std::vector<std::int64_t>{0, 0});
  });
}

TEST_CASE("integers are decomposed in the default type") {
  on_each_device([] {
    const Array x = kn::array({{2, 1}, {1, 2}});
    const auto [w, v] = kn::linalg::eigh(x);
    CHECK(w.dtype() == kn::float32);
    CHECK(v.dtype() == kn::float32);
    CHECK(kn::test::message_of<kn::DTypeError>([&] {
            kn::linalg::svd(x.astype(kn::float16));
          }).starts_with("[svd] does not take float16"));
    const auto values = w.to_vector<float>();
    CHECK(std::abs(values[0] - 1) < 1e-6);
    CHECK(std::abs(values[1] - 3) < 1e-6);
  });
}

TEST_CASE("the upper triangle of a Hermitian matrix, and its diagonal's imaginary part, are not read") {
  by_both_ways(kn::complex64, [] {
    const float wrong = std::numeric_limits<float>::quiet_NaN();
    using C = std::complex<float>;
    const Array x = kn::asarray(std::vector<C>{C(2, wrong), C(wrong, 1), C(1, 1), C(3, 7)}, {2, 2});
    const auto w = kn::linalg::eigvalsh(x).to_vector<float>();
    CHECK(std::abs(w[0] - 1) < 1e-5);
    CHECK(std::abs(w[1] - 4) < 1e-5);
  });
}

TEST_CASE("a NaN or an infinity is an error of whoever observes a result") {
  by_both_ways(kn::float32, [] {
    for (const float wrong : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
      std::vector<float> values(2 * 3 * 3, 1);
      values[9 + 3] = wrong;
      const Array x = kn::asarray(values, {2, 3, 3});
      const kn::linalg::EighResult result = kn::linalg::eigh(x);
      CHECK(message_of<kn::LinAlgError>([&] { result.eigenvalues.to_vector<float>(); }) ==
            "[eigh] matrix 1 of 2 has a NaN or an infinity");
      CHECK(has(message_of<kn::LinAlgError>([&] { (result.eigenvectors + 1).to_vector<float>(); }), "[eigh] "));
      CHECK(message_of<kn::LinAlgError>([&] { kn::linalg::svdvals(x(1)).to_vector<float>(); }) ==
            "[svdvals] the matrix has a NaN or an infinity");
      CHECK(has(message_of<kn::LinAlgError>([&] { kn::linalg::svd(x).Vh.to_vector<float>(); }), "[svd] matrix 1"));
      CHECK(std::abs(kn::linalg::svdvals(x(0)).to_vector<float>()[0] - 3) < 1e-5);
      // So large that cards go by blocks, and wait for them.
      Array large = kn::ones({2, 70, 70});
      large(1, 3, 3) = wrong;
      const kn::linalg::EighResult of_large = kn::linalg::eigh(large);
      CHECK_NOTHROW(kn::eval({of_large.eigenvalues, of_large.eigenvectors}));
      CHECK(message_of<kn::LinAlgError>([&] { of_large.eigenvalues.to_vector<float>(); }) ==
            "[eigh] matrix 1 of 2 has a NaN or an infinity");
    }
  });
}

TEST_CASE("kernels give the same bits on every device") {
  const kn::reproducible scope;
  on_each_device([] {
    // Whole numbers from a recurrence, so that the input is the same everywhere.
    std::uint64_t state = 1, hash = 14695981039346656037u;
    std::vector<std::complex<float>> values(3 * 19 * 19);
    const auto draw = [&] {
      state = state * 6364136223846793005u + 1442695040888963407u;
      return static_cast<float>(static_cast<int>(state >> 56) - 128);
    };
    for (auto& value : values) {
      const float re = draw();
      value = {re, draw()};
    }
    const Array x = kn::asarray(values, {3, 19, 19});
    const auto add = [&](const Array& result) {
      const auto bits = (kn::is_complex(result.dtype()) ? kn::stack({kn::real(result), kn::imag(result)}) : result)
                            .to_vector<float>();
      for (const float value : bits) {
        std::uint32_t word = 0;
        std::memcpy(&word, &value, sizeof word);
        hash = (hash ^ (value == 0 ? 0 : word)) * 1099511628211u;
      }
    };
    const auto [w, v] = kn::linalg::eigh(x);
    const auto [U, S, Vh] = kn::linalg::svd(x(kn::all, kn::slice(0, 11), kn::all));
    for (const Array& result : {w, v, U, S, Vh}) add(result);
    add(kn::linalg::svd(kn::real(x(0, kn::slice(0, 3), kn::all))).Vh);
    CHECK(hash == 2261640067410445745u);
  });
}

TEST_CASE("the pseudo-inverse") {
  by_both_ways(kn::float64, [] {
    Drawn<double> drawn(5);
    for (const auto& [m, n] : std::vector<std::pair<std::size_t, std::size_t>>{{4, 4}, {7, 3}, {3, 7}}) {
      const Matrix a = drawn.matrix(m, 2) * drawn.matrix(2, n);  // of rank 2
      const Matrix b = matrix_of(kn::linalg::pinv(array_of<double>(a)).to_vector<double>(), n, m, 0);
      const double close = 1e-12 * a.norm() * b.norm();
      CHECK((a * b * a - a).norm() <= close * a.norm());
      CHECK((b * a * b - b).norm() <= close * b.norm());
      CHECK((adjoint(a * b) - a * b).norm() <= close);
      CHECK((adjoint(b * a) - b * a).norm() <= close);
    }
    const Array x = kn::asarray(std::vector<double>{1, 0, 0, 1e-3}, {2, 2});
    CHECK(kn::linalg::pinv(x, {.rtol = 1e-2}).to_vector<double>()[3] == 0);
    CHECK(std::abs(kn::linalg::pinv(x).to_vector<double>()[3] - 1000) < 1e-9);
    const Array both = kn::linalg::pinv(kn::stack({x, x}), {.rtol = kn::array({1e-2, 1e-4})});
    CHECK(both(0, 1, 1).item<double>() == 0);
    CHECK(std::abs(both(1, 1, 1).item<double>() - 1000) < 1e-9);
  });
}

TEST_CASE("condition numbers") {
  by_both_ways(kn::float64, [] {
    Drawn<double> drawn(9);
    const Array x = array_of<double>(scaled(drawn.basis(5, 3), {2, 1, 1e-3}) * adjoint(drawn.basis(3, 3)));
    for (const Array& each : {x, x.mT()}) CHECK(std::abs(kn::linalg::cond(each).item<double>() - 2000) < 1e-6);
    const auto both = kn::linalg::cond(kn::stack({kn::zeros({2, 2}), kn::eye(2)})).to_vector<float>();
    CHECK(both == std::vector<float>{std::numeric_limits<float>::infinity(), 1});
  });
}

TEST_CASE("ranks") {
  by_both_ways(kn::float64, [] {
    Drawn<double> drawn(6);
    const Array x = array_of<double>(drawn.matrix(9, 4) * drawn.matrix(4, 6));
    CHECK(kn::linalg::matrix_rank(x).item<std::int64_t>() == 4);
    CHECK(kn::linalg::matrix_rank(x.mT()).item<std::int64_t>() == 4);
    CHECK(kn::linalg::matrix_rank(kn::zeros({2, 2})).item<std::int64_t>() == 0);
    const Array graded = kn::eye(3) * kn::asarray(std::vector<double>{1, 1e-3, 1e-6});
    CHECK(kn::linalg::matrix_rank(graded, {.rtol = 1e-4}).item<std::int64_t>() == 2);
    CHECK(kn::linalg::matrix_rank(kn::stack({graded, graded}), {.rtol = kn::array({1e-2, 1e-8})})
              .to_vector<std::int64_t>() == std::vector<std::int64_t>{1, 3});
  });
}
