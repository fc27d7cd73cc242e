// SPDX-License-Identifier: Apache-2.0
// The kernel texts that the build embeds: each file is there, whole, with its includes spliced in once.
#include "runtime/kernel_sources.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

using koine::runtime::kernel_source;

TEST_CASE("every kernels/*.cl is embedded, without an include line left") {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(KOINE_TEST_DIR "/../kernels")) {
    if (entry.path().extension() != ".cl") continue;
    ++files;
    CAPTURE(entry.path().string());
    const std::string text{kernel_source(entry.path().stem().string())};
    CHECK(text.find("#include \"") == std::string::npos);
    // What follows the last include line is the file's own text, byte for byte.
    std::ifstream stream(entry.path(), std::ios::binary);
    const std::string original{std::istreambuf_iterator<char>(stream), {}};
    const std::size_t include = original.rfind("#include \"");
    const std::string tail = include == std::string::npos ? original : original.substr(original.find('\n', include));
    REQUIRE(text.size() >= tail.size());
    CHECK(text.compare(text.size() - tail.size(), tail.size(), tail) == 0);
  }
  CHECK(files > 0);
}

TEST_CASE("a kernel that is not there is named") {
  CHECK_THROWS_WITH_AS(kernel_source("no_such"), "[kernel_source] there is no kernels/no_such.cl in this build",
                       std::logic_error);
}
