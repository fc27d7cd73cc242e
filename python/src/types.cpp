// SPDX-License-Identifier: Apache-2.0
// Types, devices, and the rules of promotion.
#include "module.hpp"

#include <nanobind/operators.h>

#include <functional>

namespace koine::python {
namespace {

/// The standard's name: C++ has made a word of its own of bool.
std::string python_name(DType type) { return is_bool(type) ? "bool" : std::string(name(type)); }

void bind_dtype(nb::module_& m) {
  auto types = nb::enum_<DType>(m, "dtype", "The type of an array's elements.");
  for (int i = 0; i < dtype_count; ++i) types.value(python_name(static_cast<DType>(i)).c_str(), static_cast<DType>(i));
  types.export_values();
}

void bind_device(nb::module_& m) {
  nb::class_<Device>(m, "Device", "One compute device.")
      .def_prop_ro("name", &Device::name)
      .def_prop_ro("selector", &Device::selector)
      .def(
          "__eq__", [](const Device& a, const Device& b) { return a == b; }, nb::is_operator())
      .def("__hash__", [](const Device& device) { return std::hash<std::string>{}(device.selector()); })
      .def("__repr__", [](const Device& device) { return "koine.Device('" + device.selector() + "')"; });
  m.def("_devices", [] { return devices(); });
  m.def("_default_device", [] { return default_device(); });
}

/// Weak scalars count after all types, as result_type's list of a fixed length has it.
DType result_type_of(const nb::args& operands) {
  std::optional<DType> type;
  for (nb::handle operand : operands) {
    Type own;
    if (nb::isinstance<Array>(operand)) own = nb::cast<const Array&>(operand).dtype();
    if (nb::isinstance<DType>(operand)) own = nb::cast<DType>(operand);
    if (own) type = type ? result_type(*type, *own) : *own;
  }
  for (nb::handle operand : operands) {
    if (nb::isinstance<Array>(operand) || nb::isinstance<DType>(operand)) continue;
    const auto number = read_number(operand);
    if (!number) throw nb::type_error("[result_type] takes arrays, types and Python's numbers");
    if (!type) throw ValueError("[result_type] got no array and no type; scalars alone are weak and have none");
    type = std::visit([&](auto value) { return result_type(*type, value); }, *number);
  }
  if (!type) throw ValueError("[result_type] got no array and no type");
  return *type;
}

bool is_of_kind(DType type, nb::handle kind) {
  if (nb::isinstance<DType>(kind)) return isdtype(type, nb::cast<DType>(kind));
  if (PyTuple_Check(kind.ptr())) {
    bool any = false;
    for (nb::handle one : kind) any = is_of_kind(type, one) || any;
    return any;
  }
  return isdtype(type, nb::cast<std::string>(kind));
}

}  // namespace

void bind_types(nb::module_& m) {
  bind_dtype(m);
  bind_device(m);
  nb::class_<FloatInfo>(m, "FloatInfo", "What finfo says of a floating type.")
      .def_ro("bits", &FloatInfo::bits)
      .def_ro("eps", &FloatInfo::eps)
      .def_ro("max", &FloatInfo::max)
      .def_ro("min", &FloatInfo::min)
      .def_ro("smallest_normal", &FloatInfo::smallest_normal)
      .def_ro("dtype", &FloatInfo::dtype);
  nb::class_<IntegerInfo>(m, "IntegerInfo", "What iinfo says of an integer type.")
      .def_ro("bits", &IntegerInfo::bits)
      .def_ro("max", &IntegerInfo::max)
      .def_ro("min", &IntegerInfo::min)
      .def_ro("dtype", &IntegerInfo::dtype);
  m.def(
      "finfo", [](DType type) { return finfo(type); }, nb::arg());
  m.def(
      "finfo", [](const Array& x) { return finfo(x); }, nb::arg());
  m.def(
      "iinfo", [](DType type) { return iinfo(type); }, nb::arg());
  m.def(
      "iinfo", [](const Array& x) { return iinfo(x); }, nb::arg());
  m.def(
      "can_cast", [](DType from, DType to) { return can_cast(from, to); }, nb::arg(), nb::arg());
  m.def(
      "can_cast", [](const Array& from, DType to) { return can_cast(from, to); }, nb::arg(), nb::arg());
  m.def(
      "astype",
      [](const Array& x, DType type, bool copy, const Place& device) {
        return astype(x, type, {.copy = copy, .device = device});
      },
      nb::arg(), nb::arg(), nb::kw_only(), "copy"_a = true, "device"_a = nb::none());
  m.def("isdtype", is_of_kind, "dtype"_a, "kind"_a);
  m.def("result_type", result_type_of);

  m.def("_capabilities", [] {
    const Capabilities known = capabilities();
    nb::dict result;
    result["boolean indexing"] = known.boolean_indexing;
    result["data-dependent shapes"] = known.data_dependent_shapes;
    result["max dimensions"] = known.max_dimensions;
    return result;
  });
  m.def(
      "_default_dtypes",
      [](const Place& device) {
        const DefaultDTypes defaults = default_dtypes(device);
        nb::dict result;
        result["real floating"] = defaults.real_floating;
        result["complex floating"] = defaults.complex_floating;
        result["integral"] = defaults.integral;
        result["indexing"] = defaults.indexing;
        return result;
      },
      nb::arg().none());
  m.def(
      "_dtypes", [](const Place& device) { return dtypes({.device = device}); }, nb::arg().none());
}

}  // namespace koine::python
