// SPDX-License-Identifier: Apache-2.0
// Parameters of generated kernels.
#include "codegen/param_block.hpp"

#include "base/with_type.hpp"
#include "codegen/constant.hpp"
#include "codegen/print.hpp"

#include <algorithm>
#include <complex>

namespace koine::codegen {

void ParamBlock::add_real(Name name, DType type, double value) {
  if (type == DType::float64) return add(name, value);
  add(name, static_cast<float>(value));
}

std::size_t write_constant(DType type, const graph::ConstantValue& c, std::array<std::byte, 16>& to) {
  std::size_t size = 0;
  const auto as = [&](auto value) { std::memcpy(to.data(), &value, size = sizeof value); };
  base::with_type(type, [&]<class T>(base::Tag<T>) {
    if constexpr (std::is_integral_v<T>) {
      as(static_cast<T>(c.integer));
    } else if constexpr (std::is_same_v<T, float16_t> || std::is_same_v<T, bfloat16_t>) {
      as(static_cast<float>(T(static_cast<float>(c.real.real()))));
    } else if constexpr (std::is_floating_point_v<T>) {
      as(static_cast<T>(c.real.real()));
    } else {
      as(T(c.real));
    }
  });
  return size;
}

void ParamBlock::add_constant(Name name, const graph::Node& constant) {
  std::array<std::byte, 16> value;
  const std::size_t size = write_constant(constant, value);
  append(name, register_type(constant.dtype), value.data(), size);
}

std::string ParamBlock::type(std::string_view name) const {
  std::string text = "typedef struct {\n";
  for (const Field& field : fields_) {
    text += "  " + std::string(field.type) + " " + field.name.text;
    if (field.name.number >= 0) text += std::to_string(field.name.number);
    if (field.count > 0) text += "[" + std::to_string(field.count) + "]";
    text += ";\n";
  }
  // Rusticl takes no more of a struct than its fields, and C fills it up to its alignment.
  if (const std::size_t filled = bytes().size() - used_) text += "  uchar filled[" + std::to_string(filled) + "];\n";
  return text + "} " + std::string(name) + ";\n";
}

void add_values(ParamBlock& block, const Body& body) {
  for (std::size_t k = 0; k < body.constants.size(); ++k) block.add_constant({"c", k}, *body.constants[k]);
  for (std::size_t k = 0; k < body.loops.size(); ++k) block.add({"n", k}, body.loops[k].count);
  for (std::size_t k = 0; k < body.loads.size(); ++k) {
    const Load& load = body.loads[k];
    if (load.loop >= 0) block.add({"t", k}, load.loop_stride);
    if (load.take) {
      block.add({"take_size", k}, load.take_size());
      block.add({"take_stride", k}, load.take_stride);
    }
    const graph::RandomInfo* draw = load.draw();
    if (!draw) continue;
    block.add({"seed", k}, draw->seed);
    block.add({"first", k}, draw->first_word);
    block.add({"draw_start", k}, static_cast<float>(draw->start));
    block.add({"draw_scale", k}, static_cast<float>(draw->scale));
    block.add({"draw_last", k}, static_cast<float>(draw->last));
  }
}

std::size_t buffers_read(const Body& body) {
  std::size_t count = 0;
  for (const Load& load : body.loads) count += (load.iota ? 0u : 1u) + (load.take ? 1u : 0u);
  return count;
}

std::string block_type(const ParamBlock& block, bool spilled) {
  return block.type() + (spilled ? "#define d (*kn_spilled)\n" : "");
}

std::string block_parameter(bool spilled) { return spilled ? "__constant kn_bounds* kn_spilled" : "const kn_bounds d"; }

}  // namespace koine::codegen
