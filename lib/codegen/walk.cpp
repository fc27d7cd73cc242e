// SPDX-License-Identifier: Apache-2.0
// Choosing how a kernel walks its operands.
#include "codegen/walk.hpp"

#include <algorithm>
#include <limits>

namespace koine::codegen {

int vector_width(const Body& body, const std::vector<DType>& stored, const DeviceTraits& traits) {
  std::size_t widest = 1;
  for (const Load& load : body.loads) widest = std::max(widest, load.iota ? 1 : size_of(load.dtype));
  for (DType type : stored) widest = std::max(widest, size_of(type));
  for (const Line& line : body.lines) {
    if (is_complex(line.type)) return 1;  // a complex number is a vector already
  }
  // 64 bytes are a register of the widest CPUs; narrower ones get several, which hides latency.
  const std::size_t bytes = traits.device_class == DeviceClass::cpu ? 64 : 16;
  return static_cast<int>(std::clamp<std::size_t>(bytes / widest, 1, 16));
}

Walk make_walk(const Body& body, const std::vector<const graph::Layout*>& outputs, const DeviceTraits& traits) {
  Walk walk;
  std::vector<const Shape*> strides;
  std::vector<DType> stored;
  for (const Load& load : body.loads) {
    strides.push_back(&load.layout.strides);
    walk.offsets.push_back(load.layout.offset);
  }
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    strides.push_back(&outputs[k]->strides);
    walk.offsets.push_back(outputs[k]->offset);
    stored.push_back(body.outputs[k].node->dtype);
  }
  walk.axes = graph::collapse(body.domain, strides);
  if (walk.axes.shape.empty()) {
    walk.axes.shape.push_back(1);
    for (Shape& s : walk.axes.strides) s.push_back(1);  // one element is contiguous
  }
  walk.cpu = traits.device_class == DeviceClass::cpu;
  walk.width = vector_width(body, stored, traits);
  walk.aligned = !walk.cpu && walk.width > 1;
  for (std::size_t k = 0; k < strides.size(); ++k) {
    const Shape& s = walk.axes.strides[k];
    const std::int64_t step = s.back();
    walk.access.push_back(step == 1 ? Access::contiguous : step == 0 ? Access::uniform : Access::strided);
    if (step == 1) {
      for (std::size_t axis = 0; axis + 1 < s.size(); ++axis) walk.aligned = walk.aligned && s[axis] % walk.width == 0;
      const bool in_memory = k >= body.loads.size() || !body.loads[k].iota;
      if (in_memory) walk.aligned = walk.aligned && walk.offsets[k] % walk.width == 0;
    } else if (step != 0) {
      walk.aligned = false;
    }
  }
  // On a GPU neighbouring work-items must touch neighbouring memory, which vectors of strided elements do not.
  if (!walk.cpu && !walk.aligned) walk.width = 1;
  walk.wide = walk.axes.shape.elements() > std::numeric_limits<std::int32_t>::max();
  return walk;
}

void append_key(std::string& key, const Body& body) {
  const auto byte = [&](auto value) { key.push_back(static_cast<char>(value)); };
  const auto number = [&](std::int32_t value) {
    byte(value & 0xff);
    byte((value >> 8) & 0xff);
  };
  for (const Load& load : body.loads) byte(load.iota ? 0x80 : static_cast<int>(load.dtype));
  byte(0xff);
  for (const graph::Node* constant : body.constants) byte(constant->dtype);
  byte(0xff);
  for (const Line& line : body.lines) {
    byte(line.op);
    byte(line.type);
    byte(line.in_type);
    for (std::int32_t arg : line.args) {
      if (arg < 0) break;
      number(arg);
    }
  }
  byte(0xff);
  for (const Output& output : body.outputs) number(output.line);
}

}  // namespace koine::codegen
