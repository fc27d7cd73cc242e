// SPDX-License-Identifier: Apache-2.0
// From a graph of pending nodes to the list of kernels that compute it.
#pragma once

#include "graph/node.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace koine::codegen {

/// What a kernel reads: an array in memory, or, for an iota, the positions themselves. `layout` has the kernel's domain
/// as its shape.
struct Load {
  const graph::Node* source;
  graph::Layout layout;
  DType dtype;
  bool iota;
};

/// One line of straight-line code; `args` are numbers of earlier lines, or of a load (Op::leaf, Op::iota) or a
/// constant.
struct Line {
  graph::Op op;
  DType type;     // of the result
  DType in_type;  // of the arguments
  std::int32_t args[3];
};

struct Output {
  graph::Node* node;
  std::int32_t line;
  const graph::Layout* layout = nullptr;  // in memory that was there before; null for new memory in row-major order
};

/// Element-wise code over a domain; its results are stored, or go into one reduction or scan.
struct Body {
  Shape domain;
  std::vector<Load> loads;
  std::vector<const graph::Node*> constants;
  std::vector<Line> lines;
  std::vector<Output> outputs;
};

struct Step {
  enum class Kind : std::uint8_t {
    elementwise,  // body; every output gets memory of its own
    reduce,       // body with one output, the value that `node` reduces
    scan,         // body with one output, the value that `node` scans
    softmax,      // body with one output, the value that `node` takes exponentials of
    kernel,       // `node` runs a kernel of its own on inputs in memory
    alias,        // `node` is a view over its input's memory
  };
  Kind kind;
  graph::Node* node;
  Body body;
  std::vector<std::int32_t> needs;  // steps that come first
  std::uint32_t results = 0;        // that it stores
};

struct Limits {
  std::uint32_t parameter_bytes = 1024;
  bool elsewhere = false;        ///< a result goes to memory that was there before, in any layout
  std::uint64_t evaluation = 1;  ///< its number: one that begins anew, after a program was built, plans as before
};

/// Decides what is stored and what is computed where it is used, and writes each kernel's code. Keeps its memory from
/// one call to the next. Used by one thread at a time, which holds the context's evaluation mutex.
///
/// A pending element-wise node is computed inside the kernel that reads it. It is stored instead where several kernels,
/// or one kernel at several places (a shift, a broadcast), read it and computing it again costs more than a store and a
/// load; where a view needs it in row-major order; where it was asked for; and where a kernel would take more
/// parameters than the device can. An operation that does so by itself, since its operands lie in so many ways, reads
/// copies of them with few axes.
class Planner {
 public:
  Planner();
  ~Planner();
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;

  /// The steps, in an order that can be run, after which every root is ready. Valid until the next call.
  std::span<Step* const> plan(std::span<graph::Node* const> roots, const Limits& limits);

 private:
  struct State;
  State* state_;
};

/// Bytes of parameters that a kernel with this body takes at the most, if it walks so many axes; `folded`: one that
/// reduces or scans its value, or takes rows of it.
std::uint32_t parameter_bytes(const Body& body, bool folded, std::size_t axes);

}  // namespace koine::codegen
