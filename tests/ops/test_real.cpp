// SPDX-License-Identifier: Apache-2.0
// Every operation of the table on real floating types.
#include "support/op_table.hpp"

using namespace koine::test;

TEST_CASE("float32") { check_table<float>(); }
TEST_CASE("float64") { check_table<double>(); }
