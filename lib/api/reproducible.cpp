// SPDX-License-Identifier: Apache-2.0
// The scope of reproducible results.
#include <koine/reproducible.hpp>

#include "graph/node.hpp"

namespace koine {

reproducible::reproducible(bool on) noexcept : before_(graph::reproducible_choice()) {
  graph::reproducible_choice() = on;
}

reproducible::~reproducible() { graph::reproducible_choice() = before_; }

}  // namespace koine
