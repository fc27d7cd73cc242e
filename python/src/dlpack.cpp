// SPDX-License-Identifier: Apache-2.0
// Arrays from and for other libraries, as capsules that hold DLPack's tensors of the host's memory.
#include "module.hpp"

#include <dlpack/dlpack.h>

namespace koine::python {
namespace {

constexpr const char* fresh = "dltensor";
constexpr const char* taken = "used_dltensor";

/// A capsule that nobody took gives its tensor back.
void drop(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, fresh) == 0) return;
  auto* const tensor = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, fresh));
  if (tensor->deleter != nullptr) tensor->deleter(tensor);
}

nb::object to_capsule(const Array& x) {
  DLManagedTensor* tensor = nullptr;
  {
    const Array kept = x;
    const nb::gil_scoped_release others_run;
    tensor = to_dlpack(kept);
  }
  nb::object capsule = nb::steal(PyCapsule_New(tensor, fresh, drop));
  if (capsule.is_valid()) return capsule;
  tensor->deleter(tensor);
  throw nb::python_error();
}

Array from_capsule(nb::handle capsule, const Place& device, const std::optional<bool>& copy) {
  auto* const tensor = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), fresh));
  if (tensor == nullptr) throw nb::python_error();
  Array x = from_dlpack(tensor, {.device = device, .copy = copy});
  PyCapsule_SetName(capsule.ptr(), taken);
  return x;
}

}  // namespace

void bind_dlpack(nb::module_& m) {
  m.def("_to_capsule", to_capsule, nb::arg());
  m.def("_from_capsule", from_capsule, nb::arg(), nb::arg().none(), nb::arg().none());
}

}  // namespace koine::python
