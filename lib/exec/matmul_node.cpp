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

/// What a product reads as an operand: an input, or what that is cast from.
struct Source {
  const graph::Node& node;
  graph::Layout layout;  // of the input's shape
};

/// While a plan is made, which has not laid out yet what is pending.
Source pending_source(const graph::Node& product, std::size_t number) {
  const graph::Node& input = *product.inputs[number];
  return {input, input.is_ready() ? input.layout : graph::row_major(input.shape)};
}

/// Of a step whose operands are in memory, or have been laid out.
Source source_of(const codegen::Step& step, const graph::Node& product, std::size_t number) {
  const graph::Node& read = read_as(step, product, number);
  return {read, step.operands[number].source ? step.operands[number].layout : read.layout};
}

MatmulOperand operand(const graph::Node& product, const Source& source, const Shape& batch) {
  const graph::Layout& own = source.layout;
  const std::size_t axes = own.shape.size();
  Shape shape = batch;
  shape.push_back(own.shape[axes - 2]);
  shape.push_back(own.shape.back());
  const graph::Layout layout = broadcast(own, shape);
  MatmulOperand result;
  result.offset = layout.offset;
  // Taken from the node itself: broadcasting would turn the stride of a single row into 0.
  result.row_stride = own.strides[axes - 2];
  result.column_stride = own.strides.back();
  result.batch_strides.assign(layout.strides.begin(), layout.strides.begin() + batch.size());
  if (source.node.dtype != product.dtype) result.stored = source.node.dtype;
  return result;
}

/// (..., M, K) by (..., K, N).
MatmulProblem problem_of(const graph::Node& node, const Source& a, const Source& b) {
  Shape batch = node.shape;
  batch.erase(batch.size() - 1);
  batch.erase(batch.size() - 1);
  MatmulProblem problem;
  problem.dtype = node.dtype;
  problem.m = node.shape[node.shape.size() - 2];
  problem.n = node.shape.back();
  problem.k = a.layout.shape.back();
  problem.batch.assign(batch.begin(), batch.end());
  problem.a = operand(node, a, batch);
  problem.b = operand(node, b, batch);
  problem.fixed = node.place.reproducible && !is_integer(node.dtype);
  problem.one_memory = a.node.is_ready() && b.node.is_ready() && a.node.storage == b.node.storage;
  const auto precision = node.get<graph::Op::matmul>().precision;
  const bool rounds = node.dtype == float32 && !problem.fixed;
  problem.tf32 = rounds && precision == graph::MatmulPrecision::tf32;
  problem.split = rounds && precision == graph::MatmulPrecision::three_of_tf32;
  return problem;
}

MatmulProblem problem_of(const codegen::Step& step, const graph::Node& product) {
  return problem_of(product, source_of(step, product, 0), source_of(step, product, 1));
}

/// What the host multiplies with the bits of a CPU's kernel: sums that wrap, or that have an order.
std::optional<MatmulProblem> chained_problem(const HostRun& run) {
  const graph::Node& node = *run.step.node;
  const bool in_order = is_integer(node.dtype) || node.place.reproducible;
  if (!in_order || node.shape.elements() == 0 || !host::multiplies_chained(node.dtype)) return std::nullopt;
  if (codegen::finished_product(run.step) || !host_reads_inputs(run.step)) return std::nullopt;
  MatmulProblem problem = problem_of(run.step, node);
  if (problem.k == 0 || !is_one_chain(run.queue.traits(), problem)) return std::nullopt;
  return problem;
}

std::optional<std::uint64_t> work_of_matmul(const HostRun& run) {
  const auto problem = chained_problem(run);
  if (!problem) return std::nullopt;
  return host::chained_work(problem->dtype, run.step.node->shape.elements(), problem->n, problem->k);
}

/// To a product's results, which are in row-major order.
void multiply(const codegen::Step& step, const DeviceTraits& traits, std::uint64_t work, std::byte* to) {
  const graph::Node& node = *step.node;
  const Source a = source_of(step, node, 0), b = source_of(step, node, 1);
  const auto of_batch = [&](const Source& source) {
    Shape shape = node.shape;
    std::copy(source.layout.shape.end() - 2, source.layout.shape.end(), shape.end() - 2);
    return host::ChainedOperand{source.node.dtype, broadcast(source.layout, shape), source.node.storage->host()};
  };
  host::multiply_chained({node.dtype, of_batch(a), of_batch(b)}, traits, work, to);
}

Work multiply_on_host(const HostRun& run) {
  if (run.only_shared) return nullptr;
  return prepare_result_on_host(run, [run](std::byte* to) {
    multiply(run.step, run.queue.traits(), run.work, to);
    return Astray();
  });
}

bool is_real(DType type) { return type == float16 || type == bfloat16 || type == float32 || type == float64; }

}  // namespace

const HostRunner host_matmul{.work = work_of_matmul, .prepare = multiply_on_host, .shares = true};

bool takes_epilogue(const graph::Node& node) {
  return node.place.traits != nullptr && is_real(node.dtype) &&
         takes_epilogue(*node.place.traits, problem_of(node, pending_source(node, 0), pending_source(node, 1)));
}

bool takes_cast(const graph::Node& product, std::size_t input, const codegen::ProductOperand& operand) {
  if (product.place.traits == nullptr || !converts_loads(operand.source->dtype, product.dtype)) return false;
  const Source a = pending_source(product, 0), b = pending_source(product, 1), cast{*operand.source, operand.layout};
  MatmulProblem apart = problem_of(product, a, b);
  MatmulProblem through = input == 0 ? problem_of(product, cast, b) : problem_of(product, a, cast);
  through.host_memory = apart.host_memory = product.place.context->works_in_host_memory();
  return reads_through_casts(*product.place.traits, through, apart);
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
    MatmulProblem problem = problem_of(step, node);
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
  const graph::Node &a = read_as(step, node, 0), &b = read_as(step, node, 1);
  return [&queue, &node, &a, &b, &stored, epilogue, apart, product = std::move(product)] {
    auto out = queue.allocate(static_cast<std::uint64_t>(stored.shape.elements()) * size_of(stored.dtype), "matmul");
    if (product) product({*a.storage, *b.storage, *out});
    graph::fulfil(stored, std::move(out), graph::row_major(stored.shape));
    if (apart) apart->work();
  };
}

}  // namespace koine::exec
