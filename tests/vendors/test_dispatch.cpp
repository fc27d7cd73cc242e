// SPDX-License-Identifier: Apache-2.0
// What runs on which vendor's device: routes of matrix products, the shape of loops, and groups within each device's
// limits.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <atomic>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/files.hpp"
#include "support/inner.hpp"
#include "support/vendor_layer.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::activity_of;
using kn::test::check_array;
using kn::test::check_played;
using kn::test::counted;
using kn::test::numbered;
using kn::test::usual_and;
using kn::test::vendor_layer;

namespace {

// What goes in and what comes out is made and looked at here: each kernel that did would be compiled for each play.

/// f(row, column) of a matrix.
template <class F>
Array made(std::int64_t rows, std::int64_t columns, kn::DType type, F f) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < rows * columns; ++i) values.push_back(static_cast<float>(f(i / columns, i % columns)));
  return kn::asarray(values, {rows, columns}, type);
}

Array diagonal(std::int64_t size, float value, kn::DType type = kn::float32) {
  return made(size, size, type, [&](std::int64_t i, std::int64_t j) { return i == j ? value : 0.0f; });
}

Array all_ones(const kn::Shape& shape, kn::DType type = kn::float32) {
  return kn::asarray(std::vector<float>(static_cast<std::size_t>(shape.elements()), 1), shape, type);
}

/// Whether a matrix, or the absolute values of one, is `value` along its diagonal and otherwise 0.
bool is_diagonal(const Array& x, float value, bool absolute = false) {
  const std::vector<float> values = x.to_vector<float>();
  const auto size = static_cast<std::size_t>(x.shape(-1));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float got = absolute ? std::abs(values[i]) : values[i];
    if (got != (i % (size + 1) == 0 ? value : 0.0f)) return false;
  }
  return true;
}

/// Whether all elements are within `error` of `value`.
bool all_near(const Array& x, float value, float error = 0) {
  for (const std::complex<float> got : x.to_vector<std::complex<float>>()) {
    if (!(std::abs(got - value) <= error)) return false;
  }
  return true;
}

/// Rows of i % 7 times columns of j % 5.
void check_product(std::int64_t size, kn::DType type) {
  CAPTURE(size);
  CAPTURE(kn::name(type));
  const Array a = made(size, size, type, [](std::int64_t i, std::int64_t) { return i % 7; });
  const Array b = made(size, size, type, [](std::int64_t, std::int64_t j) { return j % 5; });
  kn::eval(a, b);
  const std::vector<double> got = kn::matmul(a, b).to_vector<double>();
  std::int64_t wrong = 0;
  for (std::int64_t k = 0; k < size * size; ++k) {
    const std::int64_t want = size * (k / size % 7) * (k % size % 5);
    wrong += got[static_cast<std::size_t>(k)] != static_cast<double>(want);
  }
  CHECK(wrong == 0);
}

std::uint64_t own_launches() { return activity_of().launches; }
std::uint64_t foreign_launches() { return vendor_layer().launches() - own_launches(); }

}  // namespace

TEST_CASE("child: CLBlast multiplies" * doctest::skip()) {
  check_product(64, kn::float32);
  CHECK(foreign_launches() == 0);
  check_product(512, kn::float32);
  CHECK(foreign_launches() > 0);
  const std::uint64_t before = foreign_launches();
  check_product(512, kn::int32);
  CHECK(foreign_launches() == before);
}

TEST_CASE("child: CLBlast compiles" * doctest::skip()) {
  // What else is computed has its kernels already.
  const Array x = numbered<std::int64_t>({1000});
  const auto compute = [&] { return (x * 2 + 1)(999).item<std::int64_t>() == 1999; };
  CHECK(compute());
  const Array a = made(512, 512, kn::float32, [](std::int64_t i, std::int64_t j) { return (i + j) % 7; });
  std::atomic<bool> done{false};
  std::thread other([&] {
    kn::matmul(a, a).eval();
    done = true;
  });
  int meanwhile = 0;
  while (!done) {
    const bool before = vendor_layer().builds_under_way() > 0, right = compute();
    if (!right) FAIL_CHECK("a wrong value");
    meanwhile += before && vendor_layer().builds_under_way() > 0;
  }
  other.join();
  CHECK(foreign_launches() > 0);
  CHECK(meanwhile > 0);
}

TEST_CASE("other threads compute while CLBlast compiles") { check_played("radeon", "child: CLBlast compiles"); }

