// SPDX-License-Identifier: Apache-2.0
// A program as C++ that compiles with koine.hpp alone.
#pragma once

#include <string>
#include <vector>

#include "program.hpp"

namespace koine::fuzz {

/// The whole program; with `eager` each array is computed at once, with `again` all is done twice. It ends by printing
/// variable `shown`; `comment` says what is wrong about that.
std::string program_text(const std::vector<Call>& calls, bool eager, bool again, std::size_t shown,
                         const std::string& comment);

}  // namespace koine::fuzz
