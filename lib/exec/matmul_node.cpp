// SPDX-License-Identifier: Apache-2.0
// From a matmul node, and what its kernel goes on with, to the problem that the kernels solve.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "exec/elementwise.hpp"
#include "exec/families.hpp"
#include "exec/host_run.hpp"
#include "exec/matmul.hpp"
#include "exec/matmul_epilogue.hpp"
#include "exec/matmul_routes.hpp"
#include "host/chained_products.hpp"

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

/// What the host multiplies with the bits of a CPU's kernel: sums that wrap, or that have an order.
std::optional<MatmulProblem> chained_problem(const HostRun& run) {
  const graph::Node& node = *run.step.node;
  const bool in_order = is_integer(node.dtype) || node.place.reproducible;
  if (!in_order || node.shape.elements() == 0 || !host::multiplies_chained(node.dtype)) return std::nullopt;
  if (codegen::finished_product(run.step) || !host_reads_inputs(node)) return std::nullopt;
  MatmulProblem problem = problem_of(node, layout_of(*node.inputs[0]), layout_of(*node.inputs[1]));
  if (problem.k == 0 || !is_one_chain(run.queue.traits(), problem)) return std::nullopt;
  return problem;
}

std::optional<std::uint64_t> work_of_matmul(const HostRun& run) {
  const auto problem = chained_problem(run);
  if (!problem) return std::nullopt;
  return host::chained_work(problem->dtype, run.step.node->shape.elements(), problem->n, problem->k);
}

/// To a product's results, which are in row-major order.
void multiply(const graph::Node& node, const DeviceTraits& traits, std::uint64_t work, std::byte* to) {
  const graph::Node &a = *node.inputs[0], &b = *node.inputs[1];
  const auto of_batch = [&](const graph::Node& operand) {
    Shape shape = node.shape;
    std::copy(operand.shape.end() - 2, operand.shape.end(), shape.end() - 2);
    return broadcast(operand.layout, shape);
  };
  host::multiply_chained({node.dtype, of_batch(a), of_batch(b)}, traits, work, a.storage->host(), b.storage->host(),
                         to);
}

Work multiply_on_host(const HostRun& run) {
  if (run.only_shared) return nullptr;
  return prepare_result_on_host(run, [run](std::byte* to) {
    multiply(*run.step.node, run.queue.traits(), run.work, to);
    return Astray();
  });
}

bool is_real(DType type) { return type == float16 || type == bfloat16 || type == float32 || type == float64; }

}  // namespace

const HostRunner host_matmul{.work = work_of_matmul, .prepare = multiply_on_host, .shares = true};

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
