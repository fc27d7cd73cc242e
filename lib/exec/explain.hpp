// SPDX-License-Identifier: Apache-2.0
// What an evaluation would do, as plain data: it is planned and prepared, and nothing of it runs.
#pragma once

#include "codegen/plan.hpp"
#include "exec/host_step.hpp"
#include "exec/traffic.hpp"
#include "graph/node.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace koine::exec {

/// A value: an array in memory, or what an operation gives.
struct ExplainedValue {
  std::string name;  ///< "m1" in memory, "v1" otherwise; a constant's value
  std::string operation;
  DType dtype;
  Shape shape;
  std::vector<std::size_t> inputs;  ///< numbers of values
  bool in_memory = false, constant = false;
};

struct ExplainedStored {
  std::size_t value;
  codegen::Why why;
};

struct ExplainedKernel {
  std::string name, options, source;
};

struct ExplainedStep {
  std::string family;
  std::vector<ExplainedKernel> kernels;
  HostSteps::Doer doer = HostSteps::Doer::device;  ///< now: the calling thread may do what the kernels do
  std::vector<std::size_t> fused;                  ///< values that it computes and does not store
  std::vector<ExplainedStored> stored;
  Traffic traffic;
};

/// Of the arrays on one device.
struct Explained {
  const DeviceTraits* device;
  std::vector<ExplainedValue> values;
  std::vector<ExplainedStep> steps;
};

/// Does not wait for the device. For each device that pending roots are on.
std::vector<Explained> explain(std::span<const graph::NodeRef> roots);

}  // namespace koine::exec
