// SPDX-License-Identifier: Apache-2.0
// The op table's rows for bool and the integers.
#include "check_row.hpp"

namespace koine::fuzz {

template Verdict check_row<bool>(std::size_t, const Plain&, const Plain&, const Plain*);
template Verdict check_row<std::int8_t>(std::size_t, const Plain&, const Plain&, const Plain*);
template Verdict check_row<std::int16_t>(std::size_t, const Plain&, const Plain&, const Plain*);
template Verdict check_row<std::int32_t>(std::size_t, const Plain&, const Plain&, const Plain*);
template Verdict check_row<std::int64_t>(std::size_t, const Plain&, const Plain&, const Plain*);
template Verdict check_row<std::uint8_t>(std::size_t, const Plain&, const Plain&, const Plain*);
template Verdict check_row<std::uint16_t>(std::size_t, const Plain&, const Plain&, const Plain*);
template Verdict check_row<std::uint32_t>(std::size_t, const Plain&, const Plain&, const Plain*);
template Verdict check_row<std::uint64_t>(std::size_t, const Plain&, const Plain&, const Plain*);

}  // namespace koine::fuzz
