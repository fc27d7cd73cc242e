// SPDX-License-Identifier: Apache-2.0
// Chooses programs for the corpus.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "program.hpp"

namespace koine::fuzz {

/// Of the programs of `count` seeds, those that together show the most: each row of the op table and each class of
/// types it takes, each variant of every other kind, each type. They make no more than `most_calls` calls, as a call is
/// about a kernel to compile. Next to nothing is evaluated.
std::vector<std::uint64_t> collected(const std::function<Bytes(std::uint64_t)>& program_of, std::uint64_t first,
                                     std::size_t count, std::size_t most_calls);

}  // namespace koine::fuzz
