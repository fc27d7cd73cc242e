// SPDX-License-Identifier: Apache-2.0
// A device without double precision: everything but float64 and complex128 works, and those say so by name.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cmath>
#include <complex>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/vendor_layer.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::check_played;
using kn::test::has;
using kn::test::message_of;
using kn::test::vendor_layer;

namespace {

std::vector<std::string> plays() {
  return kn::test::usual_and<std::string>({"no_fp64", "amd,no_fp64"}, {"nvidia,no_fp64"});
}

/// Where many programs are run.
std::vector<std::string> few_plays() {
  return kn::test::usual_and<std::string>({"amd,no_fp64"}, {"no_fp64", "nvidia,no_fp64"});
}

}  // namespace

TEST_CASE("child: what is refused" * doctest::skip()) {
  const kn::Device device = kn::default_device();
  REQUIRE_FALSE(device.has_fp64());
  const Array x = kn::ones({4, 4});
  const std::vector<double> doubles{1, 2, 3};
  kn::random::Generator g(1);
  struct Case {
    const char* function;
    std::function<void()> call;
  };
  for (const auto& [function, call] : std::vector<Case>{
           {"zeros", [] { kn::zeros({2}, {.dtype = kn::float64}); }},
           {"full", [] { kn::full({2}, 1.5, {.dtype = kn::float64}); }},
           {"arange", [] { kn::arange(0, 5, 1, {.dtype = kn::float64}); }},
           {"linspace", [] { kn::linspace(0, 1, 5, {.dtype = kn::float64}); }},
           {"eye", [] { kn::eye(3, {.dtype = kn::complex128}); }},
           {"asarray", [&] { kn::asarray(doubles); }},
           {"astype", [&] { x.astype(kn::float64); }},
           {"astype", [&] { x.astype(kn::complex128); }},
           {"sum", [&] { kn::sum(x, {.dtype = kn::float64}); }},
           {"prod", [&] { kn::prod(x, {.axis = 0, .dtype = kn::float64}); }},
           {"load_npy", [] { kn::load_npy(KOINE_TEST_DIR "/data/little_f8.npy"); }},
           {"load_npy", [] { kn::load_npy(KOINE_TEST_DIR "/data/little_c16.npy"); }},
           {"uniform", [&] { g.uniform({4}, {.dtype = kn::float64}); }},
           {"normal", [&] { g.normal({4}, {.dtype = kn::float64}); }},
       }) {
    CAPTURE(std::string(function));
    const std::string text = message_of<kn::DTypeError>(call);
    CAPTURE(text);
    CHECK(text.starts_with("[" + std::string(function) + "] "));
    CHECK((has(text, "float64") || has(text, "complex128")));
    CHECK(has(text, "cl_khr_fp64"));
    CHECK(has(text, device.selector() + " (" + device.name() + ")"));
    CHECK((has(text, "use float32") || has(text, "use complex64")));
  }
  CHECK(vendor_layer().refused().builds == 0);
}

TEST_CASE("float64 and complex128 are refused at the call, with the device's name and what to use") {
  for (const std::string& play : plays()) check_played(play, "child: what is refused");
}

TEST_CASE("child: a move" * doctest::skip()) {
  const auto all = kn::devices();
  REQUIRE(all.size() == 2);
  REQUIRE(all[0].has_fp64());
  REQUIRE_FALSE(all[1].has_fp64());
  const Array x = kn::full({3}, 0.1, {.dtype = kn::float64, .device = all[0]});
  const std::string text = message_of<kn::DTypeError>([&] { x.to_device(all[1]).eval(); });
  CAPTURE(text);
  CHECK(text.starts_with("[to_device] float64 needs double precision"));
  CHECK(has(text, all[1].selector() + " (" + all[1].name() + ")"));
  CHECK(x.astype(kn::float32).to_device(all[1]).to_vector<float>() == std::vector<float>(3, 0.1f));
  CHECK(x.to_vector<double>() == std::vector<double>(3, 0.1));
}

TEST_CASE("a float64 array does not move to a device without double precision") {
  check_played("amd;nvidia,no_fp64", "child: a move");
}

