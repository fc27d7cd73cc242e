// SPDX-License-Identifier: Apache-2.0
// DLPack's structs, of every version that is exchanged, and a tensor over the memory of a Python object.
#pragma once

#include <koine/array.hpp>

#include <nanobind/nanobind.h>

#include <dlpack/dlpack.h>

#include <cstdint>
#include <vector>

namespace koine::python {

// DLPack 1.0's, which Debian's header does not have yet (dmlc.github.io/dlpack/latest/c_api.html).
struct VersionedTensor {
  std::uint32_t major, minor;
  void* manager_ctx;
  void (*deleter)(VersionedTensor*);
  std::uint64_t flags;
  DLTensor dl_tensor;
};
inline constexpr std::uint64_t read_only_flag = 1, copied_flag = 2;

struct Tensor;
/// Lets go of a tensor later, with the GIL; from any thread.
void put_aside(Tensor* tensor) noexcept;

/// What koine::from_dlpack takes, around memory of others. Whoever deletes it holds the GIL.
struct Tensor {
  Tensor();
  virtual ~Tensor();
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;

  DLManagedTensor managed = {};
  Tensor* next = nullptr;  // of those that are put aside
};

}  // namespace koine::python
