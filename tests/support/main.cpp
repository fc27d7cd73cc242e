// SPDX-License-Identifier: Apache-2.0
// doctest's own code, and a main that keeps the tests' programs out of the user's cache, the user's tuning out of the
// tests, and small work with the kernels that they are about (but for tests that cmake/tests.cmake says).
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>

#include "support/devices.hpp"

int main(int count, char** arguments) {
  setenv("KOINE_CACHE_DIR", KOINE_TEST_CACHE_DIR, 0);  // unless it is set
  setenv("KOINE_TUNING", "off", 0);
  const bool by_host = std::getenv("KOINE_TEST_BY_HOST") != nullptr && !koine::test::all_variants();
  setenv("KOINE_HOST_STEPS", by_host ? "on" : "off", 0);
  return doctest::Context(count, arguments).run();
}
