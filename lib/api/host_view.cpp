// SPDX-License-Identifier: Apache-2.0
// Views of arrays for the host, in the device's memory where the host has it, and when their values are there.
#include "api/build.hpp"
#include "api/event.hpp"
#include "exec/evaluate.hpp"
#include "runtime/context.hpp"

#include <koine/error.hpp>
#include <koine/host_memory.hpp>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

namespace koine {

HostView host_view(const Array& x, const HostViewOptions& options) {
  constexpr const char* function = "host_view";
  constexpr std::size_t alignment = 256;  // what DLPack asks for
  const graph::NodeRef& node = x.node();
  exec::evaluate(node);
  const std::byte* const memory = node->storage == nullptr ? nullptr : node->storage->host();
  if (options.copy != true && memory != nullptr) {
    const std::int64_t offset = node->layout.offset * static_cast<std::int64_t>(size_of(node->dtype));
    runtime::Queue& queue = exec::queue_of(*node);
    if (x.size() > 0 && !queue.at_hand(*node->storage)) {
      // Reading one byte waits for what makes the elements, and throws what that reports.
      std::byte first_byte;
      queue.read(*node->storage, static_cast<std::uint64_t>(offset), &first_byte, 1, function);
    }
    return {x, memory + offset, node->layout.strides, nullptr};
  }
  if (options.copy == false && x.size() > 0) {
    throw ValueError(api::prefix(function) + "the elements lie in memory of " + x.device().selector() +
                     " that the host does not share; leave .copy open to allow a copy");
  }
  const auto bytes = static_cast<std::size_t>(x.nbytes());
  const std::shared_ptr<void> copy(std::aligned_alloc(alignment, (bytes / alignment + 1) * alignment), std::free);
  if (copy == nullptr) throw std::bad_alloc();
  api::copy_elements(x, copy.get());
  return {x, copy.get(), graph::row_major_strides(x.shape()), copy};
}

Event ready(const Array& x) {
  const graph::NodeRef& node = x.node();
  exec::evaluate(node);
  if (node->storage == nullptr || x.size() == 0) return Event();
  runtime::Context& context = *node->place.context;
  if (context.known_idle()) return Event();
  return api::event_of(context, exec::queue_of(*node).ready(*node->storage, "ready"));
}

bool at_hand(const Array& x) {
  const graph::Node& node = *x.node();
  if (!node.is_ready()) return false;
  if (node.storage == nullptr || node.shape.elements() == 0) return true;
  return node.storage->host() != nullptr && node.place.context->known_idle();
}

bool eval_at_once(const Array& x) { return exec::evaluate_at_once(x.node()) && at_hand(x); }

bool is_borrowed(const Array& x) {
  const graph::Node& node = *x.node();
  return node.is_ready() && node.storage != nullptr && node.storage->borrowed();
}

}  // namespace koine
