// SPDX-License-Identifier: Apache-2.0
// Reductions of what a body computes.
#pragma once

#include "codegen/reduce.hpp"
#include "exec/kernel_run.hpp"

#include <deque>
#include <string_view>
#include <vector>

namespace koine::exec {

/// The passes over blocks that leave one value of each result. Made, it has all kernels at hand, and none has run.
class Reduction {
 public:
  struct Order {
    graph::ReduceInfo reduction;  // over axes of the body's domain
    DType type;                   // of the results
    bool fixed;                   // by the tree that is the same on every device
  };
  /// `result` has room for the results in row-major order. The domain has elements.
  Reduction(runtime::Queue& queue, codegen::Body body, Order order, graph::Place place, std::string_view function,
            runtime::BufferRef result);

  void run() const;

 private:
  /// One kernel, ready to run.
  struct Pass {
    codegen::Body body;
    codegen::ReducePass pass;
    codegen::ReduceWalk walk;
    runtime::KernelRef kernel;
    std::vector<graph::NodeRef> partials;  // that the body reads
    std::vector<runtime::BufferRef> outputs;
  };

  runtime::Queue& queue_;
  graph::ReduceInfo reduction_;
  std::deque<Pass> passes_;
};

}  // namespace koine::exec
