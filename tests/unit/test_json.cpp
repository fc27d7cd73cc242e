// SPDX-License-Identifier: Apache-2.0
// What base/json.hpp writes is what RFC 8259 asks for.
#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "base/json.hpp"

using koine::base::json_number;
using koine::base::json_text;

TEST_CASE("texts become JSON strings") {
  CHECK(json_text("") == "\"\"");
  CHECK(json_text("a \"b\" \\ c") == R"("a \"b\" \\ c")");
  CHECK(json_text("line\nnext\ttab") == R"("line\nnext\u0009tab")");
  CHECK(json_text(std::string(1, '\0') + "\x1f\x7f") == R"("\u0000\u001f\u007f")");
  CHECK(json_text("Intel\xc2\xae \xe2\x82\xac \xf0\x9f\x98\x80") == "\"Intel\xc2\xae \xe2\x82\xac \xf0\x9f\x98\x80\"");
}

TEST_CASE("bytes that are no UTF-8 become the replacement character") {
  CHECK(json_text("Intel\xae Xeon") == R"("Intel\ufffd Xeon")");            // Latin-1
  CHECK(json_text("\xc0\xaf") == R"("\ufffd\ufffd")");                      // a longer form of "/"
  CHECK(json_text("\xe2\x82") == R"("\ufffd\ufffd")");                      // cut off
  CHECK(json_text("\xed\xa0\x80") == R"("\ufffd\ufffd\ufffd")");            // half of a surrogate pair
  CHECK(json_text("\xf4\x90\x80\x80") == R"("\ufffd\ufffd\ufffd\ufffd")");  // beyond U+10FFFF
}

TEST_CASE("numbers read back as the same value, and what JSON has no word for is null") {
  CHECK(json_number(0) == "0");
  CHECK(json_number(-1.5) == "-1.5");
  CHECK(std::stod(json_number(0.1)) == 0.1);
  CHECK(std::stod(json_number(1e300)) == 1e300);
  CHECK(json_number(std::numeric_limits<double>::infinity()) == "null");
  CHECK(json_number(std::numeric_limits<double>::quiet_NaN()) == "null");
}
