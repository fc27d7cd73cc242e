// SPDX-License-Identifier: Apache-2.0
// From a matmul node, and what its kernel goes on with, to the problem that the kernels solve.
#include <memory>
#include <optional>

#include "exec/elementwise.hpp"
#include "exec/families.hpp"
#include "exec/matmul.hpp"
#include "exec/matmul_epilogue.hpp"
#include "exec/matmul_routes.hpp"

namespace koine::exec {
namespace {

/// Of an input that is pending: how it will lie.
graph::Layout layout_of(const graph::Node& node) {
  return node.is_ready() ? node.layout : graph::row_major(node.shape);
}

MatmulOperand operand(const graph::Node& node, const graph::Layout& own, const Shape& batch) {
  Shape shape = batch;
  shape.push_back(node.shape[node.shape.size() - 2]);
  shape.push_back(node.shape.back());
  const graph::Layout layout = broadcast(own, shape);
  MatmulOperand result;
  result.offset = layout.offset;
  // Taken from the node itself: broadcasting would turn the stride of a single row into 0.
  result.row_stride = own.strides[node.shape.size() - 2];
  result.column_stride = own.strides.back();
  result.batch_strides.assign(layout.strides.begin(), layout.strides.begin() + batch.size());
  return result;
}

/// (..., M, K) by (..., K, N), whose layouts are these.
MatmulProblem problem_of(const graph::Node& node, const graph::Layout& a_layout, const graph::Layout& b_layout) {
  const graph::Node &a = *node.inputs[0], &b = *node.inputs[1];
  Shape batch = node.shape;
  batch.erase(batch.size() - 1);
  batch.erase(batch.size() - 1);
  MatmulProblem problem;
  problem.dtype = node.dtype;
  problem.m = node.shape[node.shape.size() - 2];
  problem.n = node.shape.back();
  problem.k = a.shape.back();
  problem.batch.assign(batch.begin(), batch.end());
  problem.a = operand(a, a_layout, batch);
  problem.b = operand(b, b_layout, batch);
  problem.fixed = node.place.reproducible && !is_integer(node.dtype);
  problem.one_memory = a.is_ready() && b.is_ready() && a.storage == b.storage;
  const auto precision = node.get<graph::Op::matmul>().precision;
  const bool rounds = node.dtype == float32 && !problem.fixed;
  problem.tf32 = rounds && precision == graph::MatmulPrecision::tf32;
  problem.split = rounds && precision == graph::MatmulPrecision::three_of_tf32;
  return problem;
}

bool is_real(DType type) { return type == float16 || type == bfloat16 || type == float32 || type == float64; }

}  // namespace

bool takes_epilogue(const graph::Node& node) {
  return node.place.traits != nullptr && is_real(node.dtype) &&
         takes_epilogue(*node.place.traits, problem_of(node, layout_of(*node.inputs[0]), layout_of(*node.inputs[1])));
}

namespace {

/// A product, and an element-wise kernel for what is made of it, where no kernel does both.
struct Apart {
  codegen::Step step;
  Work work;
};

}  // namespace

Work prepare_matmul(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  const graph::Node* const finished = codegen::finished_product(step);
  // What a body reads is const, since kernels only read it. This one is computed here.
  graph::Node& node = finished ? const_cast<graph::Node&>(*finished) : *step.node;
  std::shared_ptr<const Epilogue> epilogue;
  std::shared_ptr<Apart> apart;
  MatmulWork product;
  if (node.shape.elements() > 0) {
    MatmulProblem problem = problem_of(node, node.inputs[0]->layout, node.inputs[1]->layout);
    if (std::optional<Epilogue> made = finished ? Epilogue::of(step.body, queue.traits()) : std::nullopt) {
      epilogue = std::make_shared<const Epilogue>(std::move(*made));
      problem.epilogue = epilogue.get();
      if (!takes_epilogue(queue.traits(), problem)) {
        epilogue = nullptr;
        problem.epilogue = nullptr;
      }
    }
    try {
      product = prepare_product(programs, queue, problem);
    } catch (const ProgramRefused&) {
      epilogue = nullptr;
      problem.epilogue = nullptr;
      product = prepare_product(programs, queue, problem);
    }
  }
  if (finished && !epilogue) {
    apart = std::make_shared<Apart>();
    apart->step.family = graph::Op::elementwise;
    apart->step.node = step.node;
    apart->step.body = step.body;
    apart->work = prepare_elementwise(programs, queue, apart->step);
  }
  graph::Node& stored = epilogue ? *step.node : node;
  return [&queue, &node, &stored, epilogue, apart, product = std::move(product)] {
    auto out = queue.allocate(static_cast<std::uint64_t>(stored.shape.elements()) * size_of(stored.dtype), "matmul");
    if (product) product({*node.inputs[0]->storage, *node.inputs[1]->storage, *out});
    graph::fulfil(stored, std::move(out), graph::row_major(stored.shape));
    if (apart) apart->work();
  };
}

}  // namespace koine::exec
