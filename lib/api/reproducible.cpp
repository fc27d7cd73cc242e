// SPDX-License-Identifier: Apache-2.0
// The scope of reproducible results.
#include <koine/reproducible.hpp>

#include "api/choices.hpp"

namespace koine {

reproducible::reproducible(bool on) noexcept : before_(api::choices().reproducible) {
  api::choices().reproducible = on;
}

reproducible::~reproducible() { api::choices().reproducible = before_; }

}  // namespace koine
