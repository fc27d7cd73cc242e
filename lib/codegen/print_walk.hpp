// SPDX-License-Identifier: Apache-2.0
// The bounds a kernel gets with a walk, and the code that finds a row's offsets.
#pragma once

#include "codegen/param_block.hpp"
#include "codegen/print.hpp"
#include "codegen/walk.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace koine::codegen {

/// What the loop needs beside the walk; see kernels/elementwise.cl, and of those behind `segment`
/// kernels/elementwise_transposed.cl.
struct Segments {
  std::uint64_t row_segments, segments, per_item, segment, deep_segments = 1, lanes = 1, deep_lanes = 1;
};

/// Adds what the loop and the offsets read.
void add_bounds(ParamBlock& block, const Walk& walk, const Segments& segments);
/// "long o0 = ..." for each operand, from `row`.
std::string row_offsets(const Walk& walk);
/// Where a row is, and whether element i of it is `inside` (Walk::inside); and the offsets of one that is.
std::string row_position(const Walk& walk);
std::string offsets_inside(const Walk& walk);
/// The same of row `first` + r of the walk's deep axis, in the scope of those.
std::string deep_offsets(const Walk& walk);
/// Whether each operand is in pieces along the innermost axis.
std::vector<bool> in_pieces(const Walk& walk);
/// "o0 = ..." for each operand that is: the offset of the piece that element i is of.
std::string piece_offsets(const Walk& walk);
/// "stop = min(stop, ...)" for the element behind i with which another piece of an operand begins.
std::string piece_ends(const Walk& walk);
/// Whether the elements from i on lie in one piece, and one row, of all operands that straddle.
std::string in_one_piece(const Walk& walk);
/// "long <to>0 = <from>0 + ..." for each operand: the offsets of element `index` of `axes`, which kn_bounds calls
/// `list`; the last axis is left out where it is the innermost one of the walk. `seams` are those along all axes.
std::string part_offsets(const graph::Collapsed& axes, bool without_last, std::string_view from, std::string_view to,
                         std::string_view index, std::string_view list, std::span<const WalkSeam> seams = {});
/// Adds what moved_past reads: for "<list>_seams" the seams along the axes of kn_bounds' `list`.
void add_seams(ParamBlock& block, ParamBlock::Name name, std::span<const WalkSeam> seams);
/// How far an operand has moved at element `at` because of seam number `s` of `list`, which may lie before it.
std::string moved_past(const WalkSeam& seam, std::size_t s, std::string_view list, const std::string& at);
/// Line `k` alone, and all lines, of a body with loads that may be in pieces along the innermost axis.
std::string line_in_pieces(const Body& body, std::size_t k, std::vector<Access> access, const InnerSeams& seams,
                           const Printer& printer);
std::string lines_in_pieces(const Body& body, std::vector<Access> access, const InnerSeams& seams,
                            const Printer& printer);

}  // namespace koine::codegen
