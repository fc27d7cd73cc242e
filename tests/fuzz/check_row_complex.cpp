// SPDX-License-Identifier: Apache-2.0
// The op table's rows for the complex types.
#include "check_row.hpp"

namespace koine::fuzz {

template Verdict check_row<std::complex<float>>(std::size_t, const Plain&, const Plain&, const Plain*);
template Verdict check_row<std::complex<double>>(std::size_t, const Plain&, const Plain&, const Plain*);

}  // namespace koine::fuzz
