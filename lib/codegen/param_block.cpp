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
  for (const Load& load : body.loads) count += (load.iota || load.same_as >= 0 ? 0u : 1u) + (load.take ? 1u : 0u);
  return count;
}

namespace {

/// Sets `same_as` of each to the number of the first one before it that is its like, -1 for none, where that saves
/// several parameters: a kernel with fewer parameters is a program of its own.
template <class Each, class Alike>
void find_first(std::vector<Each>& all, Alike alike) {
  constexpr std::size_t several = 2;
  std::size_t saved = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    all[k].same_as = -1;
    const auto first = std::find_if(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k),
                                    [&](const Each& other) { return other.same_as < 0 && alike(other, all[k]); });
    const auto at = static_cast<std::size_t>(first - all.begin());
    if (at == k) continue;
    all[k].same_as = static_cast<std::int32_t>(at);
    ++saved;
  }
  if (saved >= several) return;
  for (Each& each : all) each.same_as = -1;
}

}  // namespace

void share_loads(Body& body, const DeviceTraits& traits) {
  if (traits.cpu_loops()) return;
  find_first(body.loads,
             [](const Load& a, const Load& b) { return !a.iota && a.dtype == b.dtype && a.shares_source(b); });
}

void share_outputs(Body& body, const DeviceTraits& traits) {
  if (traits.cpu_loops()) return;
  find_first(body.outputs, [&](const Output& a, const Output& b) {
    return a.destination && b.destination && body.type_of(a) == body.type_of(b) &&
           a.destination->storage == b.destination->storage;
  });
}

std::string memory_of(const Body& body, std::size_t operand) {
  const std::size_t loads = body.loads.size();
  const std::int32_t same = operand < loads ? body.loads[operand].same_as : body.outputs[operand - loads].same_as;
  if (same < 0) return "p" + std::to_string(operand);
  return "p" + std::to_string(static_cast<std::size_t>(same) + (operand < loads ? 0 : loads));
}

std::string block_type(const ParamBlock& block, bool spilled) {
  return block.type() + (spilled ? "#define d (*kn_spilled)\n" : "");
}

std::string block_parameter(bool spilled) { return spilled ? "__constant kn_bounds* kn_spilled" : "const kn_bounds d"; }

}  // namespace koine::codegen
