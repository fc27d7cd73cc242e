// SPDX-License-Identifier: Apache-2.0
// What a thread has chosen for the work that it asks for, by scopes. It is read here, by the functions that make nodes;
// a node carries it as its place and its type, and no layer below asks for a thread's choices.
#pragma once

#include "graph/node.hpp"

#include <optional>

namespace koine::detail {
struct DeviceRecord;
}

namespace koine::api {

/// A queue to take instead of its context's own.
struct ChosenQueue {
  runtime::Queue* queue = nullptr;
  const ChosenQueue* outer = nullptr;  ///< of the scope around this one's
};

struct Choices {
  const detail::DeviceRecord* device = nullptr;  ///< null: the process' default
  const ChosenQueue* queue = nullptr;            ///< the innermost; the first one of a context counts for it
  bool reproducible = false;                     ///< at first what KOINE_REPRODUCIBLE says
  std::optional<graph::MatmulPrecision> matmul_precision = std::nullopt;  ///< none: KOINE_MATMUL_PRECISION's
  static constexpr DType no_dtype = DType::bool_;
  DType dtype = no_dtype;  ///< of numbers that nothing else gives a type; none: the process' default
};

/// Those of this thread.
Choices& choices() noexcept;

/// The place on the device of `place` where nodes that this thread builds are computed.
graph::Place chosen_place(graph::Place place) noexcept;

}  // namespace koine::api