TEST_CASE("child: scalars" * doctest::skip()) {
  const Array x = kn::asarray(std::vector<float>{1, 2, 3});
  CHECK((x * 2.0).to_vector<float>() == std::vector<float>{2, 4, 6});
  CHECK((0.1 + x).to_vector<float>() == std::vector<float>{0.1f + 1, 0.1f + 2, 0.1f + 3});
  CHECK((x * 2.0).dtype() == kn::float32);
  CHECK((kn::arange(3) + 1.5).dtype() == kn::float32);
  CHECK((kn::arange(3) + 1.5).to_vector<float>() == std::vector<float>{1.5f, 2.5f, 3.5f});
  CHECK(kn::where(x > 1.5, x, 0.0).to_vector<float>() == std::vector<float>{0, 2, 3});
  CHECK((x + 1e300).to_vector<float>() == std::vector<float>(3, INFINITY));
  Array y = kn::zeros({3});
  y(1) = 0.7;
  y(kn::slice(0, 1)) += 1e-3;
  CHECK(y.to_vector<float>() == std::vector<float>{1e-3f, 0.7f, 0});
  CHECK(kn::full({2}, 0.3).to_vector<float>() == std::vector<float>(2, 0.3f));
  const Array z = x.astype(kn::complex64) * std::complex<double>(0, 1);
  CHECK(z.dtype() == kn::complex64);
  CHECK(z(1).item<std::complex<float>>() == std::complex<float>(0, 2));
  // On the host a float is a double as everywhere.
  CHECK(x.to_vector<double>() == std::vector<double>{1, 2, 3});
  CHECK(x(2).item<double>() == 3.0);
  CHECK(kn::asarray(std::vector<double>{1, 0.1}, {.dtype = kn::float32}).to_vector<float>() ==
        std::vector<float>{1, 0.1f});
}

TEST_CASE("a double beside an array reaches the device as a float") {
  for (const std::string& play : few_plays()) check_played(play, "child: scalars");
}

TEST_CASE("child: the rest works" * doctest::skip()) {
  const Array x = kn::arange(1000, {.dtype = kn::float32});
  CHECK(kn::mean(x).item<float>() == 499.5f);
  CHECK(kn::mean(kn::arange(1000)).item<float>() == 499.5f);
  CHECK(kn::var(x).item<float>() == doctest::Approx(83333.25));
  CHECK(kn::std(x.astype(kn::float16)(kn::slice(0, 100))).item<float>() == doctest::Approx(28.866).epsilon(0.01));
  CHECK(kn::linspace(0, 1, 5).to_vector<float>() == std::vector<float>{0, 0.25f, 0.5f, 0.75f, 1});
  CHECK(kn::arange(0, 1, 0.25).to_vector<float>() == std::vector<float>{0, 0.25f, 0.5f, 0.75f});
  CHECK(kn::sum(kn::arange(100'000)).item<std::int64_t>() == 4'999'950'000);
  CHECK(kn::argmax(x * -1.0).item<std::int64_t>() == 0);
  kn::random::Generator g(3);
  CHECK(std::abs(kn::mean(g.normal({100'000})).item<float>()) < 0.02f);
  CHECK(std::abs(kn::mean(g.uniform({100'000}, {.low = -1, .high = 1})).item<float>()) < 0.02f);
  CHECK(kn::min(g.integers(-5, 5, {10'000})).item<std::int64_t>() == -5);
  CHECK(std::abs(kn::mean(g.exponential({100'000})).item<float>() - 1) < 0.02f);
  CHECK(std::abs(kn::mean(g.gamma(2, {100'000})).item<float>() - 2) < 0.03f);
  CHECK(std::abs(kn::mean(g.poisson(500, {100'000})).item<float>() - 500) < 0.5f);
  CHECK(std::abs(kn::mean(g.binomial(10, 0.5, {100'000})).item<float>() - 5) < 0.05f);
  CHECK(kn::min(g.choice(2, {100}, {.p = kn::asarray(std::vector<float>{0, 1})})).item<int>() == 1);
  CHECK(kn::matmul(kn::ones({40, 30}), kn::ones({30, 20}))(7, 7).item<float>() == 30.0f);
  const Array z = kn::exp(kn::full({3}, std::complex<float>(0, 1)));
  CHECK(std::abs(z(0).item<std::complex<float>>() - std::polar(1.0f, 1.0f)) < 1e-6f);
  CHECK(kn::pow(x, 2.5)(4).item<float>() == doctest::Approx(32));
  CHECK(kn::floor_divide(x, 7.0)(50).item<float>() == 7.0f);
  std::ostringstream text;
  text << x(kn::slice(0, 3)) * 0.5;
  CHECK(has(text.str(), "0.5"));
  CHECK(vendor_layer().refused().builds == 0);
}

TEST_CASE("reductions, draws, products and mathematics need no double precision") {
  for (const std::string& play : few_plays()) check_played(play, "child: the rest works");
}
