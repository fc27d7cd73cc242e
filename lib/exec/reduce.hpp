// SPDX-License-Identifier: Apache-2.0
// Reductions of what a body computes.
#pragma once

#include "codegen/reduce.hpp"
#include "exec/kernel_run.hpp"

#include <deque>
#include <span>
#include <string_view>
#include <vector>

namespace koine::exec {

/// The passes over blocks that leave one value of each result.
class Reduction {
 public:
  struct Value {
    graph::ReduceInfo reduction;  // over axes of the body's domain
    DType type;                   // of the results
  };
  struct Order {
    std::vector<Value> values;              // one for each of the body's outputs, over the same axes
    bool fixed;                             // by the tree that is the same on every device
    const codegen::Body* finish = nullptr;  // what is stored in place of the results, which outlives this
  };
  /// What a step of the family reduces, whose domain has elements.
  static Order order_of(const codegen::Step& step);
  /// One kernel.
  struct Pass {
    codegen::Body partial_body;
    const codegen::Body* body;
    std::vector<std::size_t> axes;  // of that body
    codegen::ReducePass pass;
    codegen::ReduceWalk walk;
    codegen::ParamBlock parameters;
    runtime::KernelRef kernel;
    std::vector<graph::NodeRef> partials;  // that it leaves for the next one, in memory while both run
  };
  /// Those of a body whose domain has elements, as far as they are known without a device. The body and the order
  /// outlive them.
  static std::deque<Pass> passes_of(const Order& order, const codegen::Body& body, const DeviceTraits& traits,
                                    graph::Place place);
  /// Asks for all kernels. The domain has elements; the body outlives this.
  Reduction(Programs& programs, runtime::Queue& queue, const codegen::Body& body, Order order, graph::Place place,
            std::string_view function);

  /// `results` have room for the results of each, or of the finish, in row-major order.
  void run(std::span<const runtime::Buffer* const> results) const;

 private:
  /// Fills in the parameters and asks for the kernel.
  void prepare_kernel(Programs& programs, Pass& now) const;

  runtime::Queue& queue_;
  Order order_;
  std::string_view function_;
  std::deque<Pass> passes_;
};

}  // namespace koine::exec
