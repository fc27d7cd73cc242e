// SPDX-License-Identifier: Apache-2.0
// The text under which a compiled program lies on disk has all parts, and can be taken apart again.
#include <doctest/doctest.h>

#include <string>

#include "runtime/program_store.hpp"

using koine::runtime::ProgramIdentity;

TEST_CASE("an identity is written line by line, the source last") {
  const ProgramIdentity identity{"1.2.3", "PoCL", "OpenCL 3", "3.1", "a CPU", "-w", "kernel\nvoid f() {}\n"};
  CHECK(identity.text() == "koine 1.2.3\nPoCL\nOpenCL 3\n3.1\na CPU\n-w\nkernel\nvoid f() {}\n");
  const auto read = ProgramIdentity::parse(identity.text());
  REQUIRE(read);
  CHECK(read->version == "1.2.3");
  CHECK(read->device == "a CPU");
  CHECK(read->source == identity.source);
  CHECK(read->text() == identity.text());
}

TEST_CASE("what is no identity is none") {
  for (const char* const text :
       {"", "koine", "koine 1.2.3\n", "koine 1\n2\n3\n4\n5\n6", "other 1\n2\n3\n4\n5\n6\nsource"}) {
    CAPTURE(text);
    CHECK_FALSE(ProgramIdentity::parse(text));
  }
}
