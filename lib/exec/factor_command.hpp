// SPDX-License-Identifier: Apache-2.0
// What commands of the host that factorise matrices share: LAPACK's functions, threads for the matrices of a stack or
// the parts of one, and what is found wrong with one.
#pragma once

#include "base/parallel.hpp"
#include "exec/factors.hpp"
#include "exec/host_lapack.hpp"
#include "exec/host_run.hpp"
#include "exec/lapack_calls.hpp"
#include "runtime/fault.hpp"
#include "runtime/host_command.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

namespace koine::exec {

using FactorTable = std::array<FactorFunctions, 4>;  // of float32, float64, complex64, complex128

/// Those of the host's LAPACK; none where one is missing.
const std::optional<FactorTable>& factor_functions();

/// How the threads of a command are divided: among the matrices of a stack, or at the parts of one after the other.
struct Shares {
  int stack, parts;
  int threads() const { return std::max(stack, parts); }
};

/// `work`: about how many multiplications a matrix takes.
inline Shares shares_of(const runtime::Queue& queue, std::int64_t matrices, double work) {
  constexpr double worth_parts = 256.0 * 256.0 * 256.0;  // several threads at one matrix
  if (HostLapack::get()->blas().has_threads()) return {1, 1};
  const auto units = static_cast<std::int64_t>(
      std::min<std::uint64_t>(queue.traits().compute_units, static_cast<unsigned>(base::usable_cores())));
  if (matrices < units && work >= worth_parts) return {1, static_cast<int>(units)};
  const double enough =
      std::min(work * static_cast<double>(matrices) / (16.0 * queue.traits().tuning.thread_work), 1024.0);
  return {static_cast<int>(std::clamp<std::int64_t>(static_cast<std::int64_t>(enough), 1, std::min(units, matrices))),
          1};
}

/// Calls `work(matrix, thread)` for each matrix of a stack.
template <class Work>
void for_each_matrix(const Shares& shares, std::int64_t matrices, Work work) {
  std::atomic<std::int64_t> next{0};
  std::atomic<int> who{0};
  const auto some = [&] {
    const int thread = who.fetch_add(1);
    for (std::int64_t matrix; (matrix = next.fetch_add(1)) < matrices;) work(matrix, thread);
  };
  base::in_parallel(shares.stack, std::ref(some));
}

/// Where nothing has been reported yet.
inline void report_position(void* word, std::int64_t matrix, std::int64_t position) {
  static_cast<runtime::FaultWord*>(word)->report(fault_value(matrix, position));
}

/// Enqueues a node's command, whose work may be little enough for the calling thread.
inline void enqueue_factors(const DeviceTraits& traits, const graph::Node& node, runtime::HostCommand& command,
                            const Shares& shares, double work, runtime::HostCommand::Function function) {
  HostLapack::get()->blas().check_room(shares.threads(), function_of(node));
  const bool small = shares.threads() == 1 && multiplied_at_once(traits, work);
  small ? command.run_small(std::move(function)) : command.run(std::move(function));
}

/// Of which a factorisation takes about as many multiplications.
inline double cube_of(std::int64_t m, std::int64_t n) {
  return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(std::min(m, n));
}

/// Calls `run` with values of the types for elements and for LAPACK's integers, and its functions.
template <class Run>
void with_types(DType type, Run run) {
  const bool wide = HostLapack::get()->wide();
  const auto with = [&]<class T>(T element, std::size_t k) {
    const FactorFunctions& f = (*factor_functions())[k];
    wide ? run(element, std::int64_t{}, f) : run(element, std::int32_t{}, f);
  };
  switch (type) {
    case DType::float32: return with(float{}, 0);
    case DType::float64: return with(double{}, 1);
    case DType::complex64: return with(std::complex<float>{}, 2);
    default: return with(std::complex<double>{}, 3);
  }
}

}  // namespace koine::exec
