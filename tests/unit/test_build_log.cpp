// SPDX-License-Identifier: Apache-2.0
// Compilers' logs beside the source, in the formats of the drivers.
#include <doctest/doctest.h>

#include <string>

#include "cl/build_log.hpp"

using koine::cl::complaints;

namespace {
const std::string source = "one\ntwo\nthree\nfour\nfive\nsix\nseven";
}

TEST_CASE("formats of several compilers") {
  const std::string expected = ": message here\n  2 | two\n  3 | three\n> 4 | four\n    |  ^\n  5 | five\n  6 | six\n";
  for (const std::string log : {
           "<kernel>:4:2: error: message here\nfour\n ^\n",                                  // NVIDIA
           "/tmp/comgr-1/input/CompileSource:4:2: error: message here\n1 error generated.",  // AMD
           "1:4:2: error: message here\n",                                                   // Intel
           "error: /tmp/pocl/tempfile_x.cl:4:2: message here\nDevice cpu failed",            // PoCL
           "input.cl:4:2: fatal error: message here",
       }) {
    CAPTURE(log);
    const std::string text = complaints(source, log);
    CHECK(text.ends_with(":4:2" + expected));
  }
}

TEST_CASE("what names no place says nothing") {
  for (const std::string log :
       {"", "error: undefined symbol", "ptxas error : too much shared data", "x:4:2: warning: w",
        "error: <invalid loc>", "error x:y:4: nothing", "a:0:0: error: nowhere"}) {
    CAPTURE(log);
    CHECK(complaints(source, log) == "");
  }
  CHECK(complaints(source, "x:99:1: error: behind the end") == "x:99:1: behind the end\n");
}

TEST_CASE("line directives count as they do for the compiler") {
  const std::string text = "#define A 1\n#line 1 \"<source>\"\nfirst\nsecond\n#line 1 \"other\"\nthird";
  CHECK(complaints(text, "<source>:1:1: error: m") == "<source>:1:1: m\n> 1 | first\n    | ^\n  2 | second\n");
  CHECK(complaints(text, "other:1:3: error: m") == "other:1:3: m\n> 1 | third\n    |   ^\n");
  // NVIDIA's does not follow them.
  CHECK(complaints(text, "<kernel>:4:1: error: m") == "<source>:2:1: m\n  1 | first\n> 2 | second\n    | ^\n");
  CHECK(complaints(text, "<kernel>:6:3: error: m") == "other:1:3: m\n> 1 | third\n    |   ^\n");
  CHECK(complaints(text, "<kernel>:1:1: error: m") == "<kernel>:1:1: m\n> 1 | #define A 1\n    | ^\n");
}

TEST_CASE("each place once, and ten at the most") {
  std::string log;
  for (int i = 0; i < 20; ++i) log += "x:1:" + std::to_string(i / 2 + 1) + ": error: m\n";
  for (int i = 0; i < 20; ++i) log += "x:2:" + std::to_string(i + 1) + ": error: m\n";
  const std::string text = complaints("line\nline", log);
  int count = 0;
  for (std::size_t at = text.find("> "); at != text.npos; at = text.find("> ", at + 1)) ++count;
  CHECK(count == 10);
}
