// SPDX-License-Identifier: Apache-2.0
// What eigenvalues and singular values are computed of, by whichever way.
#pragma once

#include "graph/node.hpp"
#include "runtime/buffer.hpp"
#include "runtime/fault.hpp"
#include "runtime/queue.hpp"

#include <koine/dtype.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace koine::exec {

/// Matrices in row-major order, with no more rows than columns, and one row at least.
struct SpectraProblem {
  DType type;           // float32, float64, complex64, complex128
  bool hermitian;       // eigenvalues and -vectors, of what the lower triangle says
  std::uint64_t batch;  // one at least
  std::uint64_t rows, columns;
  std::uint64_t kept;  // right singular vectors: `rows` or `columns`
  bool vectors;        // whether they are wanted
  std::string_view function;
  int threads = 1;  // on CPUs those that share a matrix
};

/// Of `batch` matrices each. Singular values fall; `left` has vectors as columns, `right` has them as rows, conjugated.
/// Eigenvalues rise; `right` has vectors as rows. What is not wanted, or not there, is null.
struct SpectraMemory {
  const runtime::Buffer& from;
  std::uint64_t offset;  // elements
  runtime::BufferRef values, left, right;
};

/// Of the matrices of the input, which is in row-major order and has elements.
SpectraProblem spectra_problem(const graph::Node& node);

/// Groups that decompose matrices at once where these lie in global memory, each in a room of its own.
inline std::uint64_t groups_at_once(const DeviceTraits& traits) {
  return std::uint64_t{traits.tuning.spectra_groups_per_unit} * traits.compute_units;
}

/// What is wrong with one of the matrices: a word from 0 on is the number of one with a NaN or an infinity, and
/// not_found() is of one for which an iteration did not converge: `left` says what that left undone, which is so many
/// eigenvalues that it did not find, if nothing else.
std::shared_ptr<runtime::Fault> spectra_fault(runtime::Queue& queue, const SpectraProblem& problem,
                                              std::function<std::string(std::int64_t missing)> left = {});

/// As kn_not_found() of kernels/common/fault.clh.
constexpr std::int64_t not_found(std::int64_t matrix, std::int64_t missing) { return -1 - (missing << 32 | matrix); }

/// The most steps that an iteration of a kernel takes, for each row or over the whole matrix, where it would take more.
/// Tests make them few; no matrix is known that takes as many as kernels have by themselves.
inline constinit std::atomic<std::uint32_t> most_steps = 1000;
/// Sweeps over all pairs of rows by Jacobi's rotations: one at least, and far more than rows of any size take, which is
/// some ten, and thirty for singular values far apart.
inline std::uint32_t most_sweeps() { return std::clamp(most_steps.load(), 1U, 60U); }
/// Steps of the QR algorithm for each row, as LAPACK's.
inline constexpr std::uint32_t steps_for_row = 30;

}  // namespace koine::exec
