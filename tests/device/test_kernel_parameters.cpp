// SPDX-License-Identifier: Apache-2.0
// What a kernel says of its parameters, and values whose types are known at run time only.
#include <doctest/doctest.h>
#include <koine/kernel.hpp>
#include <koine/koine.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace kn = koine;

namespace {

constexpr const char* source = R"(
  typedef struct { int a; float b; } Pair;
  kernel void mixed(const global float* x, global float* y, Pair pair, float4 v, local float* scratch) {
    const int i = get_global_id(0);
    scratch[0] = pair.a;
    y[i] = x[i] * pair.b + pair.a + v.w;
  })";

}  // namespace

TEST_CASE("a kernel names its parameters") {
  const std::vector<std::string> parameters = kn::Program(source).kernel("mixed").parameters();
  if (parameters.empty()) return;  // the driver does not say
  CHECK(parameters ==
        std::vector<std::string>{"const float* x", "float* y", "Pair pair", "float4 v", "__local float* scratch"});
}

TEST_CASE("bytes that are made at run time are a struct or a vector") {
  const kn::Kernel kernel = kn::Program(source).kernel("mixed");
  const kn::Array x = kn::asarray(std::vector<float>{1, 2, 3});
  struct {
    int a = 10;
    float b = 0.5f;
  } pair;
  const std::vector<float> vector = {1, 2, 3, 4};
  const std::vector<kn::KernelArgument> arguments = {
      x, kn::out({3}, kn::float32), kn::KernelArgument::from_bytes(std::as_bytes(std::span(&pair, 1))),
      kn::KernelArgument::from_bytes(std::as_bytes(std::span(vector))), kn::local_memory<float>(1)};
  const std::vector<kn::Array> made = kernel.launch({.global = {3}, .local = {1}}, arguments);
  CHECK(made.at(0).to_vector<float>() == std::vector<float>{14.5f, 15, 15.5f});
  std::vector<kn::KernelArgument> wrong(arguments.begin(), arguments.begin() + 3);
  wrong.push_back(kn::KernelArgument::from_bytes(std::as_bytes(std::span(vector).first(3))));
  wrong.push_back(kn::local_memory<float>(1));
  CHECK_THROWS_AS(kernel.launch({.global = {3}}, wrong), kn::DTypeError);
}
