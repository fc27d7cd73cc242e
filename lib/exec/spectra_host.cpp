// SPDX-License-Identifier: Apache-2.0
// Calling LAPACK's syevd, heevd and gesdd. To LAPACK, whose matrices lie column after column, a matrix here is its own
// transpose: x^T = conj(V) S U^T, so what it gives as left vectors lies in memory as the right ones do here, and the
// other way round. Of a Hermitian matrix the transpose is the conjugate, which is what it is copied as.
#include "exec/spectra_host.hpp"

#include "exec/conjugate.hpp"
#include "exec/host_lapack.hpp"
#include "exec/spectra_command.hpp"
#include "exec/spectra_parts.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

namespace koine::exec {
namespace {

const char* lapack_name(const SpectraProblem& problem) {
  return !problem.hermitian ? "gesdd" : is_complex(problem.type) ? "heevd" : "syevd";
}

/// LAPACK's functions for a type, with integers of that width.
template <class T, class Integer>
class Calls {
 public:
  using Element = T;
  using Real = typename RealOf<T>::type;
  using Value = Real;
  using Vector = T;
  static constexpr const char* name = "spectra_host";
  static constexpr bool complex = !std::is_same_v<T, Real>;

  Calls(const HostLapack& lapack, const SpectraProblem& problem)
      : problem_(problem),
        function_(lapack.find(problem.type, lapack_name(problem))),
        long_side_(static_cast<Integer>(problem.columns)),
        short_side_(static_cast<Integer>(problem.rows)),
        step_(static_cast<std::int64_t>(problem.columns)) {
    const auto rows = static_cast<std::size_t>(problem.rows), columns = static_cast<std::size_t>(problem.columns);
    if constexpr (!complex) {
      if (problem.threads > 1) {
        const std::int64_t m = long_side_, n = short_side_;
        parts_.emplace(lapack, problem.type);
        step_ = Parts::leading(m);
        room_ = {static_cast<std::size_t>(n * step_),
                 static_cast<std::size_t>(problem.hermitian ? Parts::eigen_work(n) : Parts::singular_work(m, n)), 0,
                 static_cast<std::size_t>(problem.hermitian ? Parts::eigen_integers(n) : Parts::singular_integers(n))};
        return;
      }
    }
    // Asked for the sizes of their work, they write them to the first elements.
    T work{};
    Real real{};
    Integer integers[1] = {};
    if (problem.hermitian) {
      eigen(nullptr, nullptr, &work, -1, &real, -1, integers, -1);
      room_ = {problem.vectors ? 0 : rows * rows, lapack_size(work), complex ? lapack_size(real) : 0,
               static_cast<std::size_t>(integers[0])};
    } else {
      singular(nullptr, nullptr, nullptr, nullptr, &work, -1, &real, integers);
      // The rest as LAPACK's manual has it.
      const std::size_t of_vectors = rows * std::max(5 * rows + 7, 2 * columns + 2 * rows + 1);
      room_ = {rows * columns, lapack_size(work), !complex ? 0 : problem.vectors ? of_vectors : 7 * rows, 8 * rows};
    }
  }

  /// Bytes for one matrix.
  std::size_t bytes() const {
    return aligned_room(room_.copy * sizeof(T)) + aligned_room(room_.work * sizeof(T)) +
           aligned_room(room_.real * sizeof(Real)) + aligned_room(room_.integers * sizeof(Integer));
  }

