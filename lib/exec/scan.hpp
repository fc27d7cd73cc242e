// SPDX-License-Identifier: Apache-2.0
// The scan engine: running sums, products and extremes along an axis.
#pragma once

#include "codegen/scan.hpp"
#include "exec/programs.hpp"
#include "runtime/queue.hpp"

#include <cstddef>
#include <memory>
#include <string_view>

namespace koine::exec {

/// The scan of a body's value along an axis of its domain, which has elements. The order of operations
/// follows from the shape and the type alone (codegen/scan.hpp).
class Scan {
 public:
  /// Asks for all kernels. The body outlives this.
  Scan(Programs& programs, runtime::Queue& queue, const codegen::Body& body, const graph::ScanInfo& info, DType result);
  ~Scan();

  /// New memory in row-major order; as often as is wanted.
  runtime::BufferRef run() const;

 private:
  /// One kernel.
  struct Pass {
    codegen::ScanPass pass;
    codegen::ScanWalk walk;
    codegen::ParamBlock parameters;
    runtime::KernelRef kernel;
  };
  struct OfTotals;

  Pass make_pass(Programs& programs, bool totals) const;
  void launch(const Pass& pass, const runtime::Buffer& output, const runtime::Buffer* prefixes) const;

  runtime::Queue& queue_;
  const codegen::ScanPass pass_;
  const std::string_view function_;
  std::unique_ptr<OfTotals> inner_;  // of rows of several blocks: the scan of the blocks' totals
  Pass last_;
};

}  // namespace koine::exec
