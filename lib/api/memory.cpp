// SPDX-License-Identifier: Apache-2.0
// The public memory functions.
#include "koine/memory.hpp"

#include "runtime/context.hpp"

namespace koine {

MemoryStats memory_stats(const Device& device) {
  // Asking must not start a device that nobody uses.
  if (const runtime::Context* context = runtime::Context::existing(device.record())) {
    context->check_process("memory_stats");
    return context->stats();
  }
  return {.limit = runtime::Context::initial_memory_limit(device.record().traits)};
}

void set_memory_limit(const Device& device, std::uint64_t bytes) {
  runtime::Context& context = runtime::Context::of(device);
  context.check_process("set_memory_limit");
  context.set_memory_limit(bytes);
}

}  // namespace koine
