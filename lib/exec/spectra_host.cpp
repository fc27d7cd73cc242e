// SPDX-License-Identifier: Apache-2.0
// Calling LAPACK's syevd, heevd and gesdd. To LAPACK, whose matrices lie column after column, a matrix here is its own
// transpose: x^T = conj(V) S U^T, so what it gives as left vectors lies in memory as the right ones do here, and the
// other way round. Of a Hermitian matrix the transpose is the conjugate, which is what it is copied as.
#include "exec/spectra_host.hpp"

#include "base/parallel.hpp"
#include "exec/host_lapack.hpp"
#include "runtime/fault.hpp"
#include "runtime/host_command.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

namespace koine::exec {
namespace {

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

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

/// LAPACK's functions for a type, with integers of that width.
template <class T, class Integer>
class Calls {
 public:
  using Real = typename RealOf<T>::type;
  static constexpr bool complex = !std::is_same_v<T, Real>;

  Calls(const HostLapack& lapack, const SpectraProblem& problem)
      : problem_(problem),
        function_(lapack.find(problem.type, problem.hermitian ? (complex ? "heevd" : "syevd") : "gesdd")),
        long_side_(static_cast<Integer>(problem.columns)),
        short_side_(static_cast<Integer>(problem.rows)) {
    const auto rows = static_cast<std::size_t>(problem.rows), columns = static_cast<std::size_t>(problem.columns);
    // Asked for the sizes of their work, they write them to the first elements.
    T work{};
    Real real{};
    Integer integers[1] = {};
    if (problem.hermitian) {
      eigen(nullptr, nullptr, &work, -1, &real, -1, integers, -1);
      room_ = {problem.vectors ? 0 : rows * rows, told(work), complex ? told(real) : 0,
               static_cast<std::size_t>(integers[0])};
    } else {
      singular(nullptr, nullptr, nullptr, nullptr, &work, -1, &real, integers);
      // The rest as LAPACK's manual has it.
      const std::size_t of_vectors = rows * std::max(5 * rows + 7, 2 * columns + 2 * rows + 1);
      room_ = {rows * columns, told(work), !complex ? 0 : problem.vectors ? of_vectors : 7 * rows, 8 * rows};
    }
  }

  /// Bytes for one matrix.
  std::size_t bytes() const {
    return aligned(room_.copy * sizeof(T)) + aligned(room_.work * sizeof(T)) + aligned(room_.real * sizeof(Real)) +
           aligned(room_.integers * sizeof(Integer));
  }

  /// What a fault's word says of matrix `number`, or nothing: as kernels/jacobi.cl.
  bool compute(std::int64_t number, const T* all, Real* all_values, T* all_left, T* all_right, std::byte* memory,
               std::int64_t* wrong) const {
    const auto take = [&]<class E>(std::size_t count, E*) {
      return reinterpret_cast<E*>(std::exchange(memory, memory + aligned(count * sizeof(E))));
    };
    T* const copy = take(room_.copy, static_cast<T*>(nullptr));
    T* const work = take(room_.work, static_cast<T*>(nullptr));
    Real* const real = take(room_.real, static_cast<Real*>(nullptr));
    Integer* const integers = take(room_.integers, static_cast<Integer*>(nullptr));
    const auto rows = static_cast<std::size_t>(problem_.rows), columns = static_cast<std::size_t>(problem_.columns),
               kept = static_cast<std::size_t>(problem_.kept), at = static_cast<std::size_t>(number);
    const T* const from = all + at * rows * columns;
    Real* const values = all_values + at * rows;
    T* const left = all_left == nullptr ? nullptr : all_left + at * rows * rows;
    T* const right = all_right == nullptr ? nullptr : all_right + at * kept * columns;
    T* const matrix = room_.copy == 0 ? right : copy;
    bool finite = true;
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t k = 0, last = problem_.hermitian ? i + 1 : columns; k < last; ++k) {
        const T value = from[i * columns + k];
        // The imaginary part of a Hermitian matrix's diagonal counts as 0.
        finite = finite && std::isfinite(std::real(value)) &&
                 (std::isfinite(std::imag(value)) || (problem_.hermitian && i == k));
        if constexpr (complex) {
          matrix[i * columns + k] = problem_.hermitian ? std::conj(value) : value;
        } else {
          matrix[i * columns + k] = value;
        }
      }
    }
    const auto no_values = [&] {
      const Real nan = std::numeric_limits<Real>::quiet_NaN();
      std::fill_n(values, rows, nan);
      if (left != nullptr) std::fill_n(left, rows * rows, T(nan));
      if (right != nullptr) std::fill_n(right, kept * columns, T(nan));
    };
    if (!finite) {
      no_values();
      *wrong = number;
      return false;
    }
    const auto size_of_room = [](std::size_t size) { return static_cast<Integer>(size); };
    const Integer info = problem_.hermitian
                             ? eigen(matrix, values, work, size_of_room(room_.work), real, size_of_room(room_.real),
                                     integers, size_of_room(room_.integers))
                             : singular(matrix, values, right, left, work, size_of_room(room_.work), real, integers);
    if (info == 0) return true;
    no_values();
    *wrong = -1 - number;
    return false;
  }

