// SPDX-License-Identifier: Apache-2.0
// Every operation of the table on bool_ and on unsigned integers: on the narrowest and the widest in the usual run.
#include "support/op_table.hpp"

using namespace koine::test;

TEST_CASE("bool_") { check_table<bool>(); }
TEST_CASE("uint8") { check_table<std::uint8_t>(); }
TEST_CASE("uint16" * doctest::skip(!all_variants())) { check_table<std::uint16_t>(); }
TEST_CASE("uint32" * doctest::skip(!all_variants())) { check_table<std::uint32_t>(); }
TEST_CASE("uint64") { check_table<std::uint64_t>(); }