  /// What a fault's word says of matrix `number`, or nothing: as kernels/jacobi.cl.
  bool compute(std::int64_t number, const T* all, Real* all_values, T* all_left, T* all_right, std::byte* memory,
               std::int64_t* wrong) const {
    T* const copy = take_room<T>(memory, room_.copy);
    T* const work = take_room<T>(memory, room_.work);
    Real* const real = take_room<Real>(memory, room_.real);
    Integer* const integers = take_room<Integer>(memory, room_.integers);
    const auto rows = static_cast<std::size_t>(problem_.rows), columns = static_cast<std::size_t>(problem_.columns),
               kept = static_cast<std::size_t>(problem_.kept), at = static_cast<std::size_t>(number),
               step = static_cast<std::size_t>(step_);
    const T* const from = all + at * rows * columns;
    Real* const values = all_values + at * rows;
    T* const left = all_left == nullptr ? nullptr : all_left + at * rows * rows;
    T* const right = all_right == nullptr ? nullptr : all_right + at * kept * columns;
    T* const matrix = room_.copy == 0 ? right : copy;
    bool finite = true;
    Real largest = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t k = 0, last = problem_.hermitian ? i + 1 : columns; k < last; ++k) {
        const T value = from[i * columns + k];
        // The imaginary part of a Hermitian matrix's diagonal counts as 0.
        finite = finite && std::isfinite(std::real(value)) &&
                 (std::isfinite(std::imag(value)) || (problem_.hermitian && i == k));
        if constexpr (!complex) largest = std::max(largest, std::abs(value));
        matrix[i * step + k] = problem_.hermitian ? conjugate(value) : value;
      }
      if (parts_) std::fill(matrix + i * step + (problem_.hermitian ? i + 1 : columns), matrix + (i + 1) * step, T(0));
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
    const Integer info = decompose(largest, matrix, values, right, left, work, real, integers);
    if (info == 0) return true;
    no_values();
    *wrong = not_found(number, info <= short_side_ ? info : 1);  // larger ones say where, not how many
    return false;
  }

 private:
  using Parts = SpectraParts<Real, Integer>;

  /// Gives LAPACK's info.
  Integer decompose(Real largest, T* matrix, Real* values, T* right, T* left, T* work, Real* real,
                    Integer* integers) const {
    if constexpr (!complex) {
      if (parts_) {
        const std::int64_t m = long_side_, n = short_side_;
        const Real factor = Parts::factor(largest);
        if (factor != 1) std::for_each_n(matrix, n * step_, [&](Real& x) { x *= factor; });
        const Integer info =
            problem_.hermitian ? parts_->eigen(problem_.threads, n, matrix, values, right, work, integers)
                               : parts_->singular(problem_.threads, m, n, matrix, values, right, left, work, integers);
        if (factor != 1) std::for_each_n(values, n, [&](Real& x) { x /= factor; });
        return info;
      }
    }
    const auto work_size = static_cast<Integer>(room_.work);
    return problem_.hermitian ? eigen(matrix, values, work, work_size, real, static_cast<Integer>(room_.real), integers,
                                      static_cast<Integer>(room_.integers))
                              : singular(matrix, values, right, left, work, work_size, real, integers);
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
  std::int64_t step_;  // from one row of the copy to the next
  std::optional<const Parts> parts_;
  Room room_;
};

/// Those that share one matrix: of few large real ones, where LAPACK would take the steps that divide.
int threads_at_one(const runtime::Queue& queue, const SpectraProblem& p) {
  const auto units = std::min<std::uint64_t>(queue.traits().compute_units, static_cast<unsigned>(base::usable_cores()));
  const bool large = !is_complex(p.type) && p.vectors && p.rows >= SpectraParts<double, std::int32_t>::least;
  // Of what is longer gesdd takes a QR factorisation first.
  const bool divides = p.hermitian || (p.kept == p.rows && 6 * p.columns < 11 * p.rows);
  const HostLapack& lapack = *HostLapack::get();
  if (!large || !divides || p.batch >= units || lapack.blas().has_threads()) return 1;
  return SpectraParts<double, std::int32_t>(lapack, p.type).complete() ? static_cast<int>(units) : 1;
}

}  // namespace

bool HostSpectra::suits(const runtime::Queue& queue, const SpectraProblem& p) {
  return lapack_takes(queue, p, lapack_name(p));
}

HostSpectra::HostSpectra(Programs& programs, runtime::Queue& queue, const SpectraProblem& problem)
    : queue_(queue), problem_(problem) {
  problem_.threads = threads_at_one(queue, problem);
  programs.host_command("spectra_host", spectra_at_once(queue.traits(), problem));
}

void HostSpectra::run(const SpectraMemory& memory, std::shared_ptr<runtime::Fault> fault) const {
  run_lapack_spectra<Calls>(queue_, problem_, memory, std::move(fault));
}

}  // namespace koine::exec
