// SPDX-License-Identifier: Apache-2.0
// Asks for what a launch must keep to, before arguments are set, which some drivers count among a kernel's own.
#include "runtime/kernel_facts.hpp"

#include "cl/errors.hpp"

namespace koine::runtime {

KernelFacts facts_of(Kernel& kernel) {
  struct Taken {
    Kernel& kernel;
    const cl_kernel handle = kernel.take();
    ~Taken() { kernel.give_back(handle); }
  } const taken{kernel};
  KernelFacts facts;
  cl_uint count = 0;
  if (const cl_int code = clGetKernelInfo(taken.handle, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr);
      code != CL_SUCCESS) {
    cl::throw_error(code, "eval", "ask for a kernel's parameters", kernel.program().traits());
  }
  facts.count = count;
  const cl::ParameterTable known = kernel.program().parameters().value_or(cl::ParameterTable());
  if (const auto at = known.find(kernel.name()); at != known.end()) facts.parameters = at->second;
  if (facts.parameters.size() != facts.count) {
    facts.parameters = cl::parameters_of(taken.handle, kernel.program().traits());
  }
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
