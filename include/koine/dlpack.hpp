// SPDX-License-Identifier: Apache-2.0
// Arrays from and for other libraries in one process, as DLPack's tensors (dmlc.github.io/dlpack). <dlpack/dlpack.h>,
// of any version that has DLManagedTensor, is for who looks inside; this header does not need it.
#pragma once

#include <koine/array.hpp>
#include <koine/device.hpp>
#include <koine/export.hpp>
#include <koine/options.hpp>

#include <optional>

struct DLManagedTensor;

namespace koine {

struct FromDlpackOptions {
  detail::Named names_only = detail::named;
  std::optional<Device> device = std::nullopt;
  std::optional<bool> copy = std::nullopt;  ///< true: always copy; false: ValueError where a copy is needed
};
/// The array in a tensor that lies in the host's memory (DLPack's CPU, and the host memory of CUDA and ROCm), with any
/// strides. On a device that shares memory with the host (a CPU, an integrated GPU) it is the tensor's own memory,
/// unless `.copy` is true, the memory is not aligned to its elements, or a bool_ in it is neither 0 nor 1 (a copy has 1
/// for all but 0); elsewhere a copy. Koine only reads it: an
/// assignment to a part of the array copies it first. The tensor is taken over, and its deleter called once no array
/// and no work uses it, at once after a copy; if this throws, the tensor is still the caller's. Gives the tensor's
/// type. DeviceError for a tensor that lies elsewhere, DTypeError for elements that Koine has not, ShapeError for sizes
/// and ValueError for other fields that no tensor can have: every field is checked but for what the pointers lead to.
KOINE_API Array from_dlpack(DLManagedTensor* tensor, const FromDlpackOptions& options = {});

/// The values of x as a tensor of the host's memory, row-major and aligned to 256 bytes: a copy of its own, which the
/// receiver gives back through the tensor's deleter. Waits for x. Takes every type; gives a tensor of the same type
/// (bool_ as DLPack's type code 6, one byte each).
KOINE_API DLManagedTensor* to_dlpack(const Array& x);

}  // namespace koine
