// SPDX-License-Identifier: Apache-2.0
// Trials of product programs that a driver may refuse or get wrong, on the device that is to run them, before their
// first use: small matrices of whole numbers, whose product the host knows.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "exec/matmul_routes.hpp"
#include "runtime/program_cache.hpp"

namespace koine::exec {

/// A product whose sums are exact in every type. Its operands lie with rows, or columns, at multiples of 16 bytes.
struct MatmulTrial {
  DType type = DType::float32, out_type = DType::float32;
  std::int64_t m = 0, n = 0, k = 0, batches = 1;
  bool a_along = true, b_along = true;  ///< the depth is the axis of stride 1
  bool parts = false;
  bool split = false;  ///< the operands are sums of two halves, which lie one below the other
};

/// Enqueues a piece whose operands lie as the program takes them.
using MatmulRun = std::function<void(const MatmulPiece&, const MatmulMemory&)>;

/// Whether the results of `run` are right.
bool multiplies(runtime::Queue& queue, const MatmulTrial& trial, const MatmulRun& run);

/// Whether a program gives right results on a device; nothing before try_out was called for it.
std::optional<bool> trial_verdict(const runtime::Context& context, const std::string& signature);
/// Finds out by `right` of the program's kernel, once for each driver and device: what it finds is kept on disk beside
/// the programs. A program that the driver refuses is not right, and KOINE_LOG=jit says why. Throws DeviceLost and
/// OutOfMemory.
void try_out(runtime::Queue& queue, const std::string& signature, const runtime::ProgramText& text,
             const std::function<bool(const runtime::KernelRef&)>& right);

}  // namespace koine::exec
