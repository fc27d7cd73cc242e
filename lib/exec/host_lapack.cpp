// SPDX-License-Identifier: Apache-2.0
// Whether there is a LAPACK, and its functions by type.
#include "exec/host_lapack.hpp"

#include "base/first_use.hpp"

namespace koine::exec {

const HostLapack* HostLapack::get() {
  static constinit base::FirstUse<const HostLapack*> known;
  return known.get([]() -> const HostLapack* {
    const HostBlas* const blas = HostBlas::get();
    return blas != nullptr && blas->find("dgetrf") != nullptr ? new HostLapack(*blas) : nullptr;
  });
}

void* HostLapack::find(DType dtype, std::string_view name) const {
  const char* const letter = dtype == float32 ? "s" : dtype == float64 ? "d" : dtype == complex64 ? "c" : "z";
  return find(letter + std::string(name));
}

}  // namespace koine::exec
