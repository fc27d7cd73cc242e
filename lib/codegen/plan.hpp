// SPDX-License-Identifier: Apache-2.0
// From a graph of pending nodes to the list of kernels that compute it.
#pragma once

#include "codegen/body.hpp"
#include "codegen/param_block.hpp"
#include "codegen/walk.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace koine::codegen {

/// What Step::kinds says of a step's reductions: whether there are positions, extremes, and others than these, and such
/// of other expressions than the first one's.
enum : std::uint8_t { has_positions = 1, has_extremes = 2, has_others = 4, has_expressions = 8 };
constexpr std::uint8_t kind_bit(graph::ReduceKind kind) {
  switch (kind) {
    case graph::ReduceKind::argmax:
    case graph::ReduceKind::argmin: return has_positions;
    case graph::ReduceKind::max:
    case graph::ReduceKind::min: return has_extremes;
    default: return has_others;
  }
}

/// One piece of work: kernels that compute a body, a family's kernels over inputs in memory, or a view that becomes a
/// leaf over its input's memory.
struct Step {
  graph::Op family;  // whose runner runs it
  graph::Node* node;
  /// Of elementwise: every output gets memory of its own; of a fold: its output is the value that is folded; of a
  /// matmul, if it has an output: what is stored in place of the product, which is its first load; of an fft, if it has
  /// one: what is transformed in place of an input.
  Body body;
  /// Of a reduction, or an fft, if it has an output: what is stored in place of the results, made of them element by
  /// element, and of a reduction those results that others read. Its first loads are the results, in the order of the
  /// body's outputs; then come arrays in memory.
  Body finish;
  std::vector<std::int32_t> needs;         // steps that come first
  std::uint32_t results = 0;               // that it stores
  bool last = false;                       // nothing of this plan reads its results
  bool mixed = false;                      // and they are of several levels: only such may join it
  bool looped = false;                     // there are loops in its body
  bool finished = false;                   // it has a finish
  std::uint8_t finishes = 0;               // values that are made of a reduction's results and stored
  std::uint8_t kinds = 0;                  // of its reductions (kind_bit)
  std::int32_t joined = -1;                // the step whose kernels do the work of this one, too
  std::optional<graph::Pieces> fine;       // its domain as it is split for reshapes that it reads, and all their seams
  std::optional<graph::RandomKind> draws;  // the law of random numbers that it makes
  ProductOperands operands;                // of a matmul: what it reads through casts

  // Scratch of its runner: the planner keeps the memory for the next plan's steps.
  Walk walk;
  std::string key;
  ParamBlock parameters;
  std::string facts, facts_before;  // of element-wise code: all that these follow from; empty where they may not
  std::size_t groups = 0;           // and the work-groups of its launch

  /// Counts another result; of a reduction its kind, too.
  void add_result(const graph::Node& result) {
    ++results;
    if (result.op != graph::Op::reduce) return;
    kinds |= kind_bit(result.get<graph::Op::reduce>().kind);
    if (result.inputs[0] != node->inputs[0]) kinds |= has_expressions;
  }
  /// The body whose outputs are stored.
  const Body& storing() const { return finish.outputs.empty() ? body : finish; }
  bool folds() const { return graph::role(family) == graph::Role::fold; }
  /// Whether its own kernels compute the body, which is read by strides alone.
  bool by_strides() const { return family == graph::Op::matmul || family == graph::Op::fft; }
};

/// What a step's own kernels read as that input of a node: itself, or what it is cast from.
inline const graph::Node& read_as(const Step& step, const graph::Node& node, std::size_t input) {
  const bool cast = input < step.operands.size() && step.operands[input].source != nullptr;
  return cast ? *step.operands[input].source : *node.inputs[input];
}

/// Why a node is stored.
enum class Why : std::uint8_t {
  unstored,      // it is not: the kernels that read it compute it
  asked,         // it was asked for
  own_kernel,    // its operation runs kernels of its own
  into_kernels,  // an operation that runs kernels of its own reads it
  taken,         // elements of it are taken by their positions
  checked,       // it is taken by positions, which are checked where all of it is computed
  readers,       // many kernels, or many positions of them, read it
  dear,          // several read it, or will, and it is dear to compute again
  repeated,      // a kernel reads each element many times
  again,         // it, or what it is made of, was computed before without being kept, and somebody holds it
  part,          // a view of it is stored, and is one of its memory
  order,         // a reshape reads it in row-major order
  seams,         // what reads it can read it in one piece alone
  copied,        // a reshape of memory that no strides express
  parameters,    // the kernel that reads it has no room for more buffers
  pairs,         // complex numbers, which the kernel that reads it would compute one at a time
};

/// What a plan does with a node.
struct Note {
  const graph::Node* node;
  std::int32_t step;  // in the order in which they run: one that computes it
  Why why;            // that stores it
};

struct Limits {
  std::uint32_t parameter_bytes = 1024;
  bool elsewhere = false;        ///< a result goes to memory that was there before, in any layout
  std::uint64_t evaluation = 1;  ///< its number: one that begins anew, after a program was built, plans as before
  bool reuse = true;             ///< take the plan that was kept of a graph with this structure
  bool trial = false;            ///< nothing is going to run: leave no trace of it, and the reasons for notes()
  /// Whether the kernel of a pending product or transform can go on with what is made of it element by element, and
  /// that of a transform begin with what makes its input so; null: none can.
  bool (*takes_code)(const graph::Node& node) = nullptr;
  /// Whether the kernel of a pending product can read what an input is cast from, which lies so, in place of that
  /// input; null: none can.
  bool (*takes_cast)(const graph::Node& product, std::size_t input, const ProductOperand& operand) = nullptr;
};

/// Decides what is stored and what is computed where it is used, and writes each kernel's code. Keeps its memory from
/// one call to the next. Used by one thread at a time, which holds the context's evaluation mutex.
///
/// A pending element-wise node is computed inside the kernel that reads it. It is stored instead where several kernels,
/// or one kernel at several positions (a shift, a broadcast), read it and computing it again costs more than a store
/// and a load; where a view needs it in row-major order; where it was asked for; and where a kernel would take more
/// buffers than the device can.
class Planner {
 public:
  Planner();
  ~Planner();
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;

  /// The steps, in an order that can be run, after which every root is ready. Valid until let_go(), also where some of
  /// them have run.
  std::span<Step* const> plan(std::span<graph::Node* const> roots, const Limits& limits);
  /// Of a trial, before the next plan: each pending node with the steps that compute it, inputs first.
  std::vector<Note> notes() const;
  /// Lets go of what the plan holds, once its steps have run.
  void let_go() noexcept;
  /// Whether the last plan was a kept one, whose programs are likely to be there.
  bool kept() const noexcept;

 private:
  struct State;
  State* state_;
};

/// The product that a step of family matmul goes on with (Step::body); null where it stores the product itself.
const graph::Node* finished_product(const Step& step);
/// Bytes of parameters that such a step's kernel takes beside the body's buffers.
std::uint32_t epilogue_bytes(const Body& body);

/// Bytes of parameters that a kernel with this body takes where all but its buffers is read from one of them
/// (ParamBlock); `folded`: one that reduces or scans its value, takes rows of it, or scatters
/// it.
std::uint32_t parameter_bytes(const Body& body, bool folded);

}  // namespace koine::codegen
