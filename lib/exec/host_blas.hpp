// SPDX-License-Identifier: Apache-2.0
// The BLAS of the host, for matrix products on CPUs: a library that is loaded when the first product could use it.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/library.hpp"
#include "exec/matmul_routes.hpp"
#include "koine/dtype.hpp"

namespace koine::exec {

class HostBlas {
 public:
  /// OpenBLAS, or what KOINE_BLAS names: a file with the functions of CBLAS, or "off". Null if there is none. Throws
  /// ValueError if KOINE_BLAS names a file that cannot be used.
  static const HostBlas* get();

  /// Row-major (m, k) by (k, n); `c` is not read. The dtype is float32, float64, complex64 or complex128, and no size
  /// or leading dimension is above `most`. Safe on any number of threads at once.
  struct Product {
    DType dtype;
    std::int64_t m, n, k;
    BlasLayout a_layout, b_layout;
    const void *a, *b;
    void* c;
    std::int64_t c_leading;
  };
  void multiply(const Product& product) const noexcept;

  /// The upper triangle of a row-major (n, n), which is `a`, (n, k), by its transpose; what lies below is left alone.
  struct Gram {
    DType dtype;
    std::int64_t n, k;
    BlasLayout a_layout;
    const void* a;
    void* c;
    std::int64_t c_leading;
  };
  void multiply(const Gram& gram) const noexcept;
  /// Whether the library has functions for that.
  bool has_syrk() const noexcept { return has_syrk_; }

  /// The vectors that its kernels compute with, in bytes; 0 if it does not say, or the user has named it.
  std::uint32_t vector_bytes() const noexcept { return vector_bytes_; }

  /// Throws OutOfMemory, in the name of a function, if so many threads would find no memory for their panels: OpenBLAS
  /// asks for it for ever.
  void check_room(int threads, std::string_view function) const;

  /// The address of a function by the name that it has in Fortran, such as "dgetrf"; null if the library lacks it.
  /// OpenBLAS has LAPACK's, too. Its integers are `wide()`.
  void* find(std::string_view fortran_name) const;
  /// Whether integers have 64 bits.
  bool wide() const noexcept { return wide_; }

  static constexpr std::int64_t most = (std::int64_t{1} << 31) - 1;

  /// Whether it starts threads itself: one call at a time uses all cores. Ours does not, so that threads are as many as
  /// the device has, and none is there when the process forks.
  bool has_threads() const noexcept { return has_threads_; }

 private:
  HostBlas() = default;
  static const HostBlas* load();

  base::Library library_;
  const char *prefix_ = "", *suffix_ = "";  // around the names of its functions
  void *gemm_[4] = {}, *syrk_[4] = {};      // of float32, float64, complex64, complex128
  bool wide_ = false;
  bool has_threads_ = false, has_syrk_ = true;
  std::uint32_t vector_bytes_ = 0;
};

}  // namespace koine::exec
