// SPDX-License-Identifier: Apache-2.0
// Operations of the user's own, from a few strings of OpenCL C.
#include "module.hpp"

#include <koine/custom.hpp>

#include <array>
#include <utility>

namespace koine::python {
namespace {

std::vector<Operand> operands(const Arguments& a) {
  std::vector<Operand> result;
  for (PyObject* object : a.rest()) {
    auto operand = read_operand(object);
    if (!operand) a.refuse("each argument", object, "an array or a number");
    result.push_back(*std::move(operand));
  }
  return result;
}

/// C++ takes the arguments one by one, Python as many as there are.
template <std::size_t Count>
std::vector<Array> outputs(const ElementwiseKernel& kernel, const std::vector<Operand>& x) {
  if constexpr (Count == 0) {
    throw Raised(PyExc_TypeError, "[ElementwiseKernel] takes 1 to 24 arguments");
  } else {
    if (x.size() != Count) return outputs<Count - 1>(kernel, x);
    return [&]<std::size_t... I>(std::index_sequence<I...>) { return kernel.outputs(x[I]...); }
    (std::make_index_sequence<Count>());
  }
}

}  // namespace

void bind_custom(nb::module_& m) {
  Class<ElementwiseKernel> elementwise(m, "ElementwiseKernel");
  elementwise.def(
      "__init__",
      [](ElementwiseKernel* place, const std::string& inputs, const std::string& outputs, const std::string& operation,
         const std::string& name, const std::string& preamble) {
        new (place) ElementwiseKernel(inputs, outputs, operation, name, {.preamble = preamble});
      },
      "inputs"_a, "outputs"_a, "operation"_a, "name"_a = "elementwise", nb::kw_only(), "preamble"_a = "");
  method(elementwise, "__call__", "($self, /, *arguments)", [](const Arguments& a) {
    const std::vector<Array> made = outputs<24>(nb::cast<const ElementwiseKernel&>(nb::handle(a[0])), operands(a));
    return nb::steal(made.size() == 1 ? wrap(Array(made[0])) : to_python(made));
  });

  Class<ReductionKernel> reduction(m, "ReductionKernel");
  reduction.def(
      "__init__",
      [](ReductionKernel* place, const std::string& inputs, const std::string& output, const std::string& name,
         const std::string& map, const std::string& combine, const std::string& finish, const std::string& identity,
         const std::string& accumulator, const std::string& preamble) {
        new (place) ReductionKernel(inputs, output,
                                    {.map = map,
                                     .combine = combine,
                                     .finish = finish,
                                     .identity = identity,
                                     .accumulator = accumulator,
                                     .preamble = preamble},
                                    name);
      },
      "inputs"_a, "output"_a, "name"_a = "reduction", nb::kw_only(), "map"_a = "", "combine"_a = "", "finish"_a = "",
      "identity"_a = "", "accumulator"_a = "", "preamble"_a = "");
  method(reduction, "__call__", "($self, /, *arguments, axis=None, keepdims=False)", [](const Arguments& a) {
    return nb::cast<const ReductionKernel&>(nb::handle(a[0]))(operands(a),
                                                              {.axis = a.axis(1), .keepdims = a.flag(2, false)});
  });

  Class<ScanKernel> scan(m, "ScanKernel");
  scan.def(
      "__init__",
      [](ScanKernel* place, const std::string& inputs, const std::string& output, const std::string& name,
         const std::string& map, const std::string& combine, const std::string& identity, bool exclusive,
         const std::string& preamble) {
        new (place) ScanKernel(
            inputs, output,
            {.map = map, .combine = combine, .identity = identity, .exclusive = exclusive, .preamble = preamble}, name);
      },
      "inputs"_a, "output"_a, "name"_a = "scan", nb::kw_only(), "map"_a = "", "combine"_a = "", "identity"_a = "",
      "exclusive"_a = false, "preamble"_a = "");
  method(scan, "__call__", "($self, /, *arguments, axis=None)", [](const Arguments& a) {
    return nb::cast<const ScanKernel&>(nb::handle(a[0]))(operands(a), {.axis = a.axis(1)});
  });
}

}  // namespace koine::python
