// SPDX-License-Identifier: Apache-2.0
// A command of the host in which LAPACK takes the matrices of a stack, several threads at once: what those of
// spectra_host.cpp and eig_host.cpp share.
#pragma once

#include "base/parallel.hpp"
#include "exec/host_lapack.hpp"
#include "exec/host_run.hpp"
#include "exec/spectra.hpp"
#include "runtime/fault.hpp"
#include "runtime/host_command.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <utility>

namespace koine::exec {

template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};

/// What one matrix takes beside the results, in the elements of each kind.
struct Room {
  std::size_t copy = 0, work = 0, real = 0, integers = 0;
};

constexpr std::size_t aligned_room(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

/// Room for elements of one kind, of memory that goes on behind it.
template <class E>
E* take_room(std::byte*& memory, std::size_t count) {
  return reinterpret_cast<E*>(std::exchange(memory, memory + aligned_room(count * sizeof(E))));
}

/// What LAPACK, asked for the size of its work, says there, as a size; in float32 large ones are rounded, perhaps down.
template <class T>
std::size_t lapack_size(const T& size) {
  using Real = typename RealOf<T>::type;
  return static_cast<std::size_t>(std::ceil(static_cast<double>(std::real(size)) *
                                            (1 + static_cast<double>(std::numeric_limits<Real>::epsilon()))));
}

/// Whether there is a LAPACK with that function, the device runs host commands, and LAPACK's integers hold the sizes.
inline bool lapack_takes(const runtime::Queue& queue, const SpectraProblem& p, const char* function) {
  // Of work LAPACK takes several matrices, and counts the elements.
  constexpr std::uint64_t most_elements = std::uint64_t{1} << 28;
  if (!queue.traits().host_commands || p.columns * std::max(p.kept, p.rows) > most_elements) return false;
  const HostLapack* const lapack = HostLapack::get();
  return lapack != nullptr && lapack->find(p.type, function) != nullptr;
}

/// About how many multiplications a stack takes.
inline double spectra_work(const SpectraProblem& p) {
  return static_cast<double>(p.batch) * static_cast<double>(p.rows) * static_cast<double>(p.rows * p.columns);
}
/// Whether that takes no longer than a command.
inline bool spectra_at_once(const DeviceTraits& traits, const SpectraProblem& p) {
  constexpr double steps = 16;  // that each of them is made in
  return multiplied_at_once(traits, steps * spectra_work(p));
}

template <class Calls>
void enqueue_lapack_spectra(runtime::Queue& queue, const HostLapack& lapack, const Calls& calls,
                            const SpectraProblem& p, const SpectraMemory& memory,
                            std::shared_ptr<runtime::Fault> fault) {
  using Element = typename Calls::Element;
  using Value = typename Calls::Value;
  using Vector = typename Calls::Vector;
  const double least = 2.0 * queue.traits().tuning.thread_work;
  const double work = spectra_work(p);
  const auto most = std::min<std::uint64_t>(
      {p.batch, queue.traits().compute_units, static_cast<std::uint64_t>(base::usable_cores())});
  // Those that share a matrix take one after the other.
  const int threads = p.threads > 1 || lapack.blas().has_threads()
                          ? 1
                          : static_cast<int>(std::clamp(work / least, 1.0, static_cast<double>(most)));
  lapack.blas().check_room(std::max(threads, p.threads), p.function);
  const runtime::BufferRef room = queue.allocate(static_cast<std::uint64_t>(threads) * calls.bytes(), p.function);
  const auto or_values = [&](const runtime::BufferRef& buffer) -> const runtime::Buffer& {
    return buffer ? *buffer : *memory.values;
  };
  runtime::HostCommand command(queue, Calls::name);
  command.in(memory.from).out(*memory.values).out(or_values(memory.left)).out(or_values(memory.right)).out(*room);
  command.fault(std::move(fault));
  runtime::HostCommand::Function function([calls, threads, batch = static_cast<std::int64_t>(p.batch),
                                           offset = memory.offset, has_left = memory.left != nullptr,
                                           has_right = memory.right != nullptr](std::span<void* const> at) {
    std::atomic<std::int64_t> next{0};
    std::atomic<std::size_t> who{0};
    std::atomic<bool> reported{false};
    const auto some = [&] {
      std::byte* const own =
          static_cast<std::byte*>(at[4]) + who.fetch_add(1, std::memory_order_relaxed) * calls.bytes();
      for (std::int64_t number; (number = next.fetch_add(1, std::memory_order_relaxed)) < batch;) {
        std::int64_t wrong = 0;
        if (calls.compute(number, static_cast<const Element*>(at[0]) + offset, static_cast<Value*>(at[1]),
                          has_left ? static_cast<Vector*>(at[2]) : nullptr,
                          has_right ? static_cast<Vector*>(at[3]) : nullptr, own, &wrong)) {
          continue;
        }
        // As a kernel would: one of several.
        if (!reported.exchange(true)) *static_cast<runtime::FaultWord*>(at[5]) = {1, 0, wrong};
      }
    };
    base::in_parallel(threads, std::ref(some));
  });
  spectra_at_once(queue.traits(), p) ? command.run_small(std::move(function)) : command.run(std::move(function));
}

/// Enqueues the command. Calls<T, Integer>, of a type of elements and of LAPACK's integers, says its name, its types
/// Element, Value and Vector, how many bytes() a matrix takes, and how to compute() one, which is false where a fault's
/// word says what is wrong. Throws OutOfMemory where LAPACK would find no memory for its panels.
template <template <class, class> class Calls>
void run_lapack_spectra(runtime::Queue& queue, const SpectraProblem& p, const SpectraMemory& memory,
                        std::shared_ptr<runtime::Fault> fault) {
  const HostLapack& lapack = *HostLapack::get();
  const auto with = [&]<class T, class Integer>(T, Integer) {
    enqueue_lapack_spectra(queue, lapack, Calls<T, Integer>(lapack, p), p, memory, std::move(fault));
  };
  const auto with_type = [&]<class T>(T element) {
    lapack.wide() ? with(element, std::int64_t{}) : with(element, std::int32_t{});
  };
  switch (p.type) {
    case DType::float32: return with_type(float{});
    case DType::float64: return with_type(double{});
    case DType::complex64: return with_type(std::complex<float>{});
    default: return with_type(std::complex<double>{});
  }
}

}  // namespace koine::exec
