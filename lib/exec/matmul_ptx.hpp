// SPDX-License-Identifier: Apache-2.0
// Launching the programs of codegen/ptx_matmul.hpp, and what is known of whether a driver gets them right.
#pragma once

#include <optional>
#include <string>

#include "codegen/ptx_matmul.hpp"
#include "exec/matmul_routes.hpp"

namespace koine::exec {

/// Enqueues a piece whose operands lie as the program takes them.
void launch_ptx(runtime::Queue& queue, const runtime::KernelRef& kernel, const codegen::PtxMatmul& program,
                const MatmulPiece& piece, const MatmulMemory& memory);

runtime::ProgramText ptx_text(const codegen::PtxMatmul& program);

/// Whether a program gives right results on a device; nothing before test_ptx was called for it.
std::optional<bool> ptx_verdict(const runtime::Context& context, const codegen::PtxMatmul& program);
/// Finds out, once for each driver and device: what it finds is kept on disk beside the programs. Builds the program
/// and multiplies small matrices of whole numbers, whose product the host knows. A program that the driver refuses is
/// not right, and KOINE_LOG=jit says why. Throws DeviceLost and OutOfMemory.
void test_ptx(runtime::Queue& queue, const codegen::PtxMatmul& program);

}  // namespace koine::exec
