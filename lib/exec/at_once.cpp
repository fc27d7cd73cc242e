// SPDX-License-Identifier: Apache-2.0
// Interpolation and short convolutions at the call; see at_once.hpp.
#include "exec/at_once.hpp"

#include "base/log.hpp"
#include "exec/evaluate.hpp"
#include "exec/host_run.hpp"
#include "exec/host_step.hpp"
#include "host/signal.hpp"
#include "runtime/context.hpp"
#include "runtime/recorder.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace koine::exec {

using graph::Node;
using graph::NodeRef;

namespace {

// Terms of a sum, and elements, from which on a plan takes little of the time.
constexpr std::int64_t most_terms = 64, most_elements = 4096;
// Of a position, or of a product, in operations.
constexpr std::uint64_t per_search = 16, per_product = 4;

/// An array in new memory that `fill(memory)` fills from what the nodes hold; null where something came in between.
template <class Fill>
NodeRef filled(std::string_view function, const graph::Place& place, DType type, const Shape& shape,
               std::initializer_list<const Node*> from, Fill fill) {
  NodeRef made = graph::make_leaf(type, graph::row_major(shape), nullptr, place);
  runtime::Queue& queue = queue_of(*made);
  const runtime::Context::InUse in_use(queue.context(), function);
  made->storage = queue.allocate(static_cast<std::uint64_t>(shape.elements()) * size_of(type), function);
  std::array<runtime::Use, 4> uses{{{made->storage.get(), true}}};
  std::transform(from.begin(), from.end(), uses.begin() + 1, [](const Node* node) {
    return runtime::Use{node->storage.get(), false};
  });
  if (!queue.on_host(std::span(uses).first(1 + from.size()), [&] { fill(made->storage->host()); })) return nullptr;
  queue.context().did_on_host();
  return made;
}

/// Calls f(T{}) with the C++ type of float32 or float64; whether the type is one of these.
template <class F>
NodeRef with_real(DType type, F f) {
  if (type == float32) return f(float{});
  return type == float64 ? f(double{}) : nullptr;
}

/// Whether the calling thread may do so much work at once on what these nodes hold: they are in memory that the host
/// has, nothing is known to be under way, and nobody wants to be told of steps, or the order of operations that is the
/// same on every device.
bool at_once(std::initializer_list<const Node*> nodes, const graph::Place& place, std::uint64_t work) {
  const auto at_hand = [](const Node* node) {
    return node->is_ready() && node->storage != nullptr && node->storage->host() != nullptr;
  };
  return std::ranges::all_of(nodes, at_hand) && !place.reproducible && !runtime::recording() &&
         !base::log_enabled(base::LogTopic::launch) && host_does_small(*place.context, work);
}

}  // namespace

NodeRef interpolated_at_once(const Node& at, const Node& points, const Node& heights, const graph::Place& place) {
  const std::int64_t searches = at.shape.elements();
  const bool alike = at.dtype == points.dtype && at.dtype == heights.dtype;
  if (!alike || searches == 0 || searches > most_elements || !place.traits->exact_divide ||
      !at_once({&at, &points, &heights}, place, per_search * static_cast<std::uint64_t>(searches)) ||
      !is_row_major(at.layout) || !is_row_major(points.layout) || !is_row_major(heights.layout)) {
    return nullptr;
  }
  return with_real(at.dtype, [&]<class T>(T) {
    return filled("interp", place, at.dtype, at.shape, {&at, &points, &heights}, [&](std::byte* to) {
      host::interpolate(elements_of<T>(points), elements_of<T>(heights), count_of(points), elements_of<T>(at),
                        count_of(at), reinterpret_cast<T*>(to));
    });
  });
}

NodeRef slid_at_once(const Node& x, const Node& y, std::int64_t before, std::int64_t results,
                     const graph::Place& place) {
  const std::int64_t size = y.shape.elements();
  // Kernels add the terms of such sums one after the other: they fold neighbouring results side by side, as y does not
  // lie as x does, or, where results are fewer than a vector has elements, each term of one in an element of its own.
  const bool in_turn = size == 1 || (size <= most_terms && size <= results && y.layout.strides[0] < 0);
  if (!in_turn || results > most_elements ||
      !at_once({&x, &y}, place, per_product * static_cast<std::uint64_t>(results * size)) || !is_row_major(x.layout)) {
    return nullptr;
  }
  return with_real(x.dtype, [&]<class T>(T) {
    return filled("convolve", place, x.dtype, {results}, {&x, &y}, [&](std::byte* to) {
      std::array<T, most_terms> terms;  // side by side
      for (std::int64_t k = 0; k < size; ++k) {
        terms[static_cast<std::size_t>(k)] = elements_of<T>(y)[k * y.layout.strides[0]];
      }
      host::slide(elements_of<T>(x), count_of(x), static_cast<std::size_t>(before), terms.data(), count_of(y),
                  reinterpret_cast<T*>(to), static_cast<std::size_t>(results));
    });
  });
}

NodeRef counted_at_once(const Node& node, std::span<const std::int64_t> values, std::int64_t count,
                        const graph::Place& place) {
  if (!at_once({&node}, place, values.size() + static_cast<std::size_t>(count))) return nullptr;
  return filled("bincount", place, int64, {count}, {&node}, [&](std::byte* to) {
    const std::span counts(reinterpret_cast<std::int64_t*>(to), static_cast<std::size_t>(count));
    std::ranges::fill(counts, 0);
    for (const std::int64_t value : values) ++counts[static_cast<std::size_t>(value)];
  });
}

}  // namespace koine::exec
