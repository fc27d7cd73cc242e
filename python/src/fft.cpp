// SPDX-License-Identifier: Apache-2.0
// Fourier transforms, by the names and in the order of arguments of numpy.fft and scipy.fft.
#include "module.hpp"

namespace koine::python {
namespace {

using Along = Array (*)(const Array&, const fft::FftOptions&);
using Several = Array (*)(const Array&, const fft::FftnOptions&);
using Two = Array (*)(const Array&, const fft::Fft2Options&);
using Frequencies = Array (*)(std::int64_t, const fft::FftFrequencyOptions&);
using Cosines = Array (*)(const Array&, const fft::DctOptions&);
using Shifts = Array (*)(const Array&, const fft::FftshiftOptions&);

std::optional<Shape> sizes(const Arguments& a) { return a.given(1) ? std::optional(a.shape(1)) : std::nullopt; }

// Types, since a row's body is one of its own.
template <Along transform>
struct OneAxis {
  Array operator()(const Arguments& a) const {
    const std::string norm = a.text(3, "backward");
    fft::FftOptions options{.axis = a.integer(2, -1), .norm = norm};
    if (a.given(1)) options.n = a.integer(1);
    return transform(a.array(0), options);
  }
};

template <Several transform>
struct Axes {
  Array operator()(const Arguments& a) const {
    const std::string norm = a.text(3, "backward");
    return transform(a.array(0), {.s = sizes(a), .axes = a.axis(2), .norm = norm});
  }
};

template <Two transform>
struct TwoAxes {
  Array operator()(const Arguments& a) const {
    const std::string norm = a.text(3, "backward");
    fft::Fft2Options options{.s = sizes(a), .norm = norm};
    if (a.given(2)) options.axes = a.axis(2);
    return transform(a.array(0), options);
  }
};

template <Cosines transform>
struct OfType {
  Array operator()(const Arguments& a) const {
    const std::string norm = a.text(4, "backward");
    fft::DctOptions options{.type = a.integer(1, 2), .axis = a.integer(3, -1), .norm = norm};
    if (a.given(2)) options.n = a.integer(2);
    return transform(a.array(0), options);
  }
};

template <Frequencies frequencies>
struct Spaced {
  Array operator()(const Arguments& a) const {
    return frequencies(a.integer(0), {.d = a.real(1, 1.0), .dtype = a.dtype(2), .device = a.device(3)});
  }
};

template <Shifts shift>
struct Shifted {
  Array operator()(const Arguments& a) const { return shift(a.array(0), {.axes = a.axis(1)}); }
};

}  // namespace

void bind_fft(nb::module_& m) {
  nb::module_ sub = m.def_submodule("_fft");
  sub.attr("__home__") = "koine.fft";
  constexpr const char* one_axis = "(x, /, n=None, axis=-1, norm='backward')";
  function(sub, "fft", one_axis, OneAxis<fft::fft>{});
  function(sub, "ifft", one_axis, OneAxis<fft::ifft>{});
  function(sub, "rfft", one_axis, OneAxis<fft::rfft>{});
  function(sub, "irfft", one_axis, OneAxis<fft::irfft>{});
  function(sub, "hfft", one_axis, OneAxis<fft::hfft>{});
  function(sub, "ihfft", one_axis, OneAxis<fft::ihfft>{});
  constexpr const char* axes = "(x, /, s=None, axes=None, norm='backward')";
  function(sub, "fftn", axes, Axes<fft::fftn>{});
  function(sub, "ifftn", axes, Axes<fft::ifftn>{});
  function(sub, "rfftn", axes, Axes<fft::rfftn>{});
  function(sub, "irfftn", axes, Axes<fft::irfftn>{});
  constexpr const char* two_axes = "(x, /, s=None, axes=(-2, -1), norm='backward')";
  function(sub, "fft2", two_axes, TwoAxes<fft::fft2>{});
  function(sub, "ifft2", two_axes, TwoAxes<fft::ifft2>{});
  function(sub, "rfft2", two_axes, TwoAxes<fft::rfft2>{});
  function(sub, "irfft2", two_axes, TwoAxes<fft::irfft2>{});
  constexpr const char* of_type = "(x, /, type=2, n=None, axis=-1, norm='backward')";
  function(sub, "dct", of_type, OfType<fft::dct>{});
  function(sub, "idct", of_type, OfType<fft::idct>{});
  function(sub, "dst", of_type, OfType<fft::dst>{});
  function(sub, "idst", of_type, OfType<fft::idst>{});
  constexpr const char* spacing = "(n, /, d=1.0, *, dtype=None, device=None)";
  function(sub, "fftfreq", spacing, Spaced<fft::fftfreq>{});
  function(sub, "rfftfreq", spacing, Spaced<fft::rfftfreq>{});
  function(sub, "fftshift", "(x, /, axes=None)", Shifted<fft::fftshift>{});
  function(sub, "ifftshift", "(x, /, axes=None)", Shifted<fft::ifftshift>{});
}

}  // namespace koine::python
