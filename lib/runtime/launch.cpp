// SPDX-License-Identifier: Apache-2.0
// Enqueues kernels; everything that is not the straight way through is out of line.
#include "runtime/launch.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "base/log.hpp"
#include "base/process.hpp"
#include "koine/error.hpp"

namespace koine::runtime {

namespace {

std::string size_text(std::span<const std::size_t> sizes) {
  std::string text;
  for (const std::size_t each : sizes) text += (text.empty() ? "" : "x") + std::to_string(each);
  return text.empty() ? "the driver's choice" : text;
}

}  // namespace

Launch::Launch(Queue& queue, const KernelRef& kernel) : queue_(queue), kernel_(*kernel) {
  queue.context().check_usable("eval");
  handle_ = queue.context().noting_loss([&] { return kernel_.take(); });
}

void Launch::run(std::span<const std::size_t> global, std::span<const std::size_t> local, cl::Event* event,
                 std::span<const std::size_t> offset) {
  if (std::find(global.begin(), global.end(), std::size_t{0}) != global.end()) return;
  const auto enqueue = [&](cl_event* made) {
    return clEnqueueNDRangeKernel(queue_.handle(), handle_, static_cast<cl_uint>(global.size()),
                                  offset.empty() ? nullptr : offset.data(), global.data(),
                                  local.empty() ? nullptr : local.data(), 0, nullptr, made);
  };
  Context& context = queue_.context();
  operands_.bound_faults(queue_);
  if (base::log_enabled(base::LogTopic::launch)) {
    base::log_line(base::LogTopic::launch, kernel_.name() + " on " + context.traits().selector + ", global " +
                                               size_text(global) + ", local " + size_text(local));
  }
  std::optional<base::Undisturbed> undisturbed;
  if (context.compiles_at(kernel_)) {
    cl::check_compiler(context.traits());
    undisturbed.emplace();
  }
  const cl_int code =
      queue_.submit(operands_.uses(), enqueue, event, [this] { return operands_.command(kernel_.name()); });
  if (code != CL_SUCCESS) fail_run(code, global, local);
  operands_.hand_on_faults(queue_);
  if (context.synchronous()) {
    if (const cl_int waited = queue_.wait_for_all(); waited != CL_SUCCESS) {
      context.fail(waited, "eval", "finish the kernel \"" + kernel_.name() + "\", which ran last (KOINE_SYNC)");
    }
  }
  context.launched(kernel_);
  queue_.launched();
}

void Launch::fail_argument(cl_int code, std::size_t size) {
  const std::string attempt = "set argument " + std::to_string(index_) + " (" + std::to_string(size) +
                              " bytes) of the kernel \"" + kernel_.name() + "\"";
  queue_.context().fail(code, "eval", attempt);
}

void Launch::fail_run(cl_int code, std::span<const std::size_t> global, std::span<const std::size_t> local) {
  queue_.context().fail(code, "eval",
                        "run the kernel \"" + kernel_.name() + "\" with global size " + size_text(global) +
                            ", work-groups of " + size_text(local) + " and at most " +
                            std::to_string(kernel_.max_group()) + " work-items in a group");
}

}  // namespace koine::runtime
