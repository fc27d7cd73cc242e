// SPDX-License-Identifier: Apache-2.0
// Sampled functions: convolution, correlation, interpolation.
#include "module.hpp"

namespace koine::python {

void bind_signal(nb::module_& m) {
  function(m, "convolve", "(x1, x2, /, mode='full')", [](const Arguments& a) {
    const std::string mode = a.text(2, "full");
    return convolve(a.array(0), a.array(1), {.mode = mode});
  });
  function(m, "correlate", "(x1, x2, /, mode='valid')", [](const Arguments& a) {
    const std::string mode = a.text(2, "valid");
    return correlate(a.array(0), a.array(1), {.mode = mode});
  });
  function(m, "fftconvolve", "(x1, x2, /, mode='full', axes=None)", [](const Arguments& a) {
    const std::string mode = a.text(2, "full");
    return fftconvolve(a.array(0), a.array(1), {.mode = mode, .axes = a.axis(3)});
  });
  function(m, "interp", "(x, xp, fp, /, left=None, right=None, period=None)", [](const Arguments& a) {
    InterpOptions options = {.left = a.maybe_operand(3), .right = a.maybe_operand(4)};
    if (a.given(5)) options.period = a.real(5);
    return interp(a.operand(0), a.array(1), a.array(2), options);
  });
}

}  // namespace koine::python
