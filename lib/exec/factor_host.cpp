// SPDX-License-Identifier: Apache-2.0
// Factorisations by LAPACK as host commands. What lies in row-major order is the transpose of what LAPACK sees there:
// that of a Hermitian matrix has the same factors, others are transposed into memory of a thread and back.
#include "exec/factor_host.hpp"

#include "base/first_use.hpp"
#include "base/parallel.hpp"
#include "exec/factors.hpp"
#include "exec/host_lapack.hpp"
#include "exec/lapack_blocks.hpp"
#include "exec/lapack_calls.hpp"
#include "runtime/host_command.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <complex>
#include <functional>
#include <optional>
#include <span>
#include <utility>

namespace koine::exec {
namespace {

using Table = std::array<FactorFunctions, 4>;  // of float32, float64, complex64, complex128

constexpr DType types[] = {float32, float64, complex64, complex128};

/// Those of the host's LAPACK; none where one is missing.
const std::optional<Table>& functions() {
  static constinit base::FirstUse<std::optional<Table>> known;
  return known.get([]() -> std::optional<Table> {
    const HostLapack* const lapack = HostLapack::get();
    if (lapack == nullptr) return std::nullopt;
    Table table{};
    for (std::size_t k = 0; k < table.size(); ++k) {
      const auto find = [&](const char* name) { return lapack->find(types[k], name); };
      FactorFunctions& f = table[k];
      f = {find("potrf"), find("getrf"), find("laswp"), find("geqrf"), find("larft"), find("trsm"), find("gemm")};
      for (const void* each : {f.potrf, f.getrf, f.laswp, f.geqrf, f.larft, f.trsm, f.gemm}) {
        if (each == nullptr) return std::nullopt;
      }
    }
    return table;
  });
}

/// How the threads of a command are divided: among the matrices of a stack, or at the parts of one after the other.
struct Shares {
  int stack, parts;
  int threads() const { return std::max(stack, parts); }
};

/// `work`: about how many multiplications a matrix takes.
Shares shares_of(const runtime::Queue& queue, std::int64_t matrices, double work) {
  constexpr double worth = 1 << 20, worth_parts = 256.0 * 256.0 * 256.0;  // a thread, several threads at one matrix
  if (HostLapack::get()->blas().has_threads()) return {1, 1};
  const auto units = static_cast<std::int64_t>(
      std::min<std::uint64_t>(queue.traits().compute_units, static_cast<unsigned>(base::usable_cores())));
  if (matrices < units && work >= worth_parts) return {1, static_cast<int>(units)};
  const double enough = std::min(work * static_cast<double>(matrices) / worth, 1024.0);
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

/// Rows of an m x n matrix become columns, square by square.
template <class T>
void transpose(std::int64_t m, std::int64_t n, const T* from, T* to) {
  constexpr std::int64_t side = 16;
  for (std::int64_t i0 = 0; i0 < m; i0 += side) {
    for (std::int64_t j0 = 0; j0 < n; j0 += side) {
      for (std::int64_t i = i0; i < std::min(i0 + side, m); ++i) {
        for (std::int64_t j = j0; j < std::min(j0 + side, n); ++j) to[j * m + i] = from[i * n + j];
      }
    }
  }
}

void report(void* word, std::int64_t matrix, std::int64_t position) {
  auto& fault = *static_cast<runtime::FaultWord*>(word);
  const std::atomic_ref<std::uint32_t> reported(fault.reported);
  std::uint32_t none = 0;
  if (reported.compare_exchange_strong(none, 1)) fault.value = fault_value(matrix, position);
}

/// Enqueues a command whose work is `small` enough for the calling thread.
void run(runtime::HostCommand& command, const Shares& shares, double work, runtime::HostCommand::Function function) {
  constexpr double least_command = 64.0 * 64.0 * 64.0;  // multiplications that take as long as a command
  HostLapack::get()->blas().check_room(shares.threads());
  shares.threads() == 1 && work <= least_command ? command.run_small(std::move(function))
                                                 : command.run(std::move(function));
}

double cube(std::int64_t m, std::int64_t n) {
  return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(std::min(m, n));
}

template <class T, class I>
void run_cholesky(runtime::Queue& queue, const graph::Node& node, const FactorFunctions& functions,
                  const runtime::Buffer& out) {
  const Stack stack(node);
  const double work = cube(stack.n, stack.n) / 3;
  const Shares shares = shares_of(queue, stack.matrices, work);
  runtime::HostCommand command(queue, "cholesky_host");
  command.in(*node.inputs[0]->storage).out(out).fault(indefinite_fault(queue, node));
  const auto offset = node.inputs[0]->layout.offset;
  run(command, shares, work * static_cast<double>(stack.matrices),
      [stack, shares, functions, offset](std::span<void* const> at) {
        const LapackCalls<T, I> lapack(functions);
        for_each_matrix(shares, stack.matrices, [&](std::int64_t matrix, int) {
          const std::int64_t n = stack.n;
          const T* const from = static_cast<const T*>(at[0]) + offset + matrix * n * n;
          T* const a = static_cast<T*>(at[1]) + matrix * n * n;
          std::copy(from, from + n * n, a);
          std::int64_t wrong = potrf_in_parts(lapack, shares.parts, n, a);
          // OpenBLAS goes on with what is no number.
          for (std::int64_t i = 0; wrong == 0 && i < n; ++i) {
            if (!(std::real(a[i * n + i]) > 0)) wrong = i + 1;
          }
          if (wrong != 0) report(at[2], matrix, wrong);
          for (std::int64_t i = 0; i < n; ++i) std::fill(a + i * n + i + 1, a + (i + 1) * n, T(0));
        });
      });
}

template <class T, class I>
void run_lu(runtime::Queue& queue, const graph::Node& node, const FactorFunctions& functions,
            const runtime::Buffer& factors, const runtime::Buffer& order, const runtime::Buffer& exchanges) {
  const Stack stack(*node.inputs[0]);
  const double work = cube(stack.m, stack.n);
  const Shares shares = shares_of(queue, stack.matrices, work);
  const std::int64_t pivots = std::min(stack.m, stack.n);
  const auto in_all = [&](std::int64_t count) { return static_cast<std::uint64_t>(shares.stack * count); };
  const runtime::BufferRef columns = queue.allocate(in_all(stack.elements()) * sizeof(T), "lu"),
                           exchanged = queue.allocate(in_all(pivots) * sizeof(I), "lu");
  runtime::HostCommand command(queue, "lu_host");
  command.in(*node.inputs[0]->storage).out(factors).out(order).out(exchanges).out(*columns).out(*exchanged);
  const auto offset = node.inputs[0]->layout.offset;
  run(command, shares, work * static_cast<double>(stack.matrices),
      [stack, shares, functions, offset, pivots](std::span<void* const> at) {
        const LapackCalls<T, I> lapack(functions);
        for_each_matrix(shares, stack.matrices, [&](std::int64_t matrix, int thread) {
          T* const a = static_cast<T*>(at[4]) + thread * stack.elements();
          I* const pivot = static_cast<I*>(at[5]) + thread * pivots;
          transpose(stack.m, stack.n, static_cast<const T*>(at[0]) + offset + matrix * stack.elements(), a);
          getrf_in_parts(lapack, shares.parts, stack.m, stack.n, a, pivot);
          transpose(stack.n, stack.m, a, static_cast<T*>(at[1]) + matrix * stack.elements());
          std::int64_t* const rows = static_cast<std::int64_t*>(at[2]) + matrix * stack.m;
          std::int64_t& count = static_cast<std::int64_t*>(at[3])[matrix];
          count = 0;
          for (std::int64_t i = 0; i < stack.m; ++i) rows[i] = i;
          for (std::int64_t i = 0; i < pivots; ++i) {
            if (pivot[i] - 1 == i) continue;
            std::swap(rows[i], rows[pivot[i] - 1]);
            ++count;
          }
        });
      });
}

template <class T, class I>
void run_householder(runtime::Queue& queue, const graph::Node& node, const FactorFunctions& functions,
                     const runtime::Buffer& reflectors, const runtime::Buffer& triangles,
                     const runtime::Buffer& results) {
  const Stack stack(*node.inputs[0]);
  const double work = 2 * cube(stack.m, stack.n);
  Shares shares = shares_of(queue, stack.matrices, work);
  shares.parts = 1;
  const std::int64_t n = stack.n, room = stack.elements() + n * n + n * 64 + n;
  const runtime::BufferRef scratch = queue.allocate(static_cast<std::uint64_t>(shares.stack * room) * sizeof(T), "qr");
  runtime::HostCommand command(queue, "householder_host");
  command.in(*node.inputs[0]->storage).out(reflectors).out(triangles).out(results).out(*scratch);
  const auto offset = node.inputs[0]->layout.offset;
  run(command, shares, work * static_cast<double>(stack.matrices),
      [stack, shares, functions, offset, room, n](std::span<void* const> at) {
        const LapackCalls<T, I> lapack(functions);
        for_each_matrix(shares, stack.matrices, [&](std::int64_t matrix, int thread) {
          T* const a = static_cast<T*>(at[4]) + thread * room;
          T* const t = a + stack.elements();
          T* const tau = t + n * n;
          transpose(stack.m, n, static_cast<const T*>(at[0]) + offset + matrix * stack.elements(), a);
          lapack.geqrf(stack.m, n, a, tau, tau + n);
          std::fill(t, t + n * n, T(0));
          lapack.larft(stack.m, n, a, tau, t);
          transpose(n, n, t, static_cast<T*>(at[2]) + matrix * n * n);
          T* const r = static_cast<T*>(at[3]) + matrix * n * n;
          for (std::int64_t i = 0; i < n; ++i) {
            for (std::int64_t j = 0; j < n; ++j) {
              r[i * n + j] = j >= i ? a[j * stack.m + i] : T(0);
              if (j >= i) a[j * stack.m + i] = j == i ? T(1) : T(0);
            }
          }
          transpose(n, stack.m, a, static_cast<T*>(at[1]) + matrix * stack.elements());
        });
      });
}

template <class T, class I>
void run_triangular(runtime::Queue& queue, const graph::Node& node, const FactorFunctions& functions,
                    const runtime::Buffer& out) {
  const Stack stack(node), triangles(*node.inputs[0]);
  const double work = static_cast<double>(stack.m) * static_cast<double>(stack.elements()) / 2;
  const Shares shares = shares_of(queue, stack.matrices, work);
  runtime::HostCommand command(queue, "solve_triangular_host");
  command.in(*node.inputs[0]->storage).in(*node.inputs[1]->storage).out(out).fault(singular_fault(queue, node));
  const auto a_offset = node.inputs[0]->layout.offset, b_offset = node.inputs[1]->layout.offset;
  const graph::TriangularInfo info = node.get<graph::Op::solve_triangular>();
  run(command, shares, work * static_cast<double>(stack.matrices),
      [stack, shares, functions, a_offset, b_offset, info,
       step = triangles.matrices == 1 ? 0 : triangles.elements()](std::span<void* const> at) {
        const LapackCalls<T, I> lapack(functions);
        for_each_matrix(shares, stack.matrices, [&](std::int64_t matrix, int) {
          const std::int64_t n = stack.m, columns = stack.n;
          const T* const a = static_cast<const T*>(at[0]) + a_offset + matrix * step;
          const T* const b = static_cast<const T*>(at[1]) + b_offset + matrix * stack.elements();
          T* const x = static_cast<T*>(at[2]) + matrix * stack.elements();
          for (std::int64_t i = 0; i < n && !info.unit; ++i) {
            if (a[i * n + i] == T(0)) report(at[3], matrix, i);
          }
          std::copy(b, b + stack.elements(), x);
          // X^T A^T = B^T in column-major order, where A^T has the other triangle.
          share_columns(shares.parts, columns, [&](std::int64_t first, std::int64_t count) {
            lapack.trsm("R", info.upper ? "L" : "U", "N", info.unit ? "U" : "N", count, n, a, n, x + first, columns);
          });
        });
      });
}

/// Calls `run` with values of the types for elements and for LAPACK's integers, and its functions.
template <class Run>
void with_types(DType type, Run run) {
  const bool wide = HostLapack::get()->wide();
  const auto with = [&]<class T>(T element, std::size_t k) {
    const FactorFunctions& f = (*functions())[k];
    wide ? run(element, std::int64_t{}, f) : run(element, std::int32_t{}, f);
  };
  switch (type) {
    case DType::float32: return with(float{}, 0);
    case DType::float64: return with(double{}, 1);
    case DType::complex64: return with(std::complex<float>{}, 2);
    default: return with(std::complex<double>{}, 3);
  }
}

}  // namespace

bool factors_on_host(const graph::Place& place, std::int64_t largest) {
  return place.traits->host_commands && !place.reproducible && largest <= HostBlas::most && functions().has_value();
}

bool factors_on_host(const runtime::Queue& queue, const graph::Node& node) {
  const Stack stack(node), first(*node.inputs[0]);
  graph::Place place = node.place;
  place.traits = &queue.traits();
  return factors_on_host(place, std::max({stack.m, stack.n, first.m, first.n}));
}

void run_cholesky_on_host(runtime::Queue& queue, const graph::Node& node, const runtime::Buffer& out) {
  with_types(node.dtype,
             [&]<class T, class I>(T, I, const FactorFunctions& f) { run_cholesky<T, I>(queue, node, f, out); });
}

void run_lu_on_host(runtime::Queue& queue, const graph::Node& node, const runtime::Buffer& factors,
                    const runtime::Buffer& order, const runtime::Buffer& exchanges) {
  with_types(node.dtype, [&]<class T, class I>(T, I, const FactorFunctions& f) {
    run_lu<T, I>(queue, node, f, factors, order, exchanges);
  });
}

void run_householder_on_host(runtime::Queue& queue, const graph::Node& node, const runtime::Buffer& reflectors,
                             const runtime::Buffer& triangles, const runtime::Buffer& results) {
  with_types(node.dtype, [&]<class T, class I>(T, I, const FactorFunctions& f) {
    run_householder<T, I>(queue, node, f, reflectors, triangles, results);
  });
}

void run_triangular_on_host(runtime::Queue& queue, const graph::Node& node, const runtime::Buffer& out) {
  with_types(node.dtype,
             [&]<class T, class I>(T, I, const FactorFunctions& f) { run_triangular<T, I>(queue, node, f, out); });
}

}  // namespace koine::exec
