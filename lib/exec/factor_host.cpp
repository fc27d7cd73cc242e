// SPDX-License-Identifier: Apache-2.0
// Factorisations by LAPACK as host commands. What lies in row-major order is the transpose of what LAPACK sees there:
// that of a Hermitian matrix has the same factors, others are transposed into memory of a thread and back.
#include "exec/factor_host.hpp"

#include "base/first_use.hpp"
#include "exec/factor_command.hpp"
#include "exec/host_run.hpp"
#include "exec/lapack_blocks.hpp"
#include "exec/small_systems_host.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

namespace koine::exec {
namespace {

constexpr DType types[] = {float32, float64, complex64, complex128};

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

template <class T, class I>
void run_cholesky(runtime::Queue& queue, const graph::Node& node, const FactorFunctions& functions,
                  const runtime::Buffer& out) {
  const Stack stack(node);
  const double work = cube_of(stack.n, stack.n) / 3;
  const Shares shares = shares_of(queue, stack.matrices, work);
  runtime::HostCommand command(queue, "cholesky_host");
  command.in(*node.inputs[0]->storage).out(out).fault(indefinite_fault(queue, node));
  const auto offset = node.inputs[0]->layout.offset;
  enqueue_factors(queue.traits(), node, command, shares, work * static_cast<double>(stack.matrices),
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
                      if (wrong != 0) report_position(at[2], matrix, wrong);
                      for (std::int64_t i = 0; i < n; ++i) std::fill(a + i * n + i + 1, a + (i + 1) * n, T(0));
                    });
                  });
}

/// From rows in their order: row i was exchanged with row pivot(i). Gives how many were.
template <class Pivot>
std::int64_t order_rows(std::int64_t* rows, std::int64_t m, std::int64_t pivots, Pivot pivot) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < m; ++i) rows[i] = i;
  for (std::int64_t i = 0; i < pivots; ++i) {
    const std::int64_t other = pivot(i);
    if (other == i) continue;
    std::swap(rows[i], rows[other]);
    ++count;
  }
  return count;
}

template <class T>
void run_small_lu(runtime::Queue& queue, const graph::Node& node, const runtime::Buffer& factors,
                  const runtime::Buffer& order, const runtime::Buffer& exchanges) {
  const Stack stack(*node.inputs[0]);
  const SmallSystemBlocks<T> blocks(queue, stack.matrices, stack.elements(), stack.n * stack.elements());
  const runtime::BufferRef room = queue.allocate(blocks.room(), "lu");
  // Determinants ask how many were exchanged alone.
  const bool ordered = graph::wanted_results(node)[1] != nullptr;
  runtime::HostCommand command(queue, "lu_host");
  command.in(*node.inputs[0]->storage).out(factors).out(order).out(exchanges).out(*room);
  blocks.enqueue(command, [stack, blocks, ordered, offset = node.inputs[0]->layout.offset](std::span<void* const> at) {
    const host::SmallSystemFunctions<T>& functions = host::small_systems<T>();
    const std::int64_t n = stack.n, lanes = functions.lanes;
    const host::SmallSystems<T> job{stack.matrices,        n, 0, static_cast<const T*>(at[0]) + offset, nullptr,
                                    static_cast<T*>(at[1])};
    blocks.share(at[4], [&](std::int64_t block, T* own) {
      std::int32_t pivots[host::largest_small_system * 64 / sizeof(T)];
      functions.factorise(job, block, own, pivots);
      const std::int64_t first = block * lanes, count = std::min(lanes, stack.matrices - first);
      std::int64_t* const exchanged = static_cast<std::int64_t*>(at[3]) + first;
      if (ordered) {
        for (std::int64_t lane = 0; lane < count; ++lane) {
          exchanged[lane] = order_rows(static_cast<std::int64_t*>(at[2]) + (first + lane) * n, n, n,
                                       [&](std::int64_t i) { return pivots[i * lanes + lane]; });
        }
        return;
      }
      std::fill_n(exchanged, count, 0);
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t lane = 0; lane < count; ++lane) exchanged[lane] += pivots[i * lanes + lane] != i;
      }
    });
  });
}