 private:
  /// As a size; in float32 large ones are rounded, perhaps down.
  static std::size_t told(const T& size) {
    return static_cast<std::size_t>(std::ceil(static_cast<double>(std::real(size)) *
                                              (1 + static_cast<double>(std::numeric_limits<Real>::epsilon()))));
  }

  // Behind the arguments stand the lengths of texts.
  Integer eigen(T* a, Real* values, T* work, Integer work_size, Real* real, Integer real_size, Integer* integers,
                Integer integers_size) const {
    const char job = problem_.vectors ? 'V' : 'N', triangle = 'U';
    Integer info = 0;
    if constexpr (complex) {
      reinterpret_cast<void (*)(const char*, const char*, const Integer*, T*, const Integer*, Real*, T*, const Integer*,
                                Real*, const Integer*, Integer*, const Integer*, Integer*, std::size_t, std::size_t)>(
          function_)(&job, &triangle, &short_side_, a, &short_side_, values, work, &work_size, real, &real_size,
                     integers, &integers_size, &info, 1, 1);
    } else {
      reinterpret_cast<void (*)(const char*, const char*, const Integer*, T*, const Integer*, Real*, T*, const Integer*,
                                Integer*, const Integer*, Integer*, std::size_t, std::size_t)>(function_)(
          &job, &triangle, &short_side_, a, &short_side_, values, work, &work_size, integers, &integers_size, &info, 1,
          1);
    }
    return info;
  }

  Integer singular(T* a, Real* values, T* u, T* vt, T* work, Integer work_size, Real* real, Integer* integers) const {
    const char job = !problem_.vectors ? 'N' : problem_.kept > problem_.rows ? 'A' : 'S';
    Integer info = 0;
    if constexpr (complex) {
      reinterpret_cast<void (*)(const char*, const Integer*, const Integer*, T*, const Integer*, Real*, T*,
                                const Integer*, T*, const Integer*, T*, const Integer*, Real*, Integer*, Integer*,
                                std::size_t)>(function_)(&job, &long_side_, &short_side_, a, &long_side_, values, u,
                                                         &long_side_, vt, &short_side_, work, &work_size, real,
                                                         integers, &info, 1);
    } else {
      reinterpret_cast<void (*)(const char*, const Integer*, const Integer*, T*, const Integer*, Real*, T*,
                                const Integer*, T*, const Integer*, T*, const Integer*, Integer*, Integer*,
                                std::size_t)>(function_)(&job, &long_side_, &short_side_, a, &long_side_, values, u,
                                                         &long_side_, vt, &short_side_, work, &work_size, integers,
                                                         &info, 1);
    }
    return info;
  }

