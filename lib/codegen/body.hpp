// SPDX-License-Identifier: Apache-2.0
// Body: the straight-line code of one kernel, over a domain of elements.
#pragma once

#include "graph/node.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace koine::codegen {

/// The size of the axis that elements are taken along.
inline std::int64_t take_size(const graph::Node& take) {
  return take.inputs[0]->shape[take.get<graph::Op::take>().axis];
}

/// What a kernel reads: an array in memory, or, for an iota, the positions themselves. Random numbers that are made
/// where they are read follow from positions, too. `layout` has the kernel's domain as its shape.
struct Load {
  const graph::Node* source;
  graph::Layout layout;
  DType dtype;
  bool iota;
  std::vector<graph::Seam> seams = {};  // of `layout`, which a wrapped view reads in pieces
  std::int32_t loop = -1;               // the loop that it is read in, -1 for none, and how far its rounds lie apart
  std::int64_t loop_stride = 0;
  std::int32_t line = -1;  // that has its value
  // Of what is taken along an axis, whose element 0 `layout` says: the operation, and the stride of that axis.
  const graph::Node* take = nullptr;
  std::int64_t take_stride = 0;
  std::int32_t same_as = -1;  // an earlier load of the same memory, whose parameter serves this one, too; -1 for none

  /// The size of the axis, 0 of what is not taken.
  std::int64_t take_size() const { return take ? codegen::take_size(*take) : 0; }
  /// The random numbers that are made here, null for none.
  const graph::RandomInfo* draw() const {
    return iota && source->op == graph::Op::random ? &source->get<graph::Op::random>() : nullptr;
  }
  /// Whether it is read in row-major order without gaps.
  bool in_order() const { return seams.empty() && loop < 0 && !take && graph::is_row_major(layout); }
  /// Whether both read one array or, if both read what is in memory, one piece of it.
  bool shares_source(const Load& other) const {
    return iota == other.iota &&
           (source == other.source || (source->storage != nullptr && source->storage == other.source->storage));
  }
};

/// Whether numbers of this law and type can be made where they are read.
inline bool drawn_in_place(const graph::RandomInfo& info, DType type) {
  const bool single = info.kind == graph::RandomKind::uniform || info.kind == graph::RandomKind::normal ||
                      info.kind == graph::RandomKind::exponential;
  return single && type == DType::float32;
}

/// One line of straight-line code; `args` are numbers of earlier lines, or of a load (Op::leaf, Op::iota) or a
/// constant. What a load is taken by has its positions in the line args[1]. A reduction's line is the result of a loop:
/// args[0] is the value that its lines leave, args[1] the loop's number; or that of a row, whose number among the
/// body's is args[2]. Of a custom operation args[0] is the number of its call.
struct Line {
  graph::Op op;
  DType type;     // of the result
  DType in_type;  // of the arguments
  std::int32_t args[3];
  std::int32_t loop = -1;  // the loop that it is a line of
  bool portable = false;   // by a function that has the same bits on every device
};

/// Rounds of a loop that kernels are compiled for.
inline constexpr std::int64_t longest_unrolled = 8;

/// A reduction over a short axis, computed inside the kernel that reads it: its lines run once for each element.
struct InnerLoop {
  const graph::Node* node;
  std::int32_t chain;  // through which the kernel reads it
  std::int64_t count;

  /// Whether the kernel is compiled for this count, so that its rounds' loads are under way together.
  bool unrolled() const { return count <= longest_unrolled; }
};

/// A reduction along the last axis of the domain, computed inside the kernel that reads it: its result is that of a
/// row.
struct RowFold {
  const graph::Node* node;
  std::int32_t line;  // that holds the result
};

/// A custom operation, of however many arguments.
struct Call {
  const graph::Node* node;  // one of its results
  std::vector<std::int32_t> args;
};

struct Output {
  graph::Node* node;
  std::int32_t line;
  const graph::Destination* destination = nullptr;  // null for new memory in row-major order
  std::int32_t at =
      -1;  // the line of the position in the node's array that each value goes to, -1 where that is its own
  std::int32_t same_as = -1;  // an earlier output to the same memory, as of loads
};

/// Element-wise code over a domain; its results are stored, or go into one reduction or scan. With row folds a result
/// may be one element for each row.
struct Body {
  Shape domain;
  std::vector<Load> loads;
  std::vector<const graph::Node*> constants;
  std::vector<std::int32_t> constant_lines;  // that have their values
  std::vector<Line> lines;
  std::vector<InnerLoop> loops;
  std::vector<RowFold> folds;
  std::vector<Call> calls;
  std::vector<Output> outputs;

  /// Whether a result has one element for each row rather than for each element of the domain.
  bool of_row(const Output& output) const { return output.node->shape.elements() != domain.elements(); }
  /// What a result of element-wise code is stored as: its own type, or that of the bits that are moved (move_bits()).
  DType type_of(const Output& output) const { return lines[static_cast<std::size_t>(output.line)].type; }
  /// Of a line of a custom operation.
  const Call& call_of(const Line& line) const { return calls[static_cast<std::size_t>(line.args[0])]; }
};

/// Calls `f` with the number of each earlier line that a line takes.
template <class F>
void each_argument(const Body& body, const Line& line, F f) {
  const auto each = [&](std::span<const std::int32_t> args) {
    for (const std::int32_t arg : args) {
      if (arg >= 0) f(static_cast<std::size_t>(arg));
    }
  };
  switch (line.op) {
    case graph::Op::constant: return;
    case graph::Op::leaf:
    case graph::Op::iota: return each({line.args + 1, 1});
    case graph::Op::reduce: return each({line.args, 1});
    case graph::Op::custom: return each(body.call_of(line).args);
    default: return each(line.args);
  }
}

/// An array in memory that a product reads in place of an input of its own, which is cast from it: its elements are
/// converted where they are loaded. `layout` has the input's shape; without a source the input itself is read.
struct ProductOperand {
  const graph::Node* source = nullptr;
  graph::Layout layout{};
};
using ProductOperands = std::array<ProductOperand, 2>;

/// Makes unsigned integers of what element-wise code only moves, from an array to a result: their program does for
/// every type of their size.
void move_bits(Body& body);
/// The type that elements of `type` are moved as.
DType bits_of(DType type);

}  // namespace koine::codegen
