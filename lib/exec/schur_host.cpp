// SPDX-License-Identifier: Apache-2.0
// Calling LAPACK's gees on transposed copies, since its matrices lie column after column.
#include "exec/schur_host.hpp"

#include "exec/host_lapack.hpp"
#include "exec/spectra_command.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace koine::exec {
namespace {

/// LAPACK's function for a type, with integers of that width. Triangles are the values of the command, and vectors the
/// columns that belong to them.
template <class T, class Integer>
class SchurCalls {
 public:
  using Element = T;
  using Real = typename RealOf<T>::type;
  using Value = T;
  using Vector = T;
  static constexpr const char* name = "schur_host";
  static constexpr bool complex = !std::is_same_v<T, Real>;

  SchurCalls(const HostLapack& lapack, const SpectraProblem& problem)
      : rows_(static_cast<std::size_t>(problem.rows)), function_(lapack.find(problem.type, "gees")) {
    // Asked for the size of its work, it writes that to the first element.
    T work{};
    gees(nullptr, nullptr, nullptr, &work, -1, nullptr);
    room_ = {2 * rows_ * rows_ + 2 * rows_, lapack_size(work), rows_, 0};
  }

  std::size_t bytes() const {
    return aligned_room(room_.copy * sizeof(T)) + aligned_room(room_.work * sizeof(T)) +
           aligned_room(room_.real * sizeof(Real));
  }

  bool compute(std::int64_t number, const T* all, T* all_triangles, T*, T* all_vectors, std::byte* memory,
               std::int64_t* wrong) const {
    T* const copy = take_room<T>(memory, room_.copy);
    T* const work = take_room<T>(memory, room_.work);
    Real* const real = take_room<Real>(memory, room_.real);
    const std::size_t n = rows_, at = static_cast<std::size_t>(number) * n * n;
    bool finite = true;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < n; ++k) {
        const T value = copy[k * n + i] = all[at + i * n + k];
        finite = finite && std::isfinite(std::real(value)) && std::isfinite(std::imag(value));
      }
    }
    T *const vectors = copy + n * n, *const values = vectors + n * n;
    const Integer info = finite ? gees(copy, values, vectors, work, static_cast<Integer>(room_.work), real) : 0;
    if (!finite || info != 0) {
      std::fill_n(copy, 2 * n * n, T(std::numeric_limits<Real>::quiet_NaN()));
      *wrong = finite ? not_found(number, info) : number;
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < n; ++k) {
        all_triangles[at + i * n + k] = copy[k * n + i];
        all_vectors[at + i * n + k] = vectors[k * n + i];
      }
    }
    return finite && info == 0;
  }

 private:
  // Of real matrices `values` are the real parts and, behind them, the imaginary ones. Behind the arguments stand the
  // lengths of texts. Nothing is sorted, so no function chooses, and no flags are written.
  Integer gees(T* a, T* values, T* vectors, T* work, Integer work_size, Real* real) const {
    const char wanted = 'V', unsorted = 'N';
    const auto n = static_cast<Integer>(rows_);
    Integer info = 0, sorted = 0;
    if constexpr (complex) {
      reinterpret_cast<void (*)(const char*, const char*, void*, const Integer*, T*, const Integer*, Integer*, T*, T*,
                                const Integer*, T*, const Integer*, Real*, Integer*, Integer*, std::size_t,
                                std::size_t)>(function_)(&wanted, &unsorted, nullptr, &n, a, &n, &sorted, values,
                                                         vectors, &n, work, &work_size, real, nullptr, &info, 1, 1);
    } else {
      reinterpret_cast<void (*)(const char*, const char*, void*, const Integer*, T*, const Integer*, Integer*, T*, T*,
                                T*, const Integer*, T*, const Integer*, Integer*, Integer*, std::size_t, std::size_t)>(
          function_)(&wanted, &unsorted, nullptr, &n, a, &n, &sorted, values, values + rows_, vectors, &n, work,
                     &work_size, nullptr, &info, 1, 1);
    }
    return info;
  }

  const std::size_t rows_;
  void* const function_;
  Room room_;
};

}  // namespace

bool schur_on_host(const runtime::Queue& queue, const SpectraProblem& p) { return lapack_takes(queue, p, "gees"); }

void run_schur_on_host(runtime::Queue& queue, const SpectraProblem& p, const SpectraMemory& memory,
                       std::shared_ptr<runtime::Fault> fault) {
  run_lapack_spectra<SchurCalls>(queue, p, memory, std::move(fault));
}

}  // namespace koine::exec
