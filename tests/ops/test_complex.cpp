// SPDX-License-Identifier: Apache-2.0
// Every operation of the table on complex types.
#include "support/op_table.hpp"

using namespace koine::test;

TEST_CASE("complex64") { check_table<std::complex<float>>(); }
TEST_CASE("complex128") { check_table<std::complex<double>>(); }
