// SPDX-License-Identifier: Apache-2.0
// Functions of the host as commands of a CPU's queue: matrix products by the host's BLAS, in the queue's order, on
// several queues at once, under explain, the profiler and the log, in processes that fork, end, or lack memory.
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <koine/explain.hpp>
#include <koine/koine.hpp>
#include <koine/profile.hpp>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "support/arrays.hpp"
#include "support/child.hpp"
#include "support/inner.hpp"
#include "support/products.hpp"
#include "support/sanitizer.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::check_product;
using kn::test::has;
using kn::test::matrix;
using kn::test::message_of;
using kn::test::run_child;
using kn::test::Way;

namespace {

/// A BLAS named takes all products that it can; one that is found leaves some to kernels.
const kn::test::Changes with_blas{{"KOINE_BLAS", "libopenblas.so.0"}};

void check_passes(const std::string& test_case, const kn::test::Changes& changes = with_blas) {
  const kn::test::Ended ended = run_child(test_case, changes);
  CHECK(ended.status == 0);
  if (ended.status != 0) MESSAGE(ended.report);
}

/// Whether products run on the host here: the driver runs native kernels, and there is a BLAS.
bool has_blas() {
  static const bool has = [] {
    void* const library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) dlclose(library);
    const kn::test::Ended ended = run_child("child: multiplies", {{"KOINE_LOG", "launch"}, {"KOINE_BLAS", ""}});
    REQUIRE(ended.status == 0);
    const bool uses = kn::test::has(ended.err, "koine launch: matmul_blas on ");
    // On PoCL it must; other drivers may have no native kernels.
    if (kn::default_device().vendor() == "pocl") CHECK(uses == (library != nullptr));
    return uses;
  }();
  return has;
}

/// Small whole numbers, so that sums are exact.
Array numbers(std::int64_t rows, std::int64_t columns, int start) {
  return kn::reshape((kn::arange(rows * columns) * 7 + start) % 5 - 2, {rows, columns}).astype(kn::float32).eval();
}

/// Element (i, j) of the product of two such matrices.
float product_at(std::int64_t depth, std::int64_t columns, int a, int b, std::int64_t i, std::int64_t j) {
  std::int64_t sum = 0;
  for (std::int64_t k = 0; k < depth; ++k) {
    sum += (((i * depth + k) * 7 + a) % 5 - 2) * (((k * columns + j) * 7 + b) % 5 - 2);
  }
  return static_cast<float>(sum);
}

}  // namespace

TEST_CASE("child: multiplies" * doctest::skip()) {
  check_product<float>(matrix<float>({70, 40}, Way::contiguous), matrix<float>({40, 50}, Way::transposed));
}

TEST_CASE("child: multiplies little" * doctest::skip()) {
  const Array a = numbers(20, 30, 0), b = numbers(30, 10, 1);
  kn::synchronize();
  CHECK(kn::matmul(a, b)(19, 9).item<float>() == product_at(30, 10, 0, 1, 19, 9));
}

TEST_CASE("host: products whose parts several threads compute" * doctest::skip()) {
  // Large enough to be shared among threads, with edges that no tile divides.
  const auto check = [](auto zero, const kn::Shape& a, Way a_way, const kn::Shape& b, Way b_way) {
    using T = decltype(zero);
    check_product<T>(matrix<T>(a, a_way), matrix<T>(b, b_way));
  };
  check(0.0f, {257, 131}, Way::contiguous, {131, 193}, Way::contiguous);
  check(0.0f, {131, 257}, Way::transposed, {257, 129}, Way::transposed);
  check(0.0, {2, 1100}, Way::contiguous, {1100, 1031}, Way::contiguous);
  check(0.0, {1031, 600}, Way::transposed, {600, 3}, Way::contiguous);
  check(std::complex<float>(), {3, 65, 127}, Way::contiguous, {3, 127, 130}, Way::transposed);
  check(std::complex<double>(), {129, 65}, Way::contiguous, {65, 131}, Way::contiguous);
  check(0.0f, {2, 1, 3, 40, 50}, Way::contiguous, {4, 1, 50, 60}, Way::transposed);
  // Many small matrices, and one matrix for all.
  check(0.0f, {2000, 8, 8}, Way::contiguous, {2000, 8, 8}, Way::contiguous);
  check(0.0f, {40, 16, 33}, Way::transposed, {33, 17}, Way::contiguous);
  // As float32 in memory of their own.
  check(kn::float16_t(), {257, 131}, Way::contiguous, {131, 193}, Way::transposed);
  check(kn::bfloat16_t(), {5, 40, 50}, Way::stepped, {5, 50, 60}, Way::transposed);
  check(kn::float16_t(), {2, 1, 3, 40, 50}, Way::contiguous, {4, 1, 50, 60}, Way::transposed);
}

