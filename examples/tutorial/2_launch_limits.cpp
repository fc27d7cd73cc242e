// SPDX-License-Identifier: Apache-2.0
// Lesson 2: how large a launch may be, and what is said of one that is too large.
#include <cstdint>
#include <cstdio>
#include <koine/kernel.hpp>
#include <koine/koine.hpp>

#include "common.hpp"

namespace kn = koine;

namespace {

/// Prints why a launch cannot be.
template <class F>
void refused(const char* what, F launch) {
  try {
    launch();
  } catch (const kn::Error& error) {
    std::printf("\n%s:\n  %s\n", what, error.what());
    return;
  }
  check(false, "a launch beyond the device's limits is an error");
}

}  // namespace

int main() {
  const kn::Program program(R"(
__kernel void square(__global float* x, __local float* scratch) {
  const size_t i = get_global_id(0);
  scratch[get_local_id(0)] = x[i];
  x[i] = scratch[get_local_id(0)] * scratch[get_local_id(0)];
}
)");
  const kn::Kernel square = program.kernel("square");
  const auto most = static_cast<std::int64_t>(square.max_group());
  std::printf("%s takes work-groups of up to %lld work-items for this kernel\n", square.device().name().c_str(),
              static_cast<long long>(most));

  // As many work-items as there are elements; the driver may choose the size of the work-groups.
  kn::Array x = kn::arange(1 << 20, {.dtype = kn::float32});
  const auto bytes = [](std::int64_t items) { return static_cast<std::size_t>(items) * sizeof(float); };
  square({.global = {1 << 20}, .local = {64}}, x, kn::local_memory(bytes(64)));
  check(x(1000).item<float>() == 1000.0F * 1000.0F, "the square of 1000");
  std::printf("a launch of %d work-items in %d work-groups: x(1000) is now %.0f\n", 1 << 20, (1 << 20) / 64,
              static_cast<double>(x(1000).item<float>()));

  refused("work-groups that are too large",
          [&] { square({.global = {most * 4}, .local = {most * 4}}, x, kn::local_memory(bytes(64))); });
  refused("work-groups that do not divide the launch",
          [&] { square({.global = {1000}, .local = {64}}, x, kn::local_memory(bytes(64))); });
  refused("2^50 work-groups",
          [&] { square({.global = {std::int64_t{1} << 56}, .local = {64}}, x, kn::local_memory(bytes(64))); });
  refused("more local memory than there is",
          [&] { square({.global = {1 << 20}, .local = {64}}, x, kn::local_memory(std::size_t{1} << 30)); });

  // Nothing of that has happened.
  check(x(1000).item<float>() == 1000.0F * 1000.0F, "a launch that fails leaves arrays as they were");
}
