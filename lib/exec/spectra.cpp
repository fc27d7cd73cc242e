// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and singular values: by LAPACK where the host works in a CPU device's memory, else by kernels.
#include "exec/spectra.hpp"

#include "exec/families.hpp"
#include "exec/jacobi.hpp"
#include "exec/jacobi_blocks.hpp"
#include "exec/spectra_host.hpp"
#include "runtime/fault.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace koine::exec {
namespace {

using runtime::BufferRef;

std::string of_all(std::int64_t missing, std::uint64_t rows, const char* values) {
  return std::to_string(missing) + " of its " + std::to_string(rows) + " " + values + " were not found";
}

/// What LAPACK leaves: it counts elements beside a diagonal that do not vanish, or says in which part of one.
std::function<std::string(std::int64_t)> values_missing(const SpectraProblem& p) {
  return [rows = p.rows, hermitian = p.hermitian](std::int64_t missing) {
    return "at least " + of_all(missing, rows, hermitian ? "eigenvalues" : "singular values");
  };
}
/// What kernels leave.
std::function<std::string(std::int64_t)> rows_turned() {
  return [sweeps = most_sweeps()](std::int64_t missing) {
    return "at least " + std::to_string(missing) + " of the pairs of its rows still turned in sweep " +
           std::to_string(sweeps) + ", the last one";
  };
}

class Spectra {
 public:
  /// Asks for the kernel.
  Spectra(Programs& programs, runtime::Queue& queue, graph::Node& node, const SpectraProblem& problem)
      : queue_(queue), node_(node), problem_(problem) {
    // LAPACK's order of operations is its own.
    if (!node.place.reproducible && HostSpectra::suits(queue, problem)) {
      host_.emplace(programs, queue, problem);
    } else if (!node.place.reproducible && !Jacobi::is_local(queue, problem) && JacobiBlocks::suits(queue, problem)) {
      blocks_.emplace(programs, queue, problem);
    } else {
      kernels_.emplace(programs, queue, problem);
    }
  }

  void run(const std::vector<graph::NodeRef>& results) const {
    const graph::Node& x = *node_.inputs[0];
    const SpectraProblem& p = problem_;
    const std::uint64_t element = size_of(p.type), real = is_complex(p.type) ? element / 2 : element;
    const std::shared_ptr<runtime::Fault> fault = spectra_fault(queue_, p, host_ ? values_missing(p) : rows_turned());
    BufferRef values = allocate(p.batch * p.rows * real), left, right;
    if (p.vectors && !p.hermitian) left = allocate(p.batch * p.rows * p.rows * element);
    if (p.vectors) right = allocate(p.batch * p.kept * p.columns * element);
    const SpectraMemory memory{*x.storage, static_cast<std::uint64_t>(x.layout.offset), values, left, right};
    if (host_) {
      host_->run(memory, fault);
    } else if (blocks_) {
      blocks_->run(memory, fault);
    } else {
      kernels_->run(memory, fault);
    }
    std::vector<BufferRef> storages{std::move(values)};
    if (!p.hermitian && results.size() > 1) storages.push_back(std::move(left));
    if (results.size() > 1) storages.push_back(std::move(right));
    graph::fulfil_results(node_, results, storages);
  }

 private:
  BufferRef allocate(std::uint64_t bytes) const { return queue_.allocate(bytes, problem_.function); }

  runtime::Queue& queue_;
  graph::Node& node_;
  const SpectraProblem problem_;
  std::optional<const HostSpectra> host_;
  std::optional<const JacobiBlocks> blocks_;
  std::optional<const Jacobi> kernels_;
};

}  // namespace

SpectraProblem spectra_problem(const graph::Node& node) {
  const graph::Node& x = *node.inputs[0];
  const std::size_t axes = x.shape.size();
  const auto rows = static_cast<std::uint64_t>(x.shape[axes - 2]), columns = static_cast<std::uint64_t>(x.shape.back());
  const std::uint64_t batch = static_cast<std::uint64_t>(x.shape.elements()) / (rows * columns);
  return {x.dtype, false, batch, rows, columns, rows, false, function_of(node)};
}

std::shared_ptr<runtime::Fault> spectra_fault(runtime::Queue& queue, const SpectraProblem& problem,
                                              std::function<std::string(std::int64_t missing)> left) {
  if (!left) {
    left = [rows = problem.rows](std::int64_t missing) { return of_all(missing, rows, "eigenvalues"); };
  }
  return std::make_shared<runtime::Fault>(
      queue,
      [function = std::string(problem.function), batch = problem.batch, left = std::move(left)](std::int64_t value) {
        constexpr std::int64_t numbers = 0xffffffff;
        const bool finite = value < 0;
        const std::int64_t number = finite ? (-1 - value) & numbers : value, missing = finite ? (-1 - value) >> 32 : 0;
        const std::string which =
            batch == 1 ? "the matrix" : "matrix " + std::to_string(number) + " of " + std::to_string(batch);
        if (!finite) return "[" + function + "] " + which + " has a NaN or an infinity";
        return "[" + function + "] the iteration for " + which + " did not converge: " + left(missing);
      },
      ErrorKind::LinAlgError);
}

Work prepare_eigh(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  std::vector<graph::NodeRef> results = wanted_results(node);
  SpectraProblem problem = spectra_problem(node);
  problem.hermitian = true;
  problem.vectors = results.size() > 1 && results[1] != nullptr;
  return [spectra = std::make_shared<const Spectra>(programs, queue, node, problem), results = std::move(results)] {
    spectra->run(results);
  };
}

Work prepare_svd(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  const graph::SvdInfo& info = node.get<graph::Op::svd>();
  SpectraProblem problem = spectra_problem(node);
  problem.vectors = info.vectors;
  if (info.full) problem.kept = problem.columns;
  return [spectra = std::make_shared<const Spectra>(programs, queue, node, problem), results = wanted_results(node)] {
    spectra->run(results);
  };
}

}  // namespace koine::exec
