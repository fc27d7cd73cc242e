// SPDX-License-Identifier: Apache-2.0
// Calling LAPACK's sytrf and hetrf on transposed copies, since its matrices lie column after column.
#include "exec/conjugate.hpp"
#include "exec/factor_command.hpp"
#include "exec/factor_host.hpp"

#include <cstdlib>
#include <span>

namespace koine::exec {
namespace {

/// Of LAPACK's result, in column-major order, the triangle with its rows as they were, the block diagonal matrix, and
/// which rows make the triangle. LAPACK exchanges rows of a column as long as it is not divided by its pivot.
template <class T, class I>
void unpack(bool hermitian, std::int64_t n, T* a, const I* pivots, T* lower, T* diagonal, std::int64_t* order) {
  const auto at = [&](std::int64_t i, std::int64_t j) -> T& { return a[j * n + i]; };
  const auto mirrored = [&](const T& value) { return hermitian ? conjugate(value) : value; };
  std::fill(diagonal, diagonal + n * n, T(0));
  for (std::int64_t i = 0; i < n; ++i) order[i] = i;
  for (std::int64_t k = 0; k < n; ++k) {
    const bool two = pivots[k] < 0;
    const std::int64_t last = two ? k + 1 : k, with = std::abs(static_cast<std::int64_t>(pivots[k])) - 1;
    for (std::int64_t j = 0; j < k && with != last; ++j) std::swap(at(last, j), at(with, j));
    std::swap(order[last], order[with]);
    diagonal[k * n + k] = at(k, k);
    if (!two) continue;
    diagonal[last * n + k] = std::exchange(at(last, k), T(0));
    diagonal[k * n + last] = mirrored(diagonal[last * n + k]);
    diagonal[last * n + last] = at(last, last);
    k = last;
  }
  for (std::int64_t i = 0; i < n; ++i) {
    T* const row = lower + order[i] * n;
    for (std::int64_t j = 0; j < n; ++j) row[j] = j < i ? at(i, j) : T(j == i ? 1 : 0);
  }
}

template <class T, class I>
void run(runtime::Queue& queue, const graph::Node& node, const FactorFunctions& functions, const runtime::Buffer& lower,
         const runtime::Buffer& diagonal, const runtime::Buffer& order) {
  const Stack stack(*node.inputs[0]);
  const double work = cube_of(stack.n, stack.n) / 3;
  Shares shares = shares_of(queue, stack.matrices, work);
  shares.parts = 1;
  const std::int64_t n = stack.n, room = n * n + n * 64;
  const auto in_all = [&](std::int64_t count) { return static_cast<std::uint64_t>(shares.stack * count); };
  const runtime::BufferRef scratch = queue.allocate(in_all(room) * sizeof(T), function_of(node)),
                           exchanged = queue.allocate(in_all(n) * sizeof(I), function_of(node));
  runtime::HostCommand command(queue, "ldl_host");
  command.in(*node.inputs[0]->storage).out(lower).out(diagonal).out(order).out(*scratch).out(*exchanged);
  const auto offset = node.inputs[0]->layout.offset;
  const bool hermitian = node.get<graph::Op::ldl>().hermitian;
  enqueue_factors(queue.traits(), node, command, shares, work * static_cast<double>(stack.matrices),
                  [stack, shares, functions, offset, hermitian, room, n](std::span<void* const> at) {
                    const LapackCalls<T, I> lapack(functions);
                    for_each_matrix(shares, stack.matrices, [&](std::int64_t matrix, int thread) {
                      const T* const from = static_cast<const T*>(at[0]) + offset + matrix * n * n;
                      T* const a = static_cast<T*>(at[4]) + thread * room;
                      I* const pivots = static_cast<I*>(at[5]) + thread * n;
                      for (std::int64_t i = 0; i < n; ++i) {
                        for (std::int64_t j = 0; j <= i; ++j) a[j * n + i] = from[i * n + j];
                      }
                      lapack.sytrf(hermitian, n, a, pivots, a + n * n);
                      unpack(hermitian, n, a, pivots, static_cast<T*>(at[1]) + matrix * n * n,
                             static_cast<T*>(at[2]) + matrix * n * n, static_cast<std::int64_t*>(at[3]) + matrix * n);
                    });
                  });
}

}  // namespace

void run_ldl_on_host(runtime::Queue& queue, const graph::Node& node, const runtime::Buffer& lower,
                     const runtime::Buffer& diagonal, const runtime::Buffer& order) {
  with_types(node.dtype, [&]<class T, class I>(T, I, const FactorFunctions& f) {
    run<T, I>(queue, node, f, lower, diagonal, order);
  });
}

}  // namespace koine::exec