  const SpectraProblem problem_;
  void* const function_;
  const Integer long_side_, short_side_;
  Room room_;
};

template <class T, class Integer>
void run(runtime::Queue& queue, const HostLapack& lapack, const SpectraProblem& p, const SpectraMemory& memory,
         std::shared_ptr<runtime::Fault> fault) {
  using Real = typename RealOf<T>::type;
  const Calls<T, Integer> calls(lapack, p);
  // Multiplications, some, that are worth a thread; and that take as long as a command.
  constexpr double least = 1 << 17, least_command = 1 << 14;
  const double work =
      static_cast<double>(p.batch) * static_cast<double>(p.rows) * static_cast<double>(p.rows * p.columns);
  const auto most = std::min<std::uint64_t>(
      {p.batch, queue.traits().compute_units, static_cast<std::uint64_t>(base::usable_cores())});
  const int threads =
      lapack.blas().has_threads() ? 1 : static_cast<int>(std::clamp(work / least, 1.0, static_cast<double>(most)));
  lapack.blas().check_room(threads);
  const runtime::BufferRef room = queue.allocate(static_cast<std::uint64_t>(threads) * calls.bytes(), p.function);
  const auto or_values = [&](const runtime::BufferRef& buffer) -> const runtime::Buffer& {
    return buffer ? *buffer : *memory.values;
  };
  runtime::HostCommand command(queue, "spectra_host");
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
        if (calls.compute(number, static_cast<const T*>(at[0]) + offset, static_cast<Real*>(at[1]),
                          has_left ? static_cast<T*>(at[2]) : nullptr, has_right ? static_cast<T*>(at[3]) : nullptr,
                          own, &wrong)) {
          continue;
        }
        // As a kernel would: one of several.
        if (!reported.exchange(true)) *static_cast<runtime::FaultWord*>(at[5]) = {1, 0, wrong};
      }
    };
    base::in_parallel(threads, std::ref(some));
  });
  work <= least_command ? command.run_small(std::move(function)) : command.run(std::move(function));
}

template <class T>
void run(runtime::Queue& queue, const HostLapack& lapack, const SpectraProblem& p, const SpectraMemory& memory,
         std::shared_ptr<runtime::Fault> fault) {
  lapack.wide() ? run<T, std::int64_t>(queue, lapack, p, memory, std::move(fault))
                : run<T, std::int32_t>(queue, lapack, p, memory, std::move(fault));
}

}  // namespace

bool HostSpectra::suits(const runtime::Queue& queue, const SpectraProblem& p) {
  // Of work LAPACK takes several matrices, and counts the elements.
  constexpr std::uint64_t most_elements = std::uint64_t{1} << 28;
  if (!queue.traits().host_commands || p.columns * std::max(p.kept, p.rows) > most_elements) return false;
  const HostLapack* const lapack = HostLapack::get();
  if (lapack == nullptr) return false;
  const bool complex = is_complex(p.type);
  return lapack->find(p.type, p.hermitian ? (complex ? "heevd" : "syevd") : "gesdd") != nullptr;
}

HostSpectra::HostSpectra(Programs& programs, runtime::Queue& queue, const SpectraProblem& problem)
    : queue_(queue), problem_(problem) {
  programs.host_command("spectra_host");
}

void HostSpectra::run(const SpectraMemory& memory, std::shared_ptr<runtime::Fault> fault) const {
  const HostLapack& lapack = *HostLapack::get();
  switch (problem_.type) {
    case DType::float32: return exec::run<float>(queue_, lapack, problem_, memory, std::move(fault));
    case DType::float64: return exec::run<double>(queue_, lapack, problem_, memory, std::move(fault));
    case DType::complex64: return exec::run<std::complex<float>>(queue_, lapack, problem_, memory, std::move(fault));
    default: return exec::run<std::complex<double>>(queue_, lapack, problem_, memory, std::move(fault));
  }
}

}  // namespace koine::exec
