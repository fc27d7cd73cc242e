// SPDX-License-Identifier: Apache-2.0
// The element-wise functions: the rows of the op table, and clip.
#include "module.hpp"

namespace koine::python {
namespace {

void bind(nb::module_& m, const char* name, const char* doc, Array (*function)(const Operand&)) {
  m.def(name, function, nb::arg(), doc);
}
void bind(nb::module_& m, const char* name, const char* doc, Array (*function)(const Operand&, const Operand&)) {
  m.def(name, function, nb::arg(), nb::arg(), doc);
}

ClipBound bound(const std::optional<Operand>& operand) { return operand ? ClipBound(*operand) : ClipBound(none); }

}  // namespace

void bind_elementwise(nb::module_& m) {
#define KN_OP(name, arity, domain, result, cost, doc, ...) bind(m, #name, doc, koine::name);
#include "graph/ops.def"
  m.def(
      "clip",
      [](const Operand& x, const std::optional<Operand>& min, const std::optional<Operand>& max) {
        return clip(x, bound(min), bound(max));
      },
      nb::arg(), "min"_a = nb::none(), "max"_a = nb::none());
}

}  // namespace koine::python
