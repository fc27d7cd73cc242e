// SPDX-License-Identifier: Apache-2.0
// Finding functions in the tables that were compiled.
#include "host/functions.hpp"

#include "host/function_tables.hpp"
#include "host/instructions.hpp"

#include <algorithm>

namespace koine::host {

using graph::Op;

namespace {

const Functions& suited_functions() {
#ifdef KOINE_HOST_X86
  if (instructions() == Instructions::avx512) return functions_avx512;
  if (instructions() == Instructions::avx2) return functions_avx2;
#endif
  return functions_plain;
}

}  // namespace

const Functions& functions() {
  static const Functions& suited = suited_functions();
  return suited;
}

Function function_of(const codegen::Line& line, const DeviceTraits& traits) {
  const auto from = static_cast<std::size_t>(line.in_type), to = static_cast<std::size_t>(line.type);
  if (line.op == Op::cast) return functions().casts[from][to];
  if (line.op == Op::where) return functions().chosen[size_in_registers(line.type)];
  if (!graph::in_table(line.op)) return nullptr;
  // Where kernels take the driver's function, there is none with its bits.
  const bool drivers = is_real_floating(line.in_type) &&
                       graph::own_expression(graph::info(line.op), line.in_type).text != nullptr && !line.portable &&
                       !traits.quirks.own_functions;
  // What differs between devices depends on whether they have float64, which the host has.
  const bool other = is_complex(line.in_type) && !traits.fp64 && !is_exact(graph::info(line.op), line.in_type);
  return drivers || other ? nullptr : functions().ops[static_cast<std::size_t>(line.op)][from];
}

// Functions with a longer way for some elements are no loops in vectors, and those of complex numbers are such.
std::uint64_t cost_of(const codegen::Line& line) {
  const int cost = graph::in_table(line.op) ? graph::info(line.op).cost : 1;
  switch (line.op) {
    case Op::lgamma:
    case Op::pow:
    case Op::tgamma: return 400;
    case Op::cbrt:
    case Op::floor_divide:
    case Op::remainder: return 100;
    case Op::erf:
    case Op::erfc:
    case Op::hypot: return 40;
    default: break;
  }
  const bool longer = is_complex(line.in_type) && (cost > 1 || line.op == Op::abs);
  return static_cast<std::uint64_t>(longer ? 30 * cost : cost);
}

void load_as(DType type, void* to, DType stored, const void* from, std::size_t count) noexcept {
  constexpr std::size_t at_once = 512;
  const auto number = static_cast<std::size_t>(stored);
  const Function load = functions().loads[number], cast = functions().casts[number][static_cast<std::size_t>(type)];
  const void* memory[] = {from, nullptr, nullptr};
  if (!base::is_half(stored)) return cast(to, memory, count);  // memory and registers are alike
  if (type == stored || type == DType::float32) return load(to, memory, count);
  float loaded[at_once];
  for (std::size_t done = 0; done < count; done += at_once) {
    const std::size_t some = std::min(at_once, count - done);
    memory[0] = static_cast<const std::byte*>(from) + done * size_of(stored);
    load(loaded, memory, some);
    const void* const registers[] = {loaded, nullptr, nullptr};
    cast(static_cast<std::byte*>(to) + done * size_of(type), registers, some);
  }
}

}  // namespace koine::host
