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
        function_(lapack.find(problem.type, "geev")),
        unscaled_(lapack.find(problem.type, "geevx")) {
    // Asked for the size of its work, it writes that to the first elements.
    T work{};
    Real real{};
    geev(nullptr, nullptr, nullptr, &work, -1, &real);
    // Complex vectors come where they are to lie.
    room_ = {rows_ * rows_ * (vectors_ && !complex ? 2 : 1), lapack_size(work), 3 * rows_, 0};
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
    Real largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < n; ++k) {
        const T value = copy[k * n + i] = from[i * n + k];
        finite = finite && std::isfinite(std::real(value)) && std::isfinite(std::imag(value));
        largest = std::max(largest, size_of(value));
      }
    }
    const bool scaled = unscaled_ == nullptr || !scaling_misleads(copy, largest);
    const auto compute = [&](void* to, T* to_vectors, Real* other) {
      const auto work_size = static_cast<Integer>(room_.work);
      return scaled ? geev(copy, to, to_vectors, work, work_size, other)
                    : geevx(copy, to, to_vectors, work, work_size, other, real + 2 * n);
    };
    Integer info = 0;
    if constexpr (complex) {
      if (finite) info = compute(values, vectors, real);
    } else {
      T* const packed = copy + n * n;
      if (finite) info = compute(real, packed, real + n);
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
  static Real size_of(T value) { return std::max(std::abs(std::real(value)), std::abs(std::imag(value))); }

  // geev scales rows and columns until elements that face each other are alike, and takes them for nothing where their
  // product is below the smallest number. So an element that is lost beside all others would take one away that counts,
  // as 1e-37 does in ((-1.5, 1e-37), (1, 0)). What geev scales as a whole first has its bounds there.
  bool scaling_misleads(const T* matrix, Real largest) const {
    constexpr Real digits = std::numeric_limits<Real>::epsilon(), smallest = std::numeric_limits<Real>::min();
    const Real low = std::sqrt(smallest) / digits;
    const Real scale = largest < low ? largest / low : std::max(Real(1), largest * low);
    const Real lost = static_cast<Real>(rows_) * (smallest / digits / digits) * scale;
    for (std::size_t k = 0; k < rows_; ++k) {
      for (std::size_t i = 0; i < rows_; ++i) {
        const Real size = size_of(matrix[k * rows_ + i]);
        if (i != k && size != 0 && size < lost) return true;
      }
    }
    return false;
  }

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

  /// The same without scaling; `scale` is room for as many numbers as there are rows.
  Integer geevx(T* a, void* values, T* vectors, T* work, Integer work_size, Real* real, Real* scale) const {
    const char permuted = 'P', none = 'N', right = vectors_ ? 'V' : 'N';
    const auto n = static_cast<Integer>(rows_);
    Integer info = 0, low = 0, high = 0;
    Real norm = 0;
    if constexpr (complex) {
      reinterpret_cast<void (*)(const char*, const char*, const char*, const char*, const Integer*, T*, const Integer*,
                                T*, T*, const Integer*, T*, const Integer*, Integer*, Integer*, Real*, Real*, Real*,
                                Real*, T*, const Integer*, Real*, Integer*, std::size_t, std::size_t, std::size_t,
                                std::size_t)>(unscaled_)(
          &permuted, &none, &right, &none, &n, a, &n, static_cast<T*>(values), nullptr, &n, vectors, &n, &low, &high,
          scale, &norm, nullptr, nullptr, work, &work_size, real, &info, 1, 1, 1, 1);
    } else {
      reinterpret_cast<void (*)(const char*, const char*, const char*, const char*, const Integer*, T*, const Integer*,
                                T*, T*, T*, const Integer*, T*, const Integer*, Integer*, Integer*, Real*, Real*, Real*,
                                Real*, T*, const Integer*, Integer*, Integer*, std::size_t, std::size_t, std::size_t,
                                std::size_t)>(unscaled_)(
          &permuted, &none, &right, &none, &n, a, &n, static_cast<T*>(values), real, nullptr, &n, vectors, &n, &low,
          &high, scale, &norm, nullptr, nullptr, work, &work_size, nullptr, &info, 1, 1, 1, 1);
    }
    return info;
  }

  const bool vectors_;
  const std::size_t rows_;
  void* const function_;
  void* const unscaled_;
  Room room_;
};

}  // namespace

bool eig_on_host(const runtime::Queue& queue, const SpectraProblem& p) { return lapack_takes(queue, p, "geev"); }

void run_eig_on_host(runtime::Queue& queue, const SpectraProblem& p, const SpectraMemory& memory,
                     std::shared_ptr<runtime::Fault> fault) {
  run_lapack_spectra<EigCalls>(queue, p, memory, std::move(fault));
}

}  // namespace koine::exec
