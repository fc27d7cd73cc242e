// SPDX-License-Identifier: Apache-2.0
// The place that asked, of each thread.
#include "base/caller.hpp"

#include <utility>

namespace koine::base {

namespace {
constinit thread_local std::string_view place;
}

std::string_view caller() noexcept { return place; }

std::string_view exchange_caller(std::string_view other) noexcept { return std::exchange(place, other); }

}  // namespace koine::base
