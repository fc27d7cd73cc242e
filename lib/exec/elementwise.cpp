// SPDX-License-Identifier: Apache-2.0
// Running element-wise kernels.
#include "exec/elementwise.hpp"
#include "exec/families.hpp"
#include "exec/kernel_run.hpp"

#include <algorithm>

namespace koine::exec {
namespace {

using codegen::Segments;
using codegen::Walk;

constexpr std::int64_t many_elements = 1 << 20;

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

Segments make_segments(const Walk& walk, const DeviceTraits& traits) {
  const Tuning& tuning = traits.tuning;
  const std::int64_t inner = walk.inner(), rows = walk.rows();
  if (!walk.cpu) {
    if (walk.across) {
      const auto vectors = static_cast<std::uint64_t>(divide_up(inner * rows, walk.width));
      return {vectors, vectors, 1, std::uint64_t(walk.width)};
    }
    const std::int64_t vectors = divide_up(inner, walk.width);
    // A work-item that moves single elements of a large array takes several, or starting it would be most of its work.
    const bool several = walk.width == 1 && vectors * rows >= many_elements;
    return {std::uint64_t(vectors), std::uint64_t(vectors * rows), several ? tuning.elementwise_scalars_per_item : 1u,
            std::uint64_t(walk.width)};
  }
  const std::int64_t segment = std::min<std::int64_t>(inner, tuning.elementwise_segment),
                     row_segments = divide_up(inner, segment);
  const std::int64_t share = inner * rows / (std::int64_t{tuning.items_per_core} * traits.compute_units);
  const std::int64_t per_item = divide_up(std::max<std::int64_t>(tuning.elementwise_elements_per_item, share), segment);
  return {std::uint64_t(row_segments), std::uint64_t(row_segments * rows), std::uint64_t(per_item),
          std::uint64_t(segment)};
}

}  // namespace

ElementsKernel prepare_elements(Programs& programs, const runtime::Queue& queue, codegen::Step& step,
                                codegen::Scatters scatters) {
  const codegen::Body& body = step.body;
  const DeviceTraits& traits = queue.traits();
  ElementsKernel result;
  result.local = traits.cpu_loops() ? 1 : std::min<std::size_t>(group_size, traits.max_group);
  if (body.domain.elements() == 0) return result;
  make_walk(body, traits, step.walk);
  const Segments segments = make_segments(step.walk, traits);
  const auto items = static_cast<std::size_t>((segments.segments + segments.per_item - 1) / segments.per_item);
  result.groups = (items + result.local - 1) / result.local;
  step.parameters.clear();
  add_bounds(step.parameters, step.walk, segments);
  add_values(step.parameters, body);
  const std::size_t owners = step.family == graph::Op::scatter ? 1 : 0;
  step.walk.spilled = step.parameters.spills(buffers_read(body) + body.outputs.size() + owners, traits);
  std::string& key = step.key;
  key.assign(1, 'e');
  append_key(key, step.walk);
  append_key(key, body);
  for (const codegen::Output& output : body.outputs) key.push_back(static_cast<char>(output.node->dtype));
  key.push_back(static_cast<char>(scatters));
  result.kernel = programs.kernel(
      key, [&] { return program_text(print_elementwise(body, step.walk, step.parameters, traits, scatters)); });
  return result;
}

Work prepare_elementwise(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  return [&queue, &step, launch = prepare_elements(programs, queue, step)] {
    run_step(queue, step, launch.kernel, step.walk.spilled, launch.groups, launch.local);
  };
}

}  // namespace koine::exec
