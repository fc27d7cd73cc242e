// SPDX-License-Identifier: Apache-2.0
// The place in a program that asked for what this thread does, as koine::CallerScope names it, for logs and traces.
#pragma once

#include <string_view>

namespace koine::base {

/// Empty where nobody names one.
std::string_view caller() noexcept;

/// Names another, which must outlive its use here; gives the one before.
std::string_view exchange_caller(std::string_view place) noexcept;

}  // namespace koine::base
