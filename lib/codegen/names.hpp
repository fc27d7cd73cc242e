// SPDX-License-Identifier: Apache-2.0
// Names of generated kernels, by what they do: what logs, messages and profilers show.
#pragma once

#include "codegen/body.hpp"
#include "codegen/reduce.hpp"
#include "codegen/scan.hpp"

#include <string>
#include <string_view>

namespace koine::codegen {

/// The operations from the result back to the loads, and the element type of the first result: "exp_mul_f32" is
/// exp(x * y) of float32. Reductions that the kernel computes on the way are operations, too. Of more operations than
/// 48 characters hold, the first few and how many more: "add_mul_exp_and_12_f32". Without any it is "copy_u32" of
/// elements of four bytes, which are moved as unsigned integers whatever they are, "fill_f32" of a constant, or
/// "iota_i64" of positions. "scatter" stands in front where values go where positions say.
std::string kernel_name(const Body& body, std::string_view suffix = "");
/// First what folds them: "sum_exp_mul_f32". "_blocks" behind the type says that the kernel leaves what another goes on
/// with, "_rest" that it goes on with what another left; neither, where the same kernel does both.
std::string kernel_name(const ReducePass& pass);
std::string kernel_name(const ScanPass& pass);
/// Of one that only brings a constant, or elements that are there, to other memory: "fill_f32", "copy_u32".
std::string name_of_store(DType type, bool constant);
/// Of a product with an epilogue: "matmul_max_add_f32" is max(a @ b + bias, 0).
std::string kernel_name_of_product(const Body& epilogue);
/// Of a transform, `name`, that begins or ends with element-wise code, or does neither (null): "abs_fft_mul_f32".
std::string kernel_name_of_transform(std::string_view name, const Body* lead, const Body* finish, DType result);

}  // namespace koine::codegen