TEST_CASE("child: multiplies halves" * doctest::skip()) {
  check_product<kn::float16_t>(matrix<kn::float16_t>({70, 40}, Way::contiguous),
                               matrix<kn::float16_t>({40, 50}, Way::transposed));
}

TEST_CASE("host: operands inside larger arrays" * doctest::skip()) {
  const Array a = numbers(300, 400, 1), b = numbers(500, 350, 2);
  const Array x = a(kn::slice(7, 207), kn::slice(13, 313)), y = b(kn::slice(100, 400), kn::slice(50, 250));
  check_product<float>(x, y);
  check_product<float>(y.T(), x.T());
  check_product<float>(x, x.T());
}

TEST_CASE("host: few results of great depth" * doctest::skip()) {
  const std::int64_t depth = 70'001;
  const Array product = kn::matmul(numbers(5, depth, 3), numbers(depth, 6, 4));
  const std::vector<float> values = product.to_vector<float>();
  for (std::int64_t i = 0; i < 5; ++i) {
    for (std::int64_t j = 0; j < 6; ++j) {
      CHECK(values[static_cast<std::size_t>(i * 6 + j)] == product_at(depth, 6, 3, 4, i, j));
    }
  }
}

TEST_CASE("host: what lay in the memory of the results is not read" * doctest::skip()) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (int round = 0; round < 3; ++round) {
    kn::full({64, 64}, nan).eval();  // its memory comes back
    const Array product = kn::matmul(numbers(64, 1, 0) * 0 + 1, numbers(1, 64, 0) * 0 + 1);
    CHECK(product.to_vector<float>() == std::vector<float>(64 * 64, 1.0f));
  }
}

TEST_CASE("host: a product comes after what it reads and before what reads it" * doctest::skip()) {
  Array x = kn::eye(200);
  for (int i = 0; i < 50; ++i) {
    x = (x * 2).eval();
    x = kn::matmul(x, kn::eye(200)).eval();
    x = (x / 2).eval();
  }
  CHECK(x.to_vector<float>() == kn::eye(200).to_vector<float>());
}

TEST_CASE("host: several queues and threads multiply at once" * doctest::skip()) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, -1);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t, &wrong] {
      const kn::Queue queue;
      const kn::QueueScope scope(queue);
      int bad = 0;
      for (int round = 0; round < 8; ++round) {
        const std::vector<float> values = kn::matmul(numbers(150, 170, t), numbers(170, 160, round)).to_vector<float>();
        for (const std::int64_t i : {0, 77, 149}) {
          for (const std::int64_t j : {0, 80, 159}) {
            bad += values[static_cast<std::size_t>(i * 160 + j)] != product_at(170, 160, t, round, i, j);
          }
        }
      }
      wrong[static_cast<std::size_t>(t)] = bad;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(4, 0));
  // What one queue computes another one reads.
  const kn::Queue one, two;
  Array x = kn::eye(150);
  for (int i = 0; i < 20; ++i) {
    const kn::QueueScope scope(i % 2 == 0 ? one : two);
    x = kn::matmul(x, kn::eye(150) * 2).eval();
  }
  CHECK(x.to_vector<float>() == (kn::eye(150) * 1048576).to_vector<float>());
}

