// SPDX-License-Identifier: Apache-2.0
// A library for .icd files to name, which is no driver: it loads, and as KOINE_TEST_DRIVER says it crashes or hangs
// meanwhile.
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace {

[[gnu::constructor]] void load() {
  const char* const role = std::getenv("KOINE_TEST_DRIVER");
  if (role == nullptr) return;
  if (role == std::string_view("crash")) std::abort();
  if (role == std::string_view("hang")) pause();
}

}  // namespace
