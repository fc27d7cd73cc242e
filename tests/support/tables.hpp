// SPDX-License-Identifier: Apache-2.0
// The rows of graph/ops.def and graph/reductions.def with what the library says of each, for tests that go through
// them. For programs that link koine_internal.
#pragma once

#include "graph/infer.hpp"
#include "graph/ops.hpp"
#include "graph/reductions.hpp"
