// SPDX-License-Identifier: Apache-2.0
// The scope that names who asks.
#include <koine/caller.hpp>

#include <utility>

#include "base/caller.hpp"
#include "base/log.hpp"
#include "runtime/recorder.hpp"

namespace koine {

CallerScope::CallerScope(std::string place) : place_(std::move(place)), before_(base::exchange_caller(place_)) {}

CallerScope::~CallerScope() { base::exchange_caller(before_); }

bool CallerScope::wanted() noexcept { return base::log_enabled_at_all() || runtime::recording(); }

}  // namespace koine
