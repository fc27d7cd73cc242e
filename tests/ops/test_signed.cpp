// SPDX-License-Identifier: Apache-2.0
// Every operation of the table on signed integers: on the narrowest and the widest in the usual run.
#include "support/op_table.hpp"

using namespace koine::test;

TEST_CASE("int8") { check_table<std::int8_t>(); }
TEST_CASE("int16" * doctest::skip(!all_variants())) { check_table<std::int16_t>(); }
TEST_CASE("int32" * doctest::skip(!all_variants())) { check_table<std::int32_t>(); }
TEST_CASE("int64") { check_table<std::int64_t>(); }
