// SPDX-License-Identifier: Apache-2.0
// Products of 16-bit types on CPUs as products of float32: operands and results are converted in memory of the
// product's own, so that a BLAS takes them and nothing is compiled.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "base/dtypes.hpp"
#include "base/parallel.hpp"
#include "base/rounding.hpp"
#include "exec/host_run.hpp"
#include "exec/matmul_routes.hpp"
#include "exec/programs.hpp"
#include "exec/share_parts.hpp"
#include "host/body.hpp"
#include "host/functions.hpp"
#include "runtime/host_command.hpp"

namespace koine::exec {
namespace {

constexpr std::size_t at_once = 4096;  // elements, which the first cache holds

/// What is read of an operand, in the order in which its float32 elements lie side by side.
graph::Layout read_of(const MatmulProblem& p, const MatmulOperand& operand, std::int64_t rows, std::int64_t columns) {
  graph::Layout layout;
  for (std::size_t axis = 0; axis < p.batch.size(); ++axis) {
    if (operand.batch_strides[axis] == 0) continue;
    layout.shape.push_back(p.batch[axis]);
    layout.strides.push_back(operand.batch_strides[axis]);
  }
  std::array<std::pair<std::int64_t, std::int64_t>, 2> axes{
      {{rows, operand.row_stride}, {columns, operand.column_stride}}};
  if (operand.row_stride == 1 && columns != 1) std::swap(axes[0], axes[1]);
  for (const auto& [size, stride] : axes) {
    layout.shape.push_back(size);
    layout.strides.push_back(stride);
  }
  return layout;
}

/// Where the operand lies then.
MatmulOperand widened(const MatmulProblem& p, const MatmulOperand& operand, std::int64_t rows, std::int64_t columns) {
  const bool turned = operand.row_stride == 1 && columns != 1;
  MatmulOperand wide{0, turned ? 1 : columns, turned ? rows : 1, std::vector<std::int64_t>(p.batch.size(), 0)};
  std::int64_t stride = rows * columns;
  for (std::size_t axis = p.batch.size(); axis-- > 0;) {
    if (operand.batch_strides[axis] == 0) continue;
    wide.batch_strides[axis] = stride;
    stride *= p.batch[axis];
  }
  return wide;
}

MatmulProblem widened(const MatmulProblem& p) {
  MatmulProblem wide = p;
  wide.dtype = DType::float32;
  wide.a = widened(p, p.a, p.m, p.k);
  wide.b = widened(p, p.b, p.k, p.n);
  return wide;
}

std::uint64_t results_of(const MatmulProblem& p) {
  std::uint64_t results = static_cast<std::uint64_t>(p.m * p.n);
  for (const std::int64_t size : p.batch) results *= static_cast<std::uint64_t>(size);
  return results;
}

/// Enqueues convert(first, some, from, to) of parts of so many elements.
template <class Convert>
std::function<void(const runtime::Buffer&, runtime::Buffer&)> prepare_conversion(Programs& programs,
                                                                                 runtime::Queue& queue,
                                                                                 std::uint64_t count, Convert convert) {
  const DeviceTraits& traits = queue.traits();
  const bool small = multiplied_at_once(traits, static_cast<double>(count));
  programs.host_command("matmul_convert", small);
  return [&queue, &traits, count, convert, small](const runtime::Buffer& from, runtime::Buffer& to) {
    runtime::HostCommand command(queue, "matmul_convert");
    command.in(from).out(to);
    runtime::HostCommand::Function function([count, convert, &traits](std::span<void* const> memory) {
      const std::uint64_t enough = count / traits.tuning.thread_work + 1;
      const auto cores = static_cast<std::uint64_t>(base::usable_cores());
      const auto threads = static_cast<int>(std::min<std::uint64_t>({enough, traits.compute_units, cores}));
      const auto parts = static_cast<std::int64_t>(base::divide_up(count, std::uint64_t{at_once}));
      share_parts(threads, parts, static_cast<std::int64_t>(count), [&](std::int64_t part) {
        const std::uint64_t first = static_cast<std::uint64_t>(part) * at_once;
        const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(at_once, count - first));
        convert(first, some, static_cast<const std::byte*>(memory[0]), static_cast<std::byte*>(memory[1]));
      });
    });
    small ? command.run_small(std::move(function)) : command.run(std::move(function));
  };
}

std::function<void(const runtime::Buffer&, runtime::Buffer&)> prepare_widening(Programs& programs,
                                                                               runtime::Queue& queue, DType type,
                                                                               const graph::Layout& layout,
                                                                               std::int64_t offset) {
  const auto convert = [type, layout, offset](std::uint64_t first, std::size_t some, const std::byte* from,
                                              std::byte* to) {
    std::array<std::uint16_t, at_once> read;
    host::gather(layout, {}, from + offset * 2, 2, static_cast<std::int64_t>(first), some,
                 reinterpret_cast<std::byte*>(read.data()));
    const void* const arguments[] = {read.data(), nullptr, nullptr};
    host::functions().loads[static_cast<std::size_t>(type)](to + first * sizeof(float), arguments, some);
  };
  return prepare_conversion(programs, queue, static_cast<std::uint64_t>(layout.shape.elements()), convert);
}

}  // namespace

bool suits_widened(const DeviceTraits& traits, const MatmulProblem& p) {
  if (!base::is_half(p.dtype) || !traits.host_commands) return false;
  // Twice the memory of the product's own is little of the device's.
  constexpr std::uint64_t part = 16;
  const auto elements = static_cast<std::uint64_t>(read_of(p, p.a, p.m, p.k).shape.elements() +
                                                   read_of(p, p.b, p.k, p.n).shape.elements()) +
                        results_of(p);
  return elements * sizeof(float) <= traits.memory / part && suits_blas(traits, widened(p));
}

MatmulWork prepare_widened(Programs& programs, runtime::Queue& queue, const MatmulProblem& p,
                           const std::function<MatmulWork(const MatmulProblem&)>& prepare) {
  const graph::Layout a = read_of(p, p.a, p.m, p.k), b = read_of(p, p.b, p.k, p.n);
  const auto bytes = [](const graph::Layout& layout) {
    return static_cast<std::uint64_t>(layout.shape.elements()) * sizeof(float);
  };
  const std::uint64_t results = results_of(p);
  const auto narrow = [type = p.dtype](std::uint64_t first, std::size_t some, const std::byte* from, std::byte* to) {
    const auto number = static_cast<std::size_t>(type);
    std::array<float, at_once> rounded;
    const void* const sums[] = {from + first * sizeof(float), nullptr, nullptr};
    host::functions().casts[static_cast<std::size_t>(DType::float32)][number](rounded.data(), sums, some);
    const void* const stored[] = {rounded.data(), nullptr, nullptr};
    host::functions().stores[number](to + first * 2, stored, some);
  };
  return [&queue, results, a_bytes = bytes(a), b_bytes = bytes(b),
          widen_a = prepare_widening(programs, queue, p.dtype, a, p.a.offset),
          widen_b = prepare_widening(programs, queue, p.dtype, b, p.b.offset), multiply = prepare(widened(p)),
          narrow = prepare_conversion(programs, queue, results, narrow)](const MatmulMemory& memory) {
    const runtime::BufferRef wide_a = queue.allocate(a_bytes, "matmul"), wide_b = queue.allocate(b_bytes, "matmul"),
                             sums = queue.allocate(results * sizeof(float), "matmul");
    widen_a(memory.a, *wide_a);
    widen_b(memory.b, *wide_b);
    multiply({*wide_a, *wide_b, *sums});
    narrow(*sums, memory.out);
  };
}

}  // namespace koine::exec
