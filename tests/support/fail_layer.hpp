// SPDX-License-Identifier: Apache-2.0
// The test programs' side of tests/layers/fail.cpp.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

#include "layers/fail.hpp"
#include "support/inner.hpp"
#include "support/layer.hpp"

namespace koine::test {

/// The layer that the loader put into this process.
inline const FailLayer& fail_layer() {
  static const FailLayer* const layer = find_layer<FailLayer>(fail_layer_symbol);
  if (layer == nullptr) FAIL("run this with OPENCL_LAYERS=.../libkoine_fail_layer.so, as ctest does");
  return *layer;
}

/// The call by which the library waits for a queue of the default device.
inline const char* waiting_call() { return facts_of().finish_waits_for_later ? "clWaitForEvents" : "clFinish"; }

constexpr std::uint64_t always = std::numeric_limits<std::uint64_t>::max();

/// While it lives, calls of a function fail: after `skip` that go through, `count` of them.
class Failing {
 public:
  Failing(const char* function, int code, std::uint64_t count = always, std::uint64_t skip = 0)
      : before_(fail_layer().failed()) {
    if (!fail_layer().fail(function, skip, count, code)) FAIL(function << " is not among the layer's functions");
  }
  ~Failing() { fail_layer().stop(); }
  Failing(const Failing&) = delete;
  Failing& operator=(const Failing&) = delete;

  /// How many calls have failed since.
  std::uint64_t failed() const { return fail_layer().failed() - before_; }

 private:
  std::uint64_t before_;
};

}  // namespace koine::test
