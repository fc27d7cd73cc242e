// SPDX-License-Identifier: Apache-2.0
// Factorisations of stacks of matrices: what the kernels cholesky.cl, lu.cl, householder.cl and solve_triangular.cl
// share on the host.
#pragma once

#include "exec/programs.hpp"
#include "graph/node.hpp"
#include "runtime/context.hpp"
#include "runtime/fault.hpp"
#include "runtime/launch.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace koine::exec {

/// The last two axes of an array, in row-major order, and how many such matrices there are.
struct Stack {
  explicit Stack(const graph::Node& node);

  std::int64_t matrices, m, n;
  std::int64_t elements() const { return m * n; }
};

/// A kernel of such a file, by the file's name unless it has another, for matrices of that type.
runtime::KernelRef factor_kernel(Programs& programs, const runtime::Queue& queue, std::string_view file, DType type,
                                 std::string_view entry = {});

/// Enqueues a kernel whose work-groups take `units` in turn; `work` is how many elements a group goes over.
void run_factor(runtime::Launch& launch, const runtime::Queue& queue, const runtime::Kernel& kernel, std::int64_t units,
                std::int64_t work);

/// What is wrong at a position of one matrix of a stack, as kernels report it: `sentence("the matrix", position)`, or
/// "matrix 5 of the stack".
std::shared_ptr<runtime::Fault> position_fault(
    runtime::Queue& queue, std::int64_t matrices,
    std::function<std::string(const std::string& matrix, std::int64_t position)> sentence);

/// How the number of a matrix and a position in it are one value of a fault.
constexpr std::int64_t fault_value(std::int64_t matrix, std::int64_t position) { return matrix << 32 | position; }

// Those of two families, from the attributes of their nodes.
std::shared_ptr<runtime::Fault> indefinite_fault(runtime::Queue& queue, const graph::Node& node);
std::shared_ptr<runtime::Fault> singular_fault(runtime::Queue& queue, const graph::Node& node);  // or solve's

}  // namespace koine::exec