template <class T, class I>
void run_lu(runtime::Queue& queue, const graph::Node& node, const FactorFunctions& functions,
            const runtime::Buffer& factors, const runtime::Buffer& order, const runtime::Buffer& exchanges) {
  const Stack stack(*node.inputs[0]);
  const double work = cube_of(stack.m, stack.n);
  const Shares shares = shares_of(queue, stack.matrices, work);
  const std::int64_t pivots = std::min(stack.m, stack.n);
  const auto in_all = [&](std::int64_t count) { return static_cast<std::uint64_t>(shares.stack * count); };
  const runtime::BufferRef columns = queue.allocate(in_all(stack.elements()) * sizeof(T), "lu"),
                           exchanged = queue.allocate(in_all(pivots) * sizeof(I), "lu");
  runtime::HostCommand command(queue, "lu_host");
  command.in(*node.inputs[0]->storage).out(factors).out(order).out(exchanges).out(*columns).out(*exchanged);
  const auto offset = node.inputs[0]->layout.offset;
  enqueue_factors(queue.traits(), node, command, shares, work * static_cast<double>(stack.matrices),
                  [stack, shares, functions, offset, pivots](std::span<void* const> at) {
                    const LapackCalls<T, I> lapack(functions);
                    for_each_matrix(shares, stack.matrices, [&](std::int64_t matrix, int thread) {
                      T* const a = static_cast<T*>(at[4]) + thread * stack.elements();
                      I* const pivot = static_cast<I*>(at[5]) + thread * pivots;
                      transpose(stack.m, stack.n, static_cast<const T*>(at[0]) + offset + matrix * stack.elements(), a);
                      getrf_in_parts(lapack, shares.parts, stack.m, stack.n, a, pivot);
                      transpose(stack.n, stack.m, a, static_cast<T*>(at[1]) + matrix * stack.elements());
                      static_cast<std::int64_t*>(at[3])[matrix] =
                          order_rows(static_cast<std::int64_t*>(at[2]) + matrix * stack.m, stack.m, pivots,
                                     [&](std::int64_t i) { return pivot[i] - 1; });
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
  enqueue_factors(queue.traits(), node, command, shares, work * static_cast<double>(stack.matrices),
                  [stack, shares, functions, a_offset, b_offset, info,
                   step = triangles.matrices == 1 ? 0 : triangles.elements()](std::span<void* const> at) {
                    const LapackCalls<T, I> lapack(functions);
                    for_each_matrix(shares, stack.matrices, [&](std::int64_t matrix, int) {
                      const std::int64_t n = stack.m, columns = stack.n;
                      const T* const a = static_cast<const T*>(at[0]) + a_offset + matrix * step;
                      const T* const b = static_cast<const T*>(at[1]) + b_offset + matrix * stack.elements();
                      T* const x = static_cast<T*>(at[2]) + matrix * stack.elements();
                      for (std::int64_t i = 0; i < n && !info.unit; ++i) {
                        if (a[i * n + i] == T(0)) report_position(at[3], matrix, i);
                      }
                      std::copy(b, b + stack.elements(), x);
                      // X^T A^T = B^T in column-major order, where A^T has the other triangle.
                      share_columns(shares.parts, columns, [&](std::int64_t first, std::int64_t count) {
                        lapack.trsm("R", info.upper ? "L" : "U", "N", info.unit ? "U" : "N", count, n, a, n, x + first,
                                    columns);
                      });
                    });
                  });
}

}  // namespace

const std::optional<FactorTable>& factor_functions() {
  static constinit base::FirstUse<std::optional<FactorTable>> known;
  return known.get([]() -> std::optional<FactorTable> {
    const HostLapack* const lapack = HostLapack::get();
    if (lapack == nullptr) return std::nullopt;
    FactorTable table{};
    for (std::size_t k = 0; k < table.size(); ++k) {
      const auto find = [&](const char* name) { return lapack->find(types[k], name); };
      FactorFunctions& f = table[k];
      // Real matrices are Hermitian where they are symmetric.
      const char* const hermitian = is_complex(types[k]) ? "hetrf" : "sytrf";
      f = {find("potrf"),  find("getrf"), find("laswp"), find("sytrf"), find(hermitian),
           find("geqrt3"), find("trsm"),  find("trsv"),  find("gemm")};
      for (const void* each : {f.potrf, f.getrf, f.laswp, f.sytrf, f.hetrf, f.geqrt3, f.trsm, f.trsv, f.gemm}) {
        if (each == nullptr) return std::nullopt;
      }
    }
    return table;
  });
}

bool factors_on_host(const graph::Place& place, std::int64_t largest) {
  return place.traits->host_commands && !place.reproducible && largest <= HostBlas::most &&
         factor_functions().has_value();
}

bool factors_on_host(const runtime::Queue& queue, const graph::Node& node) {
  const Stack stack(node), first(*node.inputs[0]);
  graph::Place place = node.place;
  place.traits = &queue.traits();
  return factors_on_host(place, std::max({stack.m, stack.n, first.m, first.n}));
}

bool factors_at_once(const DeviceTraits& traits, const graph::Node& node) {
  double work = 0;  // no less than each of them takes
  for (const graph::NodeRef& input : node.inputs) {
    const Stack stack(*input);
    work += 2 * cube_of(stack.m, stack.n) * static_cast<double>(stack.matrices);
    if (input != node.inputs[0]) {
      work += static_cast<double>(stack.m) * static_cast<double>(stack.elements() * stack.matrices);
    }
  }
  return multiplied_at_once(traits, work);
}

void run_cholesky_on_host(runtime::Queue& queue, const graph::Node& node, const runtime::Buffer& out) {
  with_types(node.dtype,
             [&]<class T, class I>(T, I, const FactorFunctions& f) { run_cholesky<T, I>(queue, node, f, out); });
}

void run_lu_on_host(runtime::Queue& queue, const graph::Node& node, const runtime::Buffer& factors,
                    const runtime::Buffer& order, const runtime::Buffer& exchanges) {
  with_types(node.dtype, [&]<class T, class I>(T, I, const FactorFunctions& f) {
    if constexpr (std::is_floating_point_v<T>) {
      const Stack stack(*node.inputs[0]);
      if (stack.m == stack.n && host::small_systems_suit<T>(stack.matrices, stack.n, 0)) {
        return run_small_lu<T>(queue, node, factors, order, exchanges);
      }
    }
    run_lu<T, I>(queue, node, f, factors, order, exchanges);
  });
}

void run_triangular_on_host(runtime::Queue& queue, const graph::Node& node, const runtime::Buffer& out) {
  with_types(node.dtype,
             [&]<class T, class I>(T, I, const FactorFunctions& f) { run_triangular<T, I>(queue, node, f, out); });
}

}  // namespace koine::exec