TEST_CASE("host: a sort comes after what it sorts and before what reads it" * doctest::skip()) {
  const std::int64_t count = 200'000;
  for (const bool descending : {false, true}) {
    const Array x = (kn::arange(count) * 7919 % count).astype(kn::float32) - 1;  // each number once
    const Array sorted = kn::sort(x * 2, {.descending = descending}) / 2 + 1;
    std::vector<float> expected;
    for (std::int64_t i = 0; i < count; ++i) expected.push_back(static_cast<float>(descending ? count - 1 - i : i));
    CHECK(sorted.to_vector<float>() == expected);
    const Array places = kn::argsort(x, {.descending = descending});
    CHECK((kn::take(x, places) + 1).to_vector<float>() == expected);
  }
}

TEST_CASE("child: sorts" * doctest::skip()) { CHECK(kn::sort(kn::arange(100.0f) * -1).to_vector<float>()[99] == 0); }

TEST_CASE("sorts are the host's where it works in the device's memory") {
  const auto log = [](const char* steps) {
    const kn::test::Ended ended = run_child("child: sorts", {{"KOINE_LOG", "launch"}, {"KOINE_HOST_STEPS", steps}});
    CHECK(ended.status == 0);
    return ended.err;
  };
  CHECK(!has(log("off"), "sort_host"));
  // Unless the library was built without Highway.
  const std::string on = log("on");
  CHECK(has(on, "sort_host") != has(on, "sort_rows"));
}

TEST_CASE("host: explain and the profiler name a host command" * doctest::skip()) {
  const Array a = numbers(80, 60, 0), b = numbers(60, 70, 0);
  const std::string text = kn::explain(kn::matmul(a, b), {.source = true});
  CHECK(has(text, "1. matmul_blas (host command)\n"));
  CHECK(has(text, "reads " + kn::test::bytes_text((80 * 60 + 60 * 70) * 4)));
  CHECK(!has(text, "OpenCL C"));
  const kn::profile::Session session;
  for (int i = 0; i < 3; ++i) kn::matmul(a, b).eval();
  kn::synchronize();
  bool found = false;
  for (const kn::profile::Row& row : session.rows()) {
    if (row.name != "matmul_blas") continue;
    found = true;
    CHECK(row.kind == kn::profile::Kind::kernel);
    CHECK(row.calls == 3);
    CHECK(row.bytes_read == 3 * (80 * 60 + 60 * 70) * 4);
    CHECK(row.bytes_written == 3 * 80 * 70 * 4);
    CHECK(row.seconds > 0);
  }
  CHECK(found);
}

TEST_CASE("products by the BLAS of the host") {
  if (!has_blas()) return;
  check_passes("host: *");
  // Small ones by the calling thread.
  kn::test::Changes changes = with_blas;
  changes.push_back({"KOINE_HOST_STEPS", "on"});
  check_passes("host: *", changes);
  changes.push_back({"KOINE_LOG", "launch"});
  const kn::test::Ended ended = run_child("child: multiplies little", changes);
  CHECK(ended.status == 0);
  CHECK(has(ended.err, "koine launch: matmul_blas on " + kn::default_device().selector() + ", by the host\n"));
}

TEST_CASE("child: multiplies reproducibly" * doctest::skip()) {
  const kn::reproducible scope;
  check_product<float>(matrix<float>({70, 40}, Way::contiguous), matrix<float>({40, 50}, Way::contiguous));
}

TEST_CASE("KOINE_BLAS, integers and reproducible scopes") {
  if (!has_blas()) return;
  const auto log = [](const char* test_case, const char* blas) {
    const kn::test::Ended ended = run_child(test_case, {{"KOINE_LOG", "launch,device"}, {"KOINE_BLAS", blas}});
    CHECK(ended.status == 0);
    return ended.err;
  };
  const std::string found = log("child: multiplies", "");
  CHECK(has(found, "matrix products on CPUs by libopenblas.so.0: OpenBLAS"));
  CHECK(has(found, "koine launch: matmul_blas on " + kn::default_device().selector() + ", by a thread of the host"));
  CHECK(has(log("child: multiplies", "libopenblas.so.0"), "matmul_blas on "));
  CHECK(has(log("child: multiplies halves", "libopenblas.so.0"), "matmul_blas on "));
  CHECK(!has(log("child: multiplies", "off"), "matmul_blas"));
  CHECK(!has(log("child: multiplies reproducibly", ""), "matmul_blas on "));
}

