// SPDX-License-Identifier: Apache-2.0
// Types of elements, and the rules of promotion.
#include "exchange.hpp"
#include "module.hpp"
#include "waiting.hpp"

namespace koine::python {
namespace {

/// The Python object of a type, of which there is one for each.
struct Type {
  DType value;
};

PyTypeObject* type_class = nullptr;
PyObject* objects[dtype_count] = {};

/// The standard's name: C++ has made a word of its own of bool.
std::string python_name(DType type) { return is_bool(type) ? "bool" : std::string(name(type)); }

const char* kind_letter(DType type) {
  return is_bool(type)               ? "b"
         : is_signed_integer(type)   ? "i"
         : is_unsigned_integer(type) ? "u"
         : is_complex(type)          ? "c"
                                     : "f";
}

void bind_dtype(nb::module_& m) {
  Class<Type> type(m, "dtype");
  type_class = reinterpret_cast<PyTypeObject*>(type.ptr());
  type.attribute("name", [](const Type& t) { return python_name(t.value); })
      .attribute("itemsize", [](const Type& t) { return size_of(t.value); })
      .attribute("kind", [](const Type& t) { return kind_letter(t.value); })
      .def("__repr__", [](const Type& t) { return "koine." + python_name(t.value); })
      .def("__str__", [](const Type& t) { return python_name(t.value); })
      .def("__hash__", [](const Type& t) { return static_cast<Py_hash_t>(t.value); })
      .def("__reduce__", [](const Type& t) { return python_name(t.value); });
  // Beside one of Koine's, whatever names the same type: np.float32, np.dtype("float32"), "float32".
  method(type, "__eq__", "($self, other, /)", [](const Arguments& a) {
    const auto x = dtype_of_object(a[0]), y = read_dtype(a[1]);
    return y ? nb::object(nb::bool_(x == y)) : nb::borrow(Py_NotImplemented);
  });
  for (int i = 0; i < dtype_count; ++i) {
    const auto value = static_cast<DType>(i);
    objects[i] = nb::cast(Type{value}).release().ptr();
    m.attr(python_name(value).c_str()) = nb::handle(objects[i]);
  }
}

/// Weak scalars count after all types, as result_type's list of a fixed length has it.
DType result_type_of(const Arguments& a) {
  std::optional<DType> type;
  std::vector<Number> weak;
  for (PyObject* operand : a.rest()) {
    if (is_array(operand)) {
      const DType own = value_of(operand).dtype();
      type = type ? result_type(*type, own) : own;
    } else if (const auto number = read_number(operand)) {
      weak.push_back(*number);
    } else if (const auto own = read_dtype(operand)) {
      type = type ? result_type(*type, *own) : *own;
    } else {
      a.refuse("each argument", operand, "an array, a dtype or a number");
    }
  }
  if (!type) throw ValueError("[result_type] got no array and no type; scalars alone are weak and have none");
  for (const Number& number : weak) {
    type = std::visit([&](auto value) { return result_type(*type, value); }, number);
  }
  return *type;
}

bool is_of_kind(const Arguments& a, DType type, nb::handle kind) {
  if (PyTuple_Check(kind.ptr())) {
    bool any = false;
    for (nb::handle one : kind) any = is_of_kind(a, type, one) || any;
    return any;
  }
  if (PyUnicode_Check(kind.ptr())) return isdtype(type, nb::cast<std::string>(kind));
  const auto other = read_dtype(kind);
  if (!other) a.refuse("kind", kind, "a word such as \"integral\", a dtype, or a tuple of these");
  return isdtype(type, *other);
}

/// Of an array its type.
DType type_of(const Arguments& a, std::size_t i) {
  if (is_array(a[i])) return a.array(i).dtype();
  const auto type = a.dtype(i);
  if (!type) a.refuse(i, "a dtype of Koine's");
  return *type;
}

}  // namespace

nb::object dtype_object(DType type) { return nb::borrow(objects[static_cast<int>(type)]); }

std::optional<DType> dtype_of_object(nb::handle object) {
  if (Py_TYPE(object.ptr()) != type_class) return std::nullopt;
  return nb::inst_ptr<Type>(object)->value;
}

void bind_types(nb::module_& m) {
  bind_dtype(m);
  Class<FloatInfo>(m, "FloatInfo")
      .attribute("bits", &FloatInfo::bits)
      .attribute("eps", &FloatInfo::eps)
      .attribute("max", &FloatInfo::max)
      .attribute("min", &FloatInfo::min)
      .attribute("smallest_normal", &FloatInfo::smallest_normal)
      .attribute("dtype", [](const FloatInfo& info) { return info.dtype; })
      .def("__repr__",
           [](const FloatInfo& info) { return "koine.finfo(koine." + std::string(name(info.dtype)) + ")"; });
  Class<IntegerInfo>(m, "IntegerInfo")
      .attribute("bits", &IntegerInfo::bits)
      .attribute("max", &IntegerInfo::max)
      .attribute("min", &IntegerInfo::min)
      .attribute("dtype", [](const IntegerInfo& info) { return info.dtype; })
      .def("__repr__",
           [](const IntegerInfo& info) { return "koine.iinfo(koine." + std::string(name(info.dtype)) + ")"; });
  function(m, "finfo", "(type, /)", [](const Arguments& a) { return nb::cast(finfo(type_of(a, 0))); });
  function(m, "iinfo", "(type, /)", [](const Arguments& a) { return nb::cast(iinfo(type_of(a, 0))); });
  function(m, "can_cast", "(from_, to, /)", [](const Arguments& a) { return can_cast(type_of(a, 0), type_of(a, 1)); });
  function(m, "astype", "(x, dtype, /, *, copy=True, device=None)", [](const Arguments& a) {
    // Another object, unless asked otherwise: it may be assigned to.
    const Array x = a.array(0);
    const DType type = type_of(a, 1);
    const auto device = a.device(3);
    const bool same = x.dtype() == type && device.value_or(x.device()) == x.device();
    if (same && !a.flag(2, true)) return nb::borrow(a[0]);
    return checked(wrap(same ? own(x) : astype(x, type, {.device = device})));
  });
  function(m, "to_device", "(x, device, /)", [](const Arguments& a) {
    const Array x = a.array(0);
    const auto device = a.device(1);
    if (!device) a.refuse(1, "a device or a selector");
    return moved(x, *device);
  });
  function(m, "isdtype", "(dtype, kind)", [](const Arguments& a) { return is_of_kind(a, type_of(a, 0), a[1]); });
  function(m, "result_type", "(*arrays_and_dtypes)", [](const Arguments& a) { return result_type_of(a); });
  function(m, "default_dtype", "()", [](const Arguments&) { return default_dtype(); });
  function(m, "set_default_dtype", "(dtype, /)",
           [](const Arguments& a) { set_default_dtype(a.dtype(0).value_or(float32)); });
  function(m, "_capabilities", "()", [](const Arguments&) {
    const Capabilities known = capabilities();
    nb::dict result;
    result["boolean indexing"] = known.boolean_indexing;
    result["data-dependent shapes"] = known.data_dependent_shapes;
    result["max dimensions"] = known.max_dimensions;
    return nb::object(result);
  });
  function(m, "_default_dtypes", "(device, /)", [](const Arguments& a) {
    const DefaultDTypes defaults = default_dtypes(a.device(0));
    nb::dict result;
    result["real floating"] = defaults.real_floating;
    result["complex floating"] = defaults.complex_floating;
    result["integral"] = defaults.integral;
    result["indexing"] = defaults.indexing;
    return nb::object(result);
  });
  function(m, "_dtypes", "(device, /)",
           [](const Arguments& a) { return nb::object(nb::cast(dtypes({.device = a.device(0)}))); });
}

}  // namespace koine::python
