// SPDX-License-Identifier: Apache-2.0
// Contexts: making them, programs and kernels, and what to do when a device fails.
#include "runtime/context.hpp"

#include <chrono>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/env.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "cl/discovery.hpp"
#include "cl/errors.hpp"

namespace koine::runtime {

namespace {

struct Slot {
  std::once_flag once;
  std::atomic<Context*> context{nullptr};
};

/// One for each device, never destroyed.
Slot& slot_of(const cl::DeviceEntry& entry) {
  static auto& slots = *new std::vector<Slot>(cl::all_devices().size());
  return slots[entry.index];
}

cl::Queue make_queue(const cl::DeviceEntry& entry, const ::cl::Context& context) {
  try {
    return cl::Queue(context, entry.device);
  } catch (const ::cl::Error& error) {
    cl::throw_error(error.err(), "device", "create a queue", entry.traits);
  }
}

::cl::Context make_context(const cl::DeviceEntry& entry) {
  if (cl::discovery_generation() != base::process_generation()) {
    throw DeviceError(
        "[device] this process was forked from one that had used OpenCL, whose drivers do not survive a fork. Use "
        "devices "
        "only after the fork, or start a new program (exec)");
  }
  try {
    return ::cl::Context(entry.device);
  } catch (const ::cl::Error& error) {
    cl::throw_error(error.err(), "device", "create a context", entry.traits);
  }
}

/// What is registered later runs earlier: before the globals go that the driver has made by now.
void finish_at_exit() {
  [[maybe_unused]] static const int registered = std::atexit([] {
    for (const cl::DeviceEntry* entry : cl::all_devices()) {
      Context* const context = Context::existing(*entry);
      if (context == nullptr || !context->traits().quirks.crashes_at_exit) continue;
      try {
        context->finish("exit");
      } catch (const Error&) {  // lost, or the parent's: nothing to wait for
      }
    }
  });
}

}  // namespace

Context& Context::of(const cl::DeviceEntry& entry) {
  Slot& slot = slot_of(entry);
  if (Context* const context = slot.context.load(std::memory_order_acquire)) return *context;
  std::call_once(slot.once,
                 [&] { slot.context.store(new Context(entry, make_context(entry)), std::memory_order_release); });
  return *slot.context.load(std::memory_order_acquire);
}

Context* Context::existing(const cl::DeviceEntry& entry) noexcept {
  return slot_of(entry).context.load(std::memory_order_acquire);
}

Context::Context(const cl::DeviceEntry& entry, ::cl::Context handle)
    : entry_(entry),
      handle_(std::move(handle)),
      queue_(make_queue(entry, handle_)),
      pool_(initial_memory_limit(entry.traits)),
      generation_(base::process_generation()),
      synchronous_(base::env_flag("KOINE_SYNC")) {}

std::uint64_t Context::initial_memory_limit(const DeviceTraits& traits) {
  const auto text = base::env("KOINE_MEMORY_LIMIT");
  if (!text) return traits.memory / 10 * 9;
  const auto bytes = base::parse_bytes(*text, traits.memory);
  if (!bytes) {
    throw ValueError("[KOINE_MEMORY_LIMIT] \"" + *text +
                     "\" is not a size: write a part of the device's memory (\"90%\") or bytes (\"8GiB\", \"512MiB\")");
  }
  return *bytes;
}

KernelRef Context::kernel(std::string_view signature, const std::function<ProgramText()>& make,
                          std::string_view entry) {
  check_usable("eval");
  return programs_.kernel(signature, entry, [&]() -> ProgramCache::ProgramRef {
    const auto start = std::chrono::steady_clock::now();
    const ProgramText text = make();
    auto program = std::make_shared<const cl::Program>(
        cl::Program::from_source(handle_, entry_.device, traits(), text.source, text.options));
    programs_built_.fetch_add(1, std::memory_order_relaxed);
    if (base::log_enabled(base::LogTopic::jit)) {
      const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
      base::log_line(base::LogTopic::jit, "built " + std::string(signature) + " for " + traits().selector + " in " +
                                              std::to_string(time.count()) + " ms:\n" + text.source);
    }
    return program;
  });
}

void Context::finish(std::string_view function) {
  check_usable(function);
  const cl_int code = clFinish(queue_.handle());
  if (code != CL_SUCCESS) fail(code, function, "finish the work");
}

void Context::launched(Kernel& kernel) {
  launches_.fetch_add(1, std::memory_order_relaxed);
  if (!traits().quirks.crashes_at_exit || !kernel.first_launch()) return;
  finish();  // the driver's compiler runs now, and makes its globals, rather than when the process ends
  finish_at_exit();
}

void Context::flush() {
  check_usable("eval");
  const cl_int code = clFlush(queue_.handle());
  if (code != CL_SUCCESS) fail(code, "eval", "submit the work");
}

void Context::fail(cl_int code, std::string_view function, std::string_view attempt) {
  if (cl::error_kind(code) == ErrorKind::DeviceLost) lost_.store(true, std::memory_order_relaxed);
  cl::throw_error(code, function, attempt, traits());
}

void Context::throw_unusable(std::string_view function) const {
  const std::string name = traits().selector + " (" + traits().name + ")";
  if (generation_ != base::process_generation()) {
    throw DeviceError(
        "[" + std::string(function) + "] " + name +
        " was used before this process was forked, and its driver does not survive a fork. Use devices only "
        "after the fork, or start a new program (exec)");
  }
  throw DeviceLost("[" + std::string(function) + "] " + name +
                   " failed earlier, and what was on it is gone; other devices work on");
}

}  // namespace koine::runtime
