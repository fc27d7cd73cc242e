// SPDX-License-Identifier: Apache-2.0
// From a matmul node to the problem that the kernels solve.
#include "exec/families.hpp"
#include "exec/matmul.hpp"

namespace koine::exec {
namespace {

MatmulOperand operand(const graph::Node& node, const Shape& batch) {
  Shape shape = batch;
  shape.push_back(node.shape[node.shape.size() - 2]);
  shape.push_back(node.shape.back());
  const graph::Layout layout = broadcast(node.layout, shape);
  MatmulOperand result;
  result.offset = layout.offset;
  // Taken from the node itself: broadcasting would turn the stride of a single row into 0.
  result.row_stride = node.layout.strides[node.shape.size() - 2];
  result.column_stride = node.layout.strides.back();
  result.batch_strides.assign(layout.strides.begin(), layout.strides.begin() + batch.size());
  return result;
}

}  // namespace

// (..., M, K) by (..., K, N).
Work prepare_matmul(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  MatmulWork product;
  if (node.shape.elements() > 0) {
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
    problem.a = operand(a, batch);
    problem.b = operand(b, batch);
    problem.fixed = node.place.reproducible && !is_integer(node.dtype);
    const auto precision = node.get<graph::Op::matmul>().precision;
    const bool rounds = node.dtype == float32 && !problem.fixed;
    problem.tf32 = rounds && precision == graph::MatmulPrecision::tf32;
    problem.split = rounds && precision == graph::MatmulPrecision::three_of_tf32;
    product = prepare_product(programs, queue, problem);
  }
  return [&queue, &node, product = std::move(product)] {
    auto out = queue.allocate(static_cast<std::uint64_t>(node.shape.elements()) * size_of(node.dtype), "matmul");
    if (product) product({*node.inputs[0]->storage, *node.inputs[1]->storage, *out});
    graph::fulfil(node, std::move(out), graph::row_major(node.shape));
  };
}

}  // namespace koine::exec
