// SPDX-License-Identifier: Apache-2.0
// Launching a kernel whose work-groups own matrices, and what such kernels report.
#include "exec/factors.hpp"

#include "base/dtypes.hpp"
#include "exec/kernel_run.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace koine::exec {
namespace {

struct FactorSpec {
  DType type;
  bool cpu;

  template <class Visit>
  void visit(Visit& v) const {
    v.define("KN_ELEMENT", base::row_of(type).element);
    v.define("KN_CPU", cpu);
  }
};

}  // namespace

Stack::Stack(const graph::Node& node) : m(node.shape[node.shape.size() - 2]), n(node.shape.back()) {
  matrices = 1;
  for (std::size_t i = 0; i + 2 < node.shape.size(); ++i) matrices *= node.shape[i];
}

runtime::KernelRef factor_kernel(Programs& programs, const runtime::Queue& queue, std::string_view file, DType type,
                                 std::string_view entry) {
  return programs.kernel_of_file(file, FactorSpec{type, queue.traits().cpu_loops()}, entry.empty() ? file : entry);
}

void run_factor(runtime::Launch& launch, const runtime::Queue& queue, const runtime::Kernel& kernel, std::int64_t units,
                std::int64_t work) {
  const DeviceTraits& traits = queue.traits();
  const auto count = static_cast<std::uint64_t>(units);
  if (traits.cpu_loops()) {
    const std::uint64_t most = std::uint64_t{traits.tuning.items_per_core} * traits.compute_units;
    launch.run({static_cast<std::size_t>(std::min(count, most))}, {1});
    return;
  }
  // A wave has 64 work-items at the most.
  constexpr std::int64_t few = 1024;
  constexpr std::uint64_t most_groups = 1 << 20;
  const std::size_t usual = work <= few ? 64 : group_size;
  const std::size_t local = std::bit_floor(std::min<std::size_t>(usual, kernel.max_group()));
  launch.run({static_cast<std::size_t>(std::min(count, most_groups)) * local}, {local});
}

std::shared_ptr<runtime::Fault> position_fault(
    runtime::Queue& queue, std::int64_t matrices,
    std::function<std::string(const std::string& matrix, std::int64_t position)> sentence) {
  return std::make_shared<runtime::Fault>(
      queue,
      [matrices, sentence = std::move(sentence)](std::int64_t value) {
        constexpr std::int64_t positions = 0xffffffff;
        return sentence(matrices == 1 ? "the matrix" : "matrix " + std::to_string(value >> 32) + " of the stack",
                        value & positions);
      },
      ErrorKind::LinAlgError);
}

namespace {

std::string indefinite(const std::string& matrix, std::int64_t order) {
  return "[cholesky] " + matrix + " is not positive definite: its leading minor of order " + std::to_string(order) +
         " is not positive";
}

}  // namespace

std::shared_ptr<runtime::Fault> indefinite_fault(runtime::Queue& queue, const graph::Node& node) {
  const std::int64_t first = node.get<graph::Op::cholesky>().first;
  return position_fault(queue, Stack(node).matrices, [first](const std::string& matrix, std::int64_t order) {
    return indefinite(matrix, first + order);
  });
}

std::shared_ptr<runtime::Fault> singular_fault(runtime::Queue& queue, const graph::Node& node) {
  const graph::TriangularInfo info = node.op == graph::Op::solve
                                         ? graph::TriangularInfo{.name = node.get<graph::Op::solve>().name}
                                         : node.get<graph::Op::solve_triangular>();
  return position_fault(queue, Stack(node).matrices, [info](const std::string& matrix, std::int64_t position) {
    // Of blocks of a matrix the one that is not positive definite leaves a factor that may be singular.
    if (info.function() == "cholesky") return indefinite(matrix, info.first + position + 1);
    const std::string at = std::to_string(info.first + position);
    const bool factor = info.function() != "solve_triangular";
    return "[" + std::string(info.function()) + "] " + matrix + " is singular: element (" + at + ", " + at + ") of " +
           (factor ? "its triangular factor" : "it") + " is 0";
  });
}

}  // namespace koine::exec
