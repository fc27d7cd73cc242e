// SPDX-License-Identifier: Apache-2.0
// The element-wise functions: those of operands alone, as their header lists them, and the others.
#include "module.hpp"

#include "waiting.hpp"

namespace koine::python {
namespace {

ClipBound bound(const std::optional<Operand>& operand) { return operand ? ClipBound(*operand) : ClipBound(none); }

std::vector<Array> arrays_of(std::initializer_list<Operand> operands) {
  std::vector<Array> arrays;
  for (const Operand& each : operands) {
    if (!each.is_scalar()) arrays.push_back(each.array());
  }
  return arrays;
}

template <Array (*F)(Operand)>
void bind(nb::module_& m, const char* name) {
  function(m, name, "(x, /)", [](const Arguments& a) { return F(a.operand(0)); });
}
template <Array (*F)(Operand, Operand)>
void bind(nb::module_& m, const char* name) {
  function(m, name, "(x1, x2, /)", [](const Arguments& a) { return F(a.operand(0, 1), a.operand(1, 0)); });
}

}  // namespace

void bind_elementwise(nb::module_& m) {
#define KN_ELEMENTWISE(name) bind<koine::name>(m, #name);
#include "python_elementwise.inc"
#undef KN_ELEMENTWISE
  function(m, "clip", "(x, /, min=None, max=None)",
           [](const Arguments& a) { return clip(a.operand(0), bound(a.maybe_operand(1)), bound(a.maybe_operand(2))); });
  function(m, "nan_to_num", "(x, /, *, nan=0.0, posinf=None, neginf=None)", [](const Arguments& a) {
    NanToNumOptions options;
    if (a.given(1)) options.nan = a.real(1);
    if (a.given(2)) options.posinf = a.real(2);
    if (a.given(3)) options.neginf = a.real(3);
    return nan_to_num(a.operand(0), options);
  });
  function(m, "isclose", "(x1, x2, /, rtol=1e-05, atol=1e-08, *, equal_nan=False)", [](const Arguments& a) {
    return isclose(a.operand(0), a.operand(1),
                   {.rtol = a.real(2, 1e-5), .atol = a.real(3, 1e-8), .equal_nan = a.flag(4, false)});
  });
  function(m, "allclose", "(x1, x2, /, rtol=1e-05, atol=1e-08, *, equal_nan=False)", [](const Arguments& a) {
    const Operand x1 = a.operand(0), x2 = a.operand(1);
    const ClosenessOptions options = {.rtol = a.real(2, 1e-5), .atol = a.real(3, 1e-8), .equal_nan = a.flag(4, false)};
    return when_all_ready(arrays_of({x1, x2}), [&] { return allclose(x1, x2, options); });
  });
  function(m, "array_equal", "(x1, x2, /, *, equal_nan=False)", [](const Arguments& a) {
    const Operand x1 = a.operand(0), x2 = a.operand(1);
    const bool equal_nan = a.flag(2, false);
    return when_all_ready(arrays_of({x1, x2}), [&] { return array_equal(x1, x2, {.equal_nan = equal_nan}); });
  });
}

}  // namespace koine::python
