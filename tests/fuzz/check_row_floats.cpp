// SPDX-License-Identifier: Apache-2.0
// The op table's rows for the real floating types.
#include "check_row.hpp"

namespace koine::fuzz {

template Verdict check_row<float16_t>(std::size_t, const Plain&, const Plain&, const Plain*);
template Verdict check_row<bfloat16_t>(std::size_t, const Plain&, const Plain&, const Plain*);
template Verdict check_row<float>(std::size_t, const Plain&, const Plain&, const Plain*);
template Verdict check_row<double>(std::size_t, const Plain&, const Plain&, const Plain*);

}  // namespace koine::fuzz
