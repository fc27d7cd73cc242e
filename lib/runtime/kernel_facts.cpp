// SPDX-License-Identifier: Apache-2.0
// Asks for what a launch must keep to, before arguments are set, which some drivers count among a kernel's own.
#include "runtime/kernel_facts.hpp"

namespace koine::runtime {

KernelFacts facts_of(Kernel& kernel) {
  struct Taken {
    Kernel& kernel;
    const cl_kernel handle = kernel.take();
    ~Taken() { kernel.give_back(handle); }
  } const taken{kernel};
  KernelFacts facts;
  cl_uint count = 0;
  clGetKernelInfo(taken.handle, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr);
  facts.count = count;
  const cl::ParameterTable known = kernel.program().parameters().value_or(cl::ParameterTable());
  const auto at = known.find(kernel.name());
  facts.parameters = at != known.end() ? at->second : cl::parameters_of(taken.handle);
  if (facts.parameters.size() != facts.count) facts.parameters.clear();
  const cl_device_id device = kernel.program().device()();
  std::size_t group[3] = {};
  if (clGetKernelWorkGroupInfo(taken.handle, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof group, group, nullptr) ==
      CL_SUCCESS) {
    facts.fixed_group = {group[0], group[1], group[2]};
  }
  cl_ulong local = 0;
  if (clGetKernelWorkGroupInfo(taken.handle, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local, nullptr) ==
      CL_SUCCESS) {
    facts.local_memory = local;
  }
  return facts;
}

}  // namespace koine::runtime
