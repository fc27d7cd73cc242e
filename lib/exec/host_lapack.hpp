// SPDX-License-Identifier: Apache-2.0
// LAPACK, for factorisations on CPUs: that of the library which multiplies matrices there (exec/host_blas.hpp).
#pragma once

#include <string>
#include <string_view>

#include "exec/host_blas.hpp"
#include "koine/dtype.hpp"

namespace koine::exec {

class HostLapack {
 public:
  /// OpenBLAS' own, or that of the library which KOINE_BLAS names. Null where there is none.
  static const HostLapack* get();

  /// The address of a function by its name in Fortran, such as "dgetrf"; null if the library lacks it. Matrices are in
  /// column-major order, every argument is an address, and behind the last one stand the lengths of texts, as size_t.
  void* find(std::string_view name) const { return blas_.find(name); }
  /// That of a function for a type, by its name without the letter of the type: "getrf".
  void* find(DType dtype, std::string_view name) const;
  /// Whether its integers have 64 bits.
  bool wide() const noexcept { return blas_.wide(); }
  /// The library, which says how much memory calls need (check_room), and whether it starts threads.
  const HostBlas& blas() const noexcept { return blas_; }

 private:
  explicit HostLapack(const HostBlas& blas) : blas_(blas) {}

  const HostBlas& blas_;
};

}  // namespace koine::exec
