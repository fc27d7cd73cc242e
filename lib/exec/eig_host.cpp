// SPDX-License-Identifier: Apache-2.0
// Calling LAPACK's geev on transposed copies, since its matrices lie column after column. Its vectors then lie one
// after the other; those of real matrices that are complex come in pairs, a real and an imaginary part.
#include "exec/eig_host.hpp"

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

/// LAPACK's function for a type, with integers of that width.
template <class T, class Integer>
class EigCalls {
 public:
  using Element = T;
  using Real = typename RealOf<T>::type;
  using Value = std::complex<Real>;
  using Vector = Value;
  static constexpr const char* name = "eig_host";
  static constexpr bool complex = !std::is_same_v<T, Real>;

  EigCalls(const HostLapack& lapack, const SpectraProblem& problem)
      : vectors_(problem.vectors),
        rows_(static_cast<std::size_t>(problem.rows)),
        function_(lapack.find(problem.type, "geev")) {
    // Asked for the size of its work, it writes that to the first elements.
    T work{};
    Real real{};
    geev(nullptr, nullptr, nullptr, &work, -1, &real);
    // Complex vectors come where they are to lie.
    room_ = {rows_ * rows_ * (vectors_ && !complex ? 2 : 1), lapack_size(work), 2 * rows_, 0};
  }

  std::size_t bytes() const {
    return aligned_room(room_.copy * sizeof(T)) + aligned_room(room_.work * sizeof(T)) +
           aligned_room(room_.real * sizeof(Real));
  }

  bool compute(std::int64_t number, const T* all, Value* all_values, Vector*, Vector* all_vectors, std::byte* memory,
               std::int64_t* wrong) const {
    T* const copy = take_room<T>(memory, room_.copy);
    T* const work = take_room<T>(memory, room_.work);
    Real* const real = take_room<Real>(memory, room_.real);
    const std::size_t n = rows_, at = static_cast<std::size_t>(number);
    const T* const from = all + at * n * n;
    Value* const values = all_values + at * n;
    Vector* const vectors = vectors_ ? all_vectors + at * n * n : nullptr;
    bool finite = true;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < n; ++k) {
        const T value = copy[k * n + i] = from[i * n + k];
        finite = finite && std::isfinite(std::real(value)) && std::isfinite(std::imag(value));
      }
    }
    Integer info = 0;
    if constexpr (complex) {
      if (finite) info = geev(copy, values, vectors, work, static_cast<Integer>(room_.work), real);
    } else {
      T* const packed = copy + n * n;
      if (finite) info = geev(copy, real, packed, work, static_cast<Integer>(room_.work), real + n);
      for (std::size_t k = 0; k < n; ++k) values[k] = {real[k], real[n + k]};
      for (std::size_t k = 0; k < n && vectors_; ++k) {
        // Of a pair the one with the positive imaginary part comes first.
        const bool pair = real[n + k] != 0 && k + 1 < n;
        const T* const v = packed + k * n;
        for (std::size_t i = 0; i < n; ++i) {
          vectors[k * n + i] = {v[i], pair ? v[n + i] : 0};
          if (pair) vectors[(k + 1) * n + i] = {v[i], -v[n + i]};
        }
        k += pair ? 1 : 0;
      }
    }
    if (finite && info == 0) return true;
    const Real nan = std::numeric_limits<Real>::quiet_NaN();
    std::fill_n(values, n, Value(nan, nan));
    if (vectors_) std::fill_n(vectors, n * n, Vector(nan, nan));
    *wrong = finite ? not_found(number, info) : number;
    return false;
  }

 private:
  // Of real matrices `values` are the real parts and `real` the imaginary ones. Behind the arguments stand the lengths
  // of texts.
  Integer geev(T* a, void* values, T* vectors, T* work, Integer work_size, Real* real) const {
    const char left = 'N', right = vectors_ ? 'V' : 'N';
    const auto n = static_cast<Integer>(rows_);
    Integer info = 0;
    if constexpr (complex) {
      reinterpret_cast<void (*)(const char*, const char*, const Integer*, T*, const Integer*, T*, T*, const Integer*,
                                T*, const Integer*, T*, const Integer*, Real*, Integer*, std::size_t, std::size_t)>(
          function_)(&left, &right, &n, a, &n, static_cast<T*>(values), nullptr, &n, vectors, &n, work, &work_size,
                     real, &info, 1, 1);
    } else {
      reinterpret_cast<void (*)(const char*, const char*, const Integer*, T*, const Integer*, T*, T*, T*,
                                const Integer*, T*, const Integer*, T*, const Integer*, Integer*, std::size_t,
                                std::size_t)>(function_)(&left, &right, &n, a, &n, static_cast<T*>(values), real,
                                                         nullptr, &n, vectors, &n, work, &work_size, &info, 1, 1);
    }
    return info;
  }

  const bool vectors_;
  const std::size_t rows_;
  void* const function_;
  Room room_;
};

}  // namespace

bool eig_on_host(const runtime::Queue& queue, const SpectraProblem& p) { return lapack_takes(queue, p, "geev"); }

void run_eig_on_host(runtime::Queue& queue, const SpectraProblem& p, const SpectraMemory& memory,
                     std::shared_ptr<runtime::Fault> fault) {
  run_lapack_spectra<EigCalls>(queue, p, memory, std::move(fault));
}

}  // namespace koine::exec