TEST_CASE("child: names a BLAS that cannot be used" * doctest::skip()) {
  const Array product = kn::matmul(numbers(30, 20, 0), numbers(20, 30, 0));
  const std::string first = message_of<kn::ValueError>([&] { product.eval(); });
  std::fputs(first.c_str(), stderr);
  CHECK(message_of<kn::ValueError>([&] { product.eval(); }) == first);
  CHECK((kn::ones({3}) + 1)(0).item<float>() == 2);
}

TEST_CASE("a file that is no BLAS is an error that says so") {
  if (!has_blas()) return;
  const auto message = [](const char* file) {
    const kn::test::Ended ended = run_child("child: names a BLAS that cannot be used", {{"KOINE_BLAS", file}});
    CHECK(ended.status == 0);
    return ended.err;
  };
  const std::string missing = message("/nowhere/blas.so");
  CHECK(missing.starts_with("[KOINE_BLAS] could not load \"/nowhere/blas.so\" ("));
  CHECK(has(missing, "or off"));
  const std::string other = message("libm.so.6");
  CHECK(other.starts_with("[KOINE_BLAS] \"libm.so.6\" has no cblas_sgemm"));
  CHECK(has(other, "or off"));
}

TEST_CASE("child: forks while it multiplies" * doctest::skip()) {
  const Array a = numbers(400, 400, 0), b = numbers(400, 400, 1);
  std::vector<Array> products;
  std::fflush(nullptr);
  for (int round = 0; round < 20; ++round) {
    products.push_back(kn::matmul(a, b).eval());
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      alarm(60);  // a child that hangs is killed
      int code = 1;
      try {
        kn::matmul(a, b).eval();
      } catch (const kn::DeviceError&) {
        code = 0;
      }
      std::exit(code);
    }
    CHECK(kn::test::wait_for(child) == 0);
  }
  for (const Array& product : products) {
    CHECK(product(399, 398).item<float>() == product_at(400, 400, 0, 1, 399, 398));
  }
}

TEST_CASE("child: ends while it multiplies" * doctest::skip()) {
  const Array a = numbers(600, 600, 0);
  for (int i = 0; i < 10; ++i) kn::matmul(a, a).eval();
}

TEST_CASE("processes fork, and end, while the host multiplies") {
  if (!has_blas()) return;
  check_passes("child: forks while it multiplies");
  for (int i = 0; i < 3; ++i) check_passes("child: ends while it multiplies");
}

TEST_CASE("child: multiplies without room for the BLAS" * doctest::skip()) {
  const Array a = numbers(300, 300, 0), b = numbers(300, 300, 1);
  kn::matmul(a, b).eval();  // what is loaded is there
  const Array product = kn::matmul(a, b), square = kn::eye(300).eval();
  kn::linalg::cholesky(square).eval();
  kn::linalg::svdvals(square).eval();
  const Array factor = kn::linalg::cholesky(square), values = kn::linalg::svdvals(square);
  rlimit limit{};
  REQUIRE(getrlimit(RLIMIT_AS, &limit) == 0);
  const rlimit before = limit;
  limit.rlim_cur = 1 << 20;  // less than is in use: nothing new fits
  REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
  std::string message = message_of<kn::OutOfMemory>([&] { product.eval(); });
  std::string of_factor = message_of<kn::OutOfMemory>([&] { factor.eval(); });
  std::string of_values = message_of<kn::OutOfMemory>([&] { values.eval(); });
  REQUIRE(setrlimit(RLIMIT_AS, &before) == 0);
  CHECK(message.starts_with("[matmul] "));
  CHECK(has(message, "KOINE_BLAS=off"));
  CHECK(of_factor.starts_with("[cholesky] "));
  CHECK(has(of_factor, "KOINE_BLAS=off"));
  CHECK(of_values.starts_with("[svdvals] "));
  CHECK(has(of_values, "KOINE_BLAS=off"));
  CHECK(product(299, 298).item<float>() == product_at(300, 300, 0, 1, 299, 298));
}

TEST_CASE("a BLAS that has no room is an error, and the product can be tried again") {
  if (has_blas() && !kn::test::sanitized) check_passes("child: multiplies without room for the BLAS");
}
