// SPDX-License-Identifier: Apache-2.0
// Program texts and arguments of generated kernels.
#include "exec/kernel_run.hpp"

#include "exec/donate.hpp"
#include "exec/traffic.hpp"
#include "runtime/kernel_sources.hpp"

#include <algorithm>

namespace koine::exec {

codegen::Body stored_body(const std::vector<graph::NodeRef>& arrays, const Shape& shape, graph::Node* node) {
  codegen::Body body;
  body.domain = shape;
  for (const graph::NodeRef& array : arrays) {
    const auto at = static_cast<std::int32_t>(body.loads.size());
    body.loads.push_back({array.get(), array->layout, array->dtype, false});
    body.lines.push_back({graph::Op::leaf, array->dtype, array->dtype, {at, -1, -1}});
  }
  body.outputs.push_back({node, 0});
  return body;
}

std::vector<graph::Destination> results_of(runtime::Queue& queue, const codegen::Body& body,
                                           const runtime::KernelRef& kernel) {
  // An operand is not overwritten where its kernel could still fail after it ran: the work would be tried again.
  const bool donates = kernel != nullptr && !queue.context().waits_after(*kernel);
  std::vector<graph::Destination> results;
  results.reserve(body.outputs.size());
  for (const codegen::Output& output : body.outputs) {
    if (output.destination) {
      results.push_back(*output.destination);
      continue;
    }
    const graph::Node& node = *output.node;
    runtime::BufferRef memory = donates ? donated(body, results.size()) : nullptr;
    const auto elements = static_cast<std::uint64_t>(node.shape.elements());
    if (!memory) memory = queue.allocate(elements * size_of(node.dtype), function_of(node));
    results.push_back({std::move(memory), graph::row_major(node.shape)});
  }
  return results;
}

runtime::ProgramText program_text(const codegen::KernelText& text) {
  std::string source = text.settings;
  for (std::string_view module : text.modules) source += runtime::kernel_source(module);
  source += text.custom + text.definitions;
  source += "#define KN_NAME " + text.entry + "\n";
  source += runtime::kernel_source(text.kernel);
  runtime::ProgramText program{std::move(source), "", text.entry, text.about};
  program.users = !text.custom.empty();
  return program;
}

void run_step(runtime::Queue& queue, codegen::Step& step, const runtime::KernelRef& kernel, bool spilled,
              std::size_t groups, std::size_t local) {
  const codegen::Body& body = step.body;
  std::vector<graph::Destination> results = results_of(queue, body, kernel);
  if (groups > 0) {
    runtime::Launch launch(queue, kernel);
    add_loads(launch, queue, body);
    for (std::size_t k = 0; k < results.size(); ++k) {
      if (body.outputs[k].same_as < 0) launch.out(*results[k].storage);
    }
    if (runtime::recording()) launch.moves(0, traffic_of(body).written);
    const runtime::BufferRef held = add_parameters(launch, queue, step.parameters, spilled);
    launch.run({groups * local}, {local});
  }
  for (std::size_t k = 0; k < body.outputs.size(); ++k) {
    graph::fulfil(*body.outputs[k].node, std::move(results[k].storage), std::move(results[k].layout));
  }
}

const char* moved_as(DType type) {
  switch (size_of(type)) {
    case 1: return "uchar";
    case 2: return "ushort";
    case 4: return "uint";
    case 8: return "ulong";
    default: return "ulong2";
  }
}

void run_over(runtime::Launch& launch, const runtime::Queue& queue, const runtime::Kernel& kernel, std::uint64_t count,
              std::uint64_t fewest, std::uint64_t most, std::optional<std::uint64_t> each_unit) {
  const DeviceTraits& traits = queue.traits();
  if (traits.cpu_loops()) {
    most = std::min(most, std::uint64_t{traits.tuning.items_per_core} * traits.compute_units);
    launch.run({std::clamp<std::size_t>(count / fewest, 1, most)}, {1});
    return;
  }
  const std::uint64_t enough = std::max(each_unit.value_or(traits.tuning.items_per_unit) * traits.compute_units,
                                        std::uint64_t(traits.fewest_shares(static_cast<std::int64_t>(count))));
  const std::size_t local = std::min<std::size_t>(group_size, kernel.max_group());
  launch.run({(std::min(count, enough) + local - 1) / local * local}, {local});
}

std::vector<std::shared_ptr<runtime::Fault>> position_words(runtime::Queue& queue, const codegen::Body& body,
                                                            const runtime::Buffer* replaced) {
  std::vector<std::shared_ptr<runtime::Fault>> words;
  for (const codegen::Load& load : body.loads) {
    if (load.take == nullptr) continue;
    const bool within = load.take->get<graph::Op::take>().within;
    words.push_back(within ? nullptr : queue.fault(take_cause(*load.take), replaced));
  }
  return words;
}

void add_loads(runtime::Launch& launch, runtime::Queue& queue, const codegen::Body& body) {
  add_loads(launch, queue, body, position_words(queue, body));
}

void add_loads(runtime::Launch& launch, runtime::Queue& queue, const codegen::Body& body,
               const std::vector<std::shared_ptr<runtime::Fault>>& words) {
  for (const codegen::Load& load : body.loads) {
    if (!load.iota && load.same_as < 0) launch.in(*load.source->storage);
  }
  for (const auto& word : words) {
    if (word) {
      launch.fault(word);
    } else {
      launch.in(*queue.context().fault_words().unused(queue));
    }
  }
  if (runtime::recording()) launch.moves(traffic_of(body).read, 0);
}

runtime::BufferRef add_parameters(runtime::Launch& launch, runtime::Queue& queue, const codegen::ParamBlock& block,
                                  bool spilled) {
  const std::span<const std::byte> bytes = block.bytes();
  if (!spilled) {
    launch.arg(bytes.data(), bytes.size());
    return nullptr;
  }
  runtime::BufferRef buffer = queue.allocate(bytes.size(), "eval");
  queue.write(*buffer, 0, bytes.data(), bytes.size());
  launch.in(*buffer);
  return buffer;
}

}  // namespace koine::exec
