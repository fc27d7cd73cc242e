// SPDX-License-Identifier: Apache-2.0
// softmax and logsumexp of rows that fit into a work-group's registers.
#pragma once

#include "codegen/plan.hpp"
#include "runtime/queue.hpp"

namespace koine::exec {

void run_softmax(runtime::Queue& queue, codegen::Step& step);

}  // namespace koine::exec
