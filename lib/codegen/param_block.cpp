// SPDX-License-Identifier: Apache-2.0
// Parameters of generated kernels.
#include "codegen/param_block.hpp"

#include "codegen/print.hpp"

#include <algorithm>
#include <complex>

namespace koine::codegen {

void ParamBlock::add_real(Name name, DType type, double value) {
  if (type == DType::float64) return add(name, value);
  add(name, static_cast<float>(value));
}

void ParamBlock::add_constant(Name name, const graph::Node& constant) {
  const graph::ConstantValue& c = constant.get<graph::Op::constant>();
  const auto as = [&](auto value) { append(name, register_type(constant.dtype), &value, sizeof value); };
  const auto real = static_cast<float>(c.real.real());
  switch (constant.dtype) {
    case DType::bool_:
    case DType::int8:
    case DType::uint8: return as(static_cast<std::uint8_t>(c.integer));
    case DType::int16:
    case DType::uint16: return as(static_cast<std::uint16_t>(c.integer));
    case DType::int32:
    case DType::uint32: return as(static_cast<std::uint32_t>(c.integer));
    case DType::int64:
    case DType::uint64: return as(c.integer);
    case DType::float16: return as(static_cast<float>(float16_t(real)));
    case DType::bfloat16: return as(static_cast<float>(bfloat16_t(real)));
    case DType::float32: return as(real);
    case DType::float64: return as(c.real.real());
    case DType::complex64: return as(std::complex<float>(c.real));
    case DType::complex128: return as(c.real);
  }
}

std::string ParamBlock::type() const {
  std::string text = "typedef struct {\n";
  for (const Field& field : fields_) {
    text += "  " + std::string(field.type) + " " + field.name.text;
    if (field.name.number >= 0) text += std::to_string(field.name.number);
    if (field.count > 0) text += "[" + std::to_string(field.count) + "]";
    text += ";\n";
  }
  return text + "} kn_bounds;\n";
}

void add_values(ParamBlock& block, const Body& body) {
  for (std::size_t k = 0; k < body.constants.size(); ++k) block.add_constant({"c", k}, *body.constants[k]);
  for (std::size_t k = 0; k < body.loops.size(); ++k) block.add({"n", k}, body.loops[k].count);
  for (std::size_t k = 0; k < body.loads.size(); ++k) {
    const Load& load = body.loads[k];
    if (load.loop >= 0) block.add({"t", k}, load.loop_stride);
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
  return static_cast<std::size_t>(
      std::count_if(body.loads.begin(), body.loads.end(), [](const Load& load) { return !load.iota; }));
}

std::string block_type(const ParamBlock& block, bool spilled) {
  return block.type() + (spilled ? "#define d (*kn_spilled)\n" : "");
}

std::string block_parameter(bool spilled) { return spilled ? "__constant kn_bounds* kn_spilled" : "const kn_bounds d"; }

}  // namespace koine::codegen
