// SPDX-License-Identifier: Apache-2.0
// softmax and logsumexp of rows that fit into a work-group's registers: how they are walked, and their kernel's text.
#pragma once

#include "codegen/print.hpp"
#include "codegen/row_walk.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace koine::codegen {

/// One kernel: each row of the body's domain, along its last axis, is read once.
struct SoftmaxPass {
  const Body* body;  // its output's line is the value, of the type that is computed in
  DType result;
  bool logarithm;  // the logarithm of each row's sum, one element; else the shares of it, as long as the row
};

/// Operands are the body's loads and the output.
struct SoftmaxWalk : RowWalk {
  int room = 0;   // elements that a work-item keeps: on a CPU the row, else its part of it
  int lanes = 1;  // work-items that share a row (GPU)
  std::uint64_t count = 0, rows = 0, rows_per_item = 1;
};

/// The longest row that fits, of `type` as it is computed in.
std::int64_t longest_softmax_row(DType type);

SoftmaxWalk make_softmax_walk(const SoftmaxPass& pass, const DeviceTraits& traits);
void append_key(std::string& key, const SoftmaxWalk& walk, const SoftmaxPass& pass);
std::vector<std::int64_t> bounds(const SoftmaxWalk& walk);
KernelText print_softmax(const SoftmaxPass& pass, const SoftmaxWalk& walk, const DeviceTraits& traits);

/// Work-items of a group on a GPU.
inline constexpr int softmax_group = 256;

}  // namespace koine::codegen