TEST_CASE("child: our kernels multiply" * doctest::skip()) {
  check_product(64, kn::float32);
  check_product(512, kn::float32);
  CHECK(foreign_launches() == 0);
}

TEST_CASE("large products of a BLAS type are CLBlast's on an AMD card, our own on NVIDIA's and a CPU without BLAS") {
  // Its matrix instructions take 16 bits alone.
  check_played("radeon", "child: CLBlast multiplies");
  for (const char* const play : usual_and({"nvidia", "pocl"}, {"llvmpipe"})) {
    check_played(play, "child: our kernels multiply", {{"KOINE_BLAS", "off"}});
  }
}

TEST_CASE("child: PTX is refused" * doctest::skip()) {
  for (const kn::DType type : {kn::float16, kn::float64}) check_product(96, type);
}

TEST_CASE("programs in PTX that a driver refuses are done without, and tried once") {
  const kn::test::TemporaryFolder folder;
  const auto log_of = [&] {
    const kn::test::Ended ended =
        kn::test::run_child("child: PTX is refused", {{"KOINE_TEST_PLAY", "nvidia"},
                                                      {"POCL_DEVICES", "pthread pthread pthread"},
                                                      {"KOINE_DEVICE", ""},
                                                      {"KOINE_CACHE", "rw"},
                                                      {"KOINE_CACHE_DIR", folder.path().string()},
                                                      {"KOINE_LOG", "jit,launch"}});
    CAPTURE(ended.report);
    CHECK(ended.status == 0);
    return ended.err;
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  const std::string first = log_of();
  CHECK(has(first, "matmul float16 96x96x96 runs as ptx"));
  CHECK(has(first, "does without ptx matmul_f16_128x64 b_across on nvidia:gpu:0: "));
  CHECK(has(first, "does without ptx matmul_f64_32x64 b_across on nvidia:gpu:0: "));
  CHECK(has(first, "matmul float16 96x96x96 runs as tile"));
  CHECK_FALSE(has(first, "failed before"));
  const std::string second = log_of();
  CHECK(has(second, "matmul_f16_128x64 b_across on nvidia:gpu:0: a test of it failed before with this driver"));
  CHECK(has(second, "matmul float16 96x96x96 runs as tile"));
}

TEST_CASE("child: the epilogue of PTX is refused" * doctest::skip()) {
  // The driver is to take the program without one.
  kn::test::take_for_right("ptx matmul_f16_128x64 b_across");
  const Array a = made(96, 96, kn::float16, [](std::int64_t i, std::int64_t) { return i % 7; });
  const Array b = made(96, 96, kn::float16, [](std::int64_t, std::int64_t j) { return j % 5; });
  kn::eval(a, b);
  const std::vector<double> got = (kn::matmul(a, b) * 0.5 + 3).to_vector<double>();
  std::int64_t wrong = 0;
  for (std::int64_t k = 0; k < 96 * 96; ++k) {
    wrong += got[static_cast<std::size_t>(k)] != 48 * static_cast<double>((k / 96 % 7) * (k % 96 % 5)) + 3;
  }
  CHECK(wrong == 0);
}

TEST_CASE("a product whose epilogue a driver refuses in PTX is done without PTX") {
  const kn::test::Ended ended =
      kn::test::run_child("child: the epilogue of PTX is refused", {{"KOINE_TEST_PLAY", "nvidia"},
                                                                    {"POCL_DEVICES", "pthread pthread pthread"},
                                                                    {"KOINE_DEVICE", ""},
                                                                    {"KOINE_CACHE", "off"},
                                                                    {"KOINE_LOG", "jit,launch"}});
  CAPTURE(ended.report);
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK(ended.err.find("does without ptx matmul_f16_128x64 b_across ") !=
        std::string::npos);  // and the epilogue's text
  CHECK(ended.err.find("does without ptx matmul_f16_128x64 b_across on") == std::string::npos);
  CHECK(ended.err.find("matmul float16 96x96x96 runs as tile") != std::string::npos);
}

TEST_CASE("child: AMD's matrix instructions" * doctest::skip()) {
  // Every type of these; rows and columns side by side, neither, and rows that end within a tile.
  for (const kn::DType type : {kn::float16, kn::bfloat16, kn::float32, kn::float64}) {
    CAPTURE(kn::name(type));
    if (std::getenv("KOINE_TEST_EXPECT") != std::string("wmma") || kn::size_of(type) == 2) check_product(96, type);
  }
  const auto small = [](kn::Shape shape, int of) {
    const auto count = shape.elements();
    return kn::reshape(made(1, count, kn::bfloat16, [&](std::int64_t, std::int64_t i) { return i % of - of / 2; }),
                       shape)
        .eval();
  };
  // Sums of no more than 256, so that every one of them is a bfloat16.
  const Array a = small({3, 140, 66}, 3), b = small({3, 66, 131}, 3), c = small({3, 2, 66, 70}, 3);
  const auto check = [](const Array& left, const Array& right) {
    const std::vector<float> l = left.to_vector<float>(), r = right.to_vector<float>();
    const auto m = static_cast<std::size_t>(left.shape(-2)), k = static_cast<std::size_t>(left.shape(-1)),
               n = static_cast<std::size_t>(right.shape(-1));
    std::vector<float> want(l.size() / k * n, 0.0f);
    for (std::size_t row = 0; row < l.size() / k; ++row) {
      const float* const of_batch = r.data() + row / m * k * n;
      for (std::size_t d = 0; d < k; ++d) {
        for (std::size_t j = 0; j < n; ++j) want[row * n + j] += l[row * k + d] * of_batch[d * n + j];
      }
    }
    CHECK(kn::test::difference(kn::matmul(left, right).to_vector<float>(), want) == "");
  };
  check(a, b);
  check(b.mT(), a.mT());
  check(a, c(kn::all, 1));
  const Array wide = small({140, 200}, 3);
  check(wide(kn::all, kn::slice(3, kn::none, 3)), b(0));
  // One running sum is no deeper than 4,096.
  check(all_ones({50, 9000}, kn::bfloat16), small({9000, 49}, 3));
}

TEST_CASE("AMD's matrix instructions multiply what they have a type for") {
  const auto log_of = [&](const char* play, const char* instructions) {
    const kn::test::Ended ended =
        kn::test::run_child("child: AMD's matrix instructions", {{"KOINE_TEST_PLAY", play},
                                                                 {"KOINE_TEST_EXPECT", instructions},
                                                                 {"POCL_DEVICES", "pthread pthread pthread"},
                                                                 {"KOINE_DEVICE", ""},
                                                                 {"KOINE_CACHE", "off"},
                                                                 {"KOINE_LOG", "jit,launch"}});
    CAPTURE(ended.report);
    CHECK(ended.status == 0);
    return ended.err;
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  for (const char* play : usual_and({"amd", "radeon"}, {"mi300"})) {
    CAPTURE(std::string(play));
    const bool wmma = play == std::string("radeon");
    const std::string log = log_of(play, wmma ? "wmma" : "mfma");
    CHECK(has(log, "matmul bfloat16 140x66x131 runs as matrix"));
    CHECK(has(log, "matmul bfloat16 50x9000x49 runs as matrix"));
    CHECK(has(log, "matmul float16 96x96x96 runs as matrix"));
    CHECK(has(log, "matmul float64 96x96x96 runs as matrix") != wmma);
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(line);
      if (has(line, "matmul") && has(line, "float")) CHECK_FALSE(has(line, "runs as tile"));
    }
    CHECK_FALSE(has(log, "does without ptx"));
  }
}

TEST_CASE("child: a deep product" * doctest::skip()) {
  constexpr std::int64_t m = 67, k = 20'001, n = 5;
  const auto element = [](std::int64_t, std::int64_t d) { return d % 3 - 1; };
  const auto other = [](std::int64_t d, std::int64_t j) { return (d * n + j) % 7; };
  std::vector<std::int64_t> want(n, 0);
  for (std::int64_t i = 0; i < k * n; ++i)
    want[static_cast<std::size_t>(i % n)] += element(0, i / n) * other(i / n, i % n);
  for (const kn::DType type : usual_and({kn::int32, kn::float32}, {kn::float64, kn::complex64})) {
    for (const bool fixed : {false, true}) {
      CAPTURE(kn::name(type));
      const kn::reproducible scope(fixed);
      const Array left = made(m, k, type, element), right = made(k, n, type, other);
      kn::eval(left, right);
      const std::uint64_t before = own_launches();
      const Array product = kn::matmul(left, right);
      product.eval();
      const char* const expected = std::getenv(kn::is_integer(type) ? "KOINE_TEST_EXPECT"
                                               : fixed              ? "KOINE_TEST_FIXED"
                                                                    : "KOINE_TEST_FLOATS");
      CHECK(own_launches() - before == std::strtoull(expected, nullptr, 10));
      const auto got = product.to_vector<std::complex<double>>();
      std::int64_t wrong = 0;
      for (std::size_t i = 0; i < got.size(); ++i) wrong += got[i] != std::complex<double>(want[i % n]);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("a deep product takes several launches where loops end early") {
  // Of 512 of the depth each. Integers, which wrap, go through it once; floats by blocks, the whole ones together and
  // then the rest, and add up the blocks: of 4,096 where results are reproducible, else of the 2,560 with which the 8
  // compute units have two tiles each.
  check_played(
      "llvmpipe", "child: a deep product",
      {{"KOINE_BLAS", "off"}, {"KOINE_TEST_EXPECT", "40"}, {"KOINE_TEST_FIXED", "18"}, {"KOINE_TEST_FLOATS", "12"}});
  check_played("nvidia", "child: a deep product",
               {{"KOINE_TEST_EXPECT", "1"}, {"KOINE_TEST_FIXED", "3"}, {"KOINE_TEST_FLOATS", "3"}});
}

TEST_CASE("child: groups of the expected size" * doctest::skip()) {
  (numbered<float>({100'000}) * 2 + 1).eval();
  CHECK(vendor_layer().largest_group() == std::strtoull(std::getenv("KOINE_TEST_EXPECT"), nullptr, 10));
}

TEST_CASE("neighbouring work-items share a group on a GPU and work alone on a CPU, unless its loops end early") {
  const auto check = [](const char* play, const char* items) {
    check_played(play, "child: groups of the expected size", {{"KOINE_TEST_EXPECT", items}});
  };
  check("pocl", "1");
  check("amd", "256");
  check("nvidia", "256");
  check("nvidia,small_groups", "256");
  check("llvmpipe", "256");
}

TEST_CASE("child: a sum of many arrays" * doctest::skip()) {
  constexpr std::int64_t count = 600;
  std::vector<Array> arrays;
  for (std::int64_t i = 0; i < count; ++i) arrays.push_back(counted(3, [&](std::int64_t k) { return k + i; }));
  Array sum = arrays[0];
  for (std::int64_t i = 1; i < count; ++i) sum = sum + arrays[static_cast<std::size_t>(i)];
  const std::uint64_t before = own_launches();
  check_array(sum, {3}, std::vector<std::int64_t>{179'700, 180'300, 180'900});
  // SPIR-V allows a kernel 255 parameters, whatever NVIDIA's 32,764 bytes would hold.
  CHECK(own_launches() - before == std::strtoull(std::getenv("KOINE_TEST_EXPECT"), nullptr, 10));
}

TEST_CASE("a kernel has 255 parameters at the most, and fewer where the device takes fewer bytes of them") {
  check_played("nvidia", "child: a sum of many arrays", {{"KOINE_TEST_EXPECT", "3"}});
  check_played("amd", "child: a sum of many arrays", {{"KOINE_TEST_EXPECT", "11"}});
}

TEST_CASE("child: every kernel" * doctest::skip()) {
  const std::int64_t n = 1000;
  const Array x = numbered<float>({n, 33}), positions = counted(n, [&](std::int64_t i) { return n - 1 - i; });
  // Element-wise: contiguous, strided, broadcast.
  CHECK(((x + 1) * 2)(n - 1, 32).item<float>() == 2.0f * static_cast<float>(n * 33));
  CHECK((x.T() + numbered<float>({n}))(5, 7).item<float>() == static_cast<float>(7 * 33 + 5 + 7));
  // Reductions: all, along rows, along columns; positions.
  CHECK(kn::sum(all_ones({n, 33})).item<float>() == static_cast<float>(n * 33));
  CHECK(kn::max(x, {.axis = 1})(4).item<float>() == 4 * 33 + 32);
  CHECK(kn::sum(all_ones({n, 33}), {.axis = 0})(32).item<float>() == static_cast<float>(n));
  CHECK(kn::argmax(x).item<std::int64_t>() == n * 33 - 1);
  CHECK(kn::argmin(x, {.axis = 0})(3).item<std::int64_t>() == 0);
  // Scans: rows of several blocks, and columns.
  CHECK(kn::cumulative_sum(all_ones({3, 9 * n}), {.axis = 1})(2, -1).item<float>() == static_cast<float>(9 * n));
  CHECK(kn::cumulative_sum(all_ones({9 * n, 40}), {.axis = 0})(-1, 39).item<float>() == static_cast<float>(9 * n));
  // Exponentials of rows.
  CHECK(kn::softmax(all_ones({n, 32}), {.axis = 1})(n - 1, 31).item<float>() == 1.0f / 32);
  // Sorts: short rows, and a row of several blocks. Places in sorted lists.
  CHECK(kn::sort(x, {.descending = true})(n - 1, 0).item<float>() == static_cast<float>(n * 33 - 1));
  CHECK(kn::argsort(counted(9 * n, [&](std::int64_t i) { return 9 * n - i; }))(0).item<std::int64_t>() == 9 * n - 1);
  CHECK(kn::searchsorted(numbered<std::int64_t>({n}), numbered<std::int64_t>({3 * n}))(2 * n).item<std::int64_t>() ==
        n);
  // Selections from long rows and from short ones, counts of bins, and permutations, which put halves of keys in order.
  const Array ramp = numbered<std::int64_t>({200 * n}), floats = numbered<float>({200 * n});
  CHECK(kn::topk(ramp, 3).values(0).item<std::int64_t>() == 200 * n - 1);
  CHECK(kn::median(floats).item<float>() == 100.0f * n - 0.5f);
  CHECK(kn::topk(kn::reshape(ramp, {100, 2 * n}), 2).values(99, 1).item<std::int64_t>() == 200 * n - 2);
  CHECK(kn::median(kn::reshape(floats, {100, 2 * n}), {.axis = 1})(0).item<float>() == n - 0.5f);
  CHECK(kn::histogram(floats, {.bins = 4}).counts(3).item<std::int64_t>() == 50 * n);
  CHECK(kn::sum(kn::random::Generator(2).permutation(20 * n)).item<std::int64_t>() == 10 * n * (20 * n - 1));
  // Blocks of an operand that lies transposed.
  const Array square = numbered<float>({256, 256});
  CHECK((square.T() + square).eval()(3, 200).item<float>() == 257 * 203);
  // Products: tiles of a type that AMD has instructions for and of one that it has none for, rows and columns.
  for (const kn::DType type : usual_and({kn::float32, kn::complex64}, {kn::int32, kn::float64, kn::float16})) {
    CAPTURE(kn::name(type));
    const Array product = kn::matmul(all_ones({70, 20}, type), all_ones({20, 90}, type)).eval();
    CHECK(all_near(product, 20));
    CHECK(all_near(kn::matmul(product, all_ones({90, 1}, type)), 1800));
    CHECK(all_near(kn::matmul(all_ones({1, 70}, type), product), 1400));
  }
  CHECK(all_near(kn::matmul(all_ones({n, 5, 5}), all_ones({n, 5, 3})), 5));
  CHECK(all_near(kn::matmul(all_ones({512, 18, 5}), all_ones({512, 5, 40})), 5));
  // Sums and products by ids.
  CHECK(
      kn::segment_sum(all_ones({n}), counted(n, [](std::int64_t i) { return i % 7; }), {.count = 7})(0).item<float>() ==
      143);
  CHECK(kn::segment_prod(x(kn::slice(0, n), 0), counted(n, [](std::int64_t i) { return i / 2; }), {.count = n})(1)
            .item<float>() == 66.0f * 99);
  // The distinct values of a few.
  CHECK(kn::unique_values(counted(n, [](std::int64_t i) { return i % 9; })).size() == 9);
  // Elements at positions.
  CHECK(kn::take(x, positions, {.axis = 0})(0, 0).item<float>() == static_cast<float>((n - 1) * 33));
  Array put = x;
  put(positions, 3) = floats(kn::slice(0, n));
  CHECK(put(7, 3).item<float>() == static_cast<float>(n - 8));
  CHECK(x(x % 5 == 0).size() == n * 33 / 5);
  CHECK(kn::nonzero(x)[0].size() == n * 33 - 1);
  // Draws.
  kn::random::Generator g(1);
  CHECK(std::abs(kn::mean(g.normal({100'000})).item<float>()) < 0.02f);
  CHECK(std::abs(kn::mean(g.uniform({100'000})).item<float>() - 0.5f) < 0.01f);
  CHECK(kn::max(g.integers(0, 10, {10'000})).item<int>() == 9);
  CHECK(std::abs(kn::mean(g.gamma(2, {100'000})).item<float>() - 2) < 0.05f);
  CHECK(kn::max(g.binomial(1000, 0.4, {10'000})).item<int>() < 500);
  // Fourier transforms: in local memory, in several steps, of a prime length.
  for (const std::int64_t length : {1000, 20'000, 1009}) {
    CHECK(std::abs(kn::real(kn::fft::fft(all_ones({length})))(0).item<float>() - static_cast<float>(length)) < 0.1f);
  }
  // Eigenvalues, factorisations and equations: of matrices large enough for kernels that go by blocks, and by others.
  CHECK(all_near(kn::linalg::eigvals(diagonal(20, 3)), 3));
  CHECK(is_diagonal(kn::linalg::schur(diagonal(20, 3)).T, 3));
  CHECK(is_diagonal(kn::linalg::ldl(diagonal(20, 3)).d, 3));
  if (kn::test::computes(kn::float64)) {
    for (const double value : kn::linalg::eigvalsh(diagonal(70, 3, kn::float64)).to_vector<double>()) {
      CHECK(std::abs(value - 3) < 1e-12);
    }
  }
  for (const bool by_others : {false, true}) {
    const kn::reproducible scope(by_others);
    CHECK(all_near(kn::linalg::eigvalsh(diagonal(60, 3)), 3, 1e-5f));
    CHECK(all_near(kn::linalg::svdvals(diagonal(24, 3)), 3));
    for (const std::int64_t size : {24, 70}) {
      CHECK(is_diagonal(kn::linalg::cholesky(diagonal(size, 4)), 2));
      CHECK(all_near(kn::linalg::solve(diagonal(size, 2), all_ones({size})), 0.5f));
      CHECK(is_diagonal(kn::linalg::qr(diagonal(size, 1)).R, 1, true));
    }
  }

  CHECK(vendor_layer().largest_group() <= std::strtoull(std::getenv("KOINE_TEST_EXPECT"), nullptr, 10));
  CHECK(vendor_layer().refused().launches == 0);
  CHECK(vendor_layer().refused().builds == 0);
  // Long rows are sorted by sweeps where groups may wait for each other.
  const auto runs = [](const char* kernel) { return vendor_layer().programs_with(kernel) > 0; };
  CHECK(runs("void sort_sweep(") != runs("void sort_count("));
  // Panels lie in registers on NVIDIA's cards.
  CHECK(runs("void lu_spread(") == runs("void qr_spread("));
  // A kernel file that nothing above runs has to be added there.
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(KOINE_TEST_DIR "/../kernels")) {
    if (file.path().extension() != ".cl" || file.path().stem().string().ends_with("_cpu")) continue;
    if (file.path().stem() == "matmul_split") continue;     // runs beside programs in PTX, which no play takes
    if (file.path().stem() == "matmul_matrix") continue;    // by AMD's instructions alone, above
    if (file.path().stem() == "scatter_buckets") continue;  // of millions of groups (tests/device/test_segments.cpp)
    // Where groups may wait for each other, of larger matrices.
    if (file.path().stem() == "side_by_side" || file.path().stem() == "solve_spread") continue;
    if (file.path().stem() == "lu_spread" || file.path().stem() == "qr_spread") continue;     // as above
    if (file.path().stem() == "sort_sweep" || file.path().stem() == "sort_blocks") continue;  // one of the two, below
    std::ifstream text(file.path());
    std::string purpose;
    std::getline(std::getline(text, purpose), purpose);
    CAPTURE(file.path().string());
    CHECK(vendor_layer().programs_with(purpose.c_str()) > 0);
    ++files;
  }
  CHECK(files >= 7);
}

TEST_CASE("every kernel keeps to the groups, the local memory and the parameters that a device has") {
  const auto check = [](const char* play, const char* items) {
    // From source, so that the layer sees which kernels run.
    check_played(play, "child: every kernel", {{"KOINE_TEST_EXPECT", items}, {"KOINE_CACHE", "off"}});
  };
  check("amd", "256");
  if (!kn::test::exhaustive()) {
    return kn::test::leave_out(
        "without KOINE_TEST_EXHAUSTIVE: every kernel on nvidia,small_groups, and on llvmpipe, "
        "whose groups may be the largest");
  }
  check("nvidia,small_groups", "256");
  check("llvmpipe", "1024");
}
