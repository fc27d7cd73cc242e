// SPDX-License-Identifier: Apache-2.0
// Running element-wise kernels.
#include "exec/elementwise.hpp"
#include "base/rounding.hpp"
#include "codegen/constant.hpp"
#include "exec/families.hpp"
#include "exec/kernel_run.hpp"
#include "exec/ordered_copies.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <type_traits>

namespace koine::exec {
namespace {

using codegen::Segments;
using codegen::Walk;

constexpr std::int64_t many_elements = 1 << 20;
// Of blocks that go along the innermost axis before others read on in the same lines of memory: few enough that these
// stay in a CPU's nearest cache, and their pages in its table of pages.
constexpr std::int64_t block_segment = 256;

using base::divide_up;

/// Of work-items.
std::size_t group_of(const DeviceTraits& traits) {
  return traits.cpu_loops() ? 1 : std::min<std::size_t>(group_size, traits.max_group);
}

/// Of a walk by blocks. On a card a tile of so many lanes of blocks, along both axes, is what neighbours share.
Segments make_block_segments(const Walk& walk, const DeviceTraits& traits) {
  const Tuning& tuning = traits.tuning;
  const std::int64_t inner = walk.inner(), rows = walk.rows(), width = walk.width;
  const std::int64_t across = divide_up(inner, width), deep = divide_up(walk.depth, width);
  if (walk.cpu) {
    const std::int64_t segment = std::min(inner, block_segment), row_segments = divide_up(inner, segment);
    const std::int64_t units = rows * row_segments * deep;
    const std::int64_t share = units / (std::int64_t{tuning.items_per_core} * traits.compute_units);
    const std::int64_t least = divide_up(tuning.elementwise_elements_per_item, segment * width);
    return {std::uint64_t(row_segments), std::uint64_t(units), std::uint64_t(std::max(least, share)),
            std::uint64_t(segment), std::uint64_t(deep)};
  }
  const auto lanes_of = [](std::int64_t blocks, std::int64_t most) {
    return std::min(std::bit_ceil(std::uint64_t(blocks)), std::uint64_t(most));
  };
  const std::uint64_t deep_lanes = lanes_of(deep, tuning.elementwise_deep_lanes);
  const std::uint64_t lanes = lanes_of(across, std::int64_t{group_size} / std::int64_t(deep_lanes));
  const std::uint64_t row_segments = (std::uint64_t(across) + lanes - 1) / lanes;
  const std::uint64_t deep_segments = (std::uint64_t(deep) + deep_lanes - 1) / deep_lanes;
  return {
      row_segments, std::uint64_t(rows) * row_segments * deep_segments, 1, std::uint64_t(width), deep_segments, lanes,
      deep_lanes};
}

Segments make_segments(const Walk& walk, const DeviceTraits& traits) {
  if (walk.depth > 0) return make_block_segments(walk, traits);
  const Tuning& tuning = traits.tuning;
  const std::int64_t inner = walk.inner(), rows = walk.rows();
  if (!walk.cpu) {
    if (walk.across) {
      const auto vectors = static_cast<std::uint64_t>(divide_up(inner * rows, walk.width));
      return {vectors, vectors, 1, std::uint64_t(walk.width)};
    }
    const std::int64_t vectors = divide_up(inner, walk.width);
    if (walk.by_parts) {
      const auto group = static_cast<std::int64_t>(group_of(traits));
      return {std::uint64_t(vectors), std::uint64_t(divide_up(vectors, group) * group * rows), 1,
              std::uint64_t(walk.width)};
    }
    // A work-item that moves single elements of a large array takes several, or starting it would be most of its work.
    const bool several = walk.width == 1 && vectors * rows >= many_elements;
    return {std::uint64_t(vectors), std::uint64_t(vectors * rows), several ? tuning.elementwise_scalars_per_item : 1u,
            std::uint64_t(walk.width)};
  }
  const std::int64_t segment = walk.tiled ? inner : std::min<std::int64_t>(inner, tuning.elementwise_segment),
                     row_segments = divide_up(inner, segment);
  const std::int64_t share = inner * rows / (std::int64_t{tuning.items_per_core} * traits.compute_units);
  const std::int64_t per_item = divide_up(std::max<std::int64_t>(tuning.elementwise_elements_per_item, share), segment);
  return {std::uint64_t(row_segments), std::uint64_t(row_segments * rows), std::uint64_t(per_item),
          std::uint64_t(segment)};
}

/// Writes down all that walk, key and parameters of a body's kernel follow from: equal facts, equal results. Nothing of
/// bodies that are more than loads and lines. What comes again and again, as in a loop, is then not worked out again.
void write_facts(codegen::Step& step, const DeviceTraits& traits, codegen::Scatters scatters) {
  const codegen::Body& body = step.body;
  std::string& facts = step.facts;
  facts.clear();
  const auto plain = [](const codegen::Load& load) { return load.loop < 0 && !load.draw(); };
  if (!body.loops.empty() || !body.folds.empty() || !body.calls.empty() ||
      !std::all_of(body.loads.begin(), body.loads.end(), plain)) {
    return;
  }
  const auto add = [&](const auto& value) {
    static_assert(std::is_trivially_copyable_v<std::remove_cvref_t<decltype(value)>>);
    facts.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const auto add_all = [&](const Shape& values) {
    add(values.size());
    facts.append(reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(std::int64_t));
  };
  add(&traits);
  add(traits.tuning);  // which may change
  add(step.family);
  add(scatters);
  add_all(body.domain);
  for (const codegen::Load& load : body.loads) {
    // Whether two loads are of one memory matters, which memory does not.
    const auto first = std::find_if(body.loads.begin(), body.loads.end(),
                                    [&](const codegen::Load& other) { return other.shares_source(load); });
    add(first - body.loads.begin());
    if (load.take) {
      add(load.take_size());
      add(load.take_stride);
    }
    add(load.layout.offset);
    add_all(load.layout.strides);
    add(load.seams.size());
    for (const graph::Seam& seam : load.seams) add(seam);
  }
  for (const graph::Node* constant : body.constants) {
    std::array<std::byte, 16> value{};
    codegen::write_constant(*constant, value);
    add(value);
  }
  for (const codegen::Output& output : body.outputs) {
    const graph::Destination* const to = output.destination;
    add(to != nullptr);
    if (to != nullptr) {
      add(to->layout.offset);
      add_all(to->layout.shape);
      add_all(to->layout.strides);
    }
    add(body.type_of(output));
  }
  append_key(facts, body);
}

}  // namespace

ElementsKernel prepare_elements(Programs& programs, const runtime::Queue& queue, codegen::Step& step,
                                codegen::Scatters scatters) {
  const DeviceTraits& traits = queue.traits();
  share_loads(step.body, traits);
  if (step.family != graph::Op::scatter) share_outputs(step.body, traits);
  const codegen::Body& body = step.body;
  ElementsKernel result;
  result.local = group_of(traits);
  if (body.domain.elements() == 0) return result;
  const auto ask = [&] {
    result.groups = step.groups;
    result.kernel = programs.kernel(
        step.key, [&] { return program_text(print_elementwise(body, step.walk, step.parameters, traits, scatters)); });
    return result;
  };
  write_facts(step, traits, scatters);
  if (!step.facts.empty() && step.facts == step.facts_before) return ask();
  step.facts_before.clear();
  make_walk(body, traits, step.walk);
  const Segments segments = make_segments(step.walk, traits);
  const std::uint64_t shares = (segments.segments + segments.per_item - 1) / segments.per_item;
  auto items = static_cast<std::size_t>(shares * segments.lanes * segments.deep_lanes);
  if (step.walk.stacked) {
    const auto stacks = divide_up(step.walk.rows(), static_cast<std::int64_t>(segments.per_item));
    items = static_cast<std::size_t>(stacks * step.walk.inner());
  }
  step.groups = (items + result.local - 1) / result.local;
  step.parameters.clear();
  add_bounds(step.parameters, step.walk, segments);
  add_values(step.parameters, body);
  const std::size_t owners = step.family == graph::Op::scatter ? 1 : 0;
  step.walk.spilled = step.parameters.spills(buffers_read(body) + body.outputs.size() + owners, traits);
  std::string& key = step.key;
  key.assign(1, 'e');
  append_key(key, step.walk);
  append_key(key, body);
  for (const codegen::Output& output : body.outputs) key.push_back(static_cast<char>(body.type_of(output)));
  key.push_back(static_cast<char>(scatters));
  std::swap(step.facts, step.facts_before);
  return ask();
}

/// Copies of what a step's kernel would gather again and again; null where there is nothing of the kind.
static std::unique_ptr<OrderedCopies> copies_for(Programs& programs, runtime::Queue& queue, const codegen::Step& step) {
  if (!may_be_copied(step.body, queue.traits())) return nullptr;
  Walk walk;
  make_walk(step.body, queue.traits(), walk);
  if (walk.tiled || walk.depth > 0 || walk.width == 1) return nullptr;
  std::size_t axis = step.body.domain.size() - 1;
  while (axis > 0 && step.body.domain[axis] == 1) --axis;
  std::vector<bool> gathered;
  for (std::size_t k = 0; k < step.body.loads.size(); ++k) {
    gathered.push_back(walk.access[k] == codegen::Access::strided);
  }
  return OrderedCopies::of(programs, queue, step.body, axis, gathered);
}

Work prepare_elementwise(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  if (std::shared_ptr<OrderedCopies> copies = copies_for(programs, queue, step)) {
    auto apart = std::make_shared<codegen::Step>();
    apart->family = step.family;
    apart->node = step.node;
    apart->body = copies->body();
    return [copies, apart, work = prepare_elementwise(programs, queue, *apart)] {
      copies->make();
      work();
      copies->release();
    };
  }
  return [&queue, &step, launch = prepare_elements(programs, queue, step)] {
    run_step(queue, step, launch.kernel, step.walk.spilled, launch.groups, launch.local);
  };
}

}  // namespace koine::exec
