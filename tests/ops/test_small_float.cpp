// SPDX-License-Identifier: Apache-2.0
// Every operation of the table on the floating types of 16 bits.
#include "support/op_table.hpp"

using namespace koine::test;

TEST_CASE("float16") { check_table<koine::float16_t>(); }
TEST_CASE("bfloat16") { check_table<koine::bfloat16_t>(); }
