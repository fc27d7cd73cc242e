// SPDX-License-Identifier: Apache-2.0
// Loading libraries that may be missing, and what their constructors find in the environment.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>

#include "base/library.hpp"
#include "exec/host_blas.hpp"

using koine::base::Library;
using koine::base::load_library;
using koine::base::unload;

TEST_CASE("a library that is missing says why") {
  const Library none = load_library("libkoine_is_nowhere.so.7");
  CHECK(none.handle == nullptr);
  CHECK(none.problem.find("libkoine_is_nowhere.so.7") != std::string::npos);
}

TEST_CASE("one that is loaded already is shared, and has its functions") {
  const Library library = load_library("libc.so.6");
  CHECK(library.handle != nullptr);
  CHECK(library.shared);
  CHECK(library.find("getenv") != nullptr);
  CHECK(library.find("koine_is_no_function_of_it") == nullptr);
}

TEST_CASE("constructors find one more variable, and nobody else does afterwards") {
  char** const before = environ;
  // OpenBLAS reads this one when it is loaded.
  for (const std::string core : {"Haswell", "Nehalem"}) {
    Library blas = load_library("libopenblas.so.0", "OPENBLAS_CORETYPE=" + core);
    if (blas.handle == nullptr) return;  // there is none here
    REQUIRE(!blas.shared);
    void* const name = blas.find("openblas_get_corename");
    REQUIRE(name != nullptr);
    CHECK(reinterpret_cast<const char* (*)()>(name)() == core);
    CHECK(environ == before);
    unload(blas);
    CHECK(blas.handle == nullptr);
  }
}

TEST_CASE("the BLAS that products are given to starts no threads") {
  const auto threads = [] {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
  };
  const auto before = threads();
  const koine::exec::HostBlas* const blas = koine::exec::HostBlas::get();
  if (blas == nullptr || blas->has_threads()) return;  // there is none here, or somebody else's
  CHECK(threads() == before);
}
