// SPDX-License-Identifier: Apache-2.0
// The parts of the module, each a file, and what they share.
#pragma once

#include "function.hpp"

#include <koine/koine.hpp>

namespace koine::python {

using namespace nb::literals;

void bind_errors(nb::module_& m);
void bind_types(nb::module_& m);
void bind_devices(nb::module_& m);
void bind_scopes(nb::module_& m);
void bind_array(nb::module_& m);
void bind_methods(nb::handle array);
void bind_creation(nb::module_& m);
void bind_owners(nb::module_& m);
void bind_exchange(nb::module_& m);
void bind_elementwise(nb::module_& m);
void bind_linalg(nb::module_& m);
void bind_matrices(nb::module_& m);
void bind_manipulation(nb::module_& m);
void bind_searching(nb::module_& m);
void bind_statistics(nb::module_& m);
void bind_segments(nb::module_& m);
void bind_signal(nb::module_& m);
void bind_fft(nb::module_& m);
void bind_random(nb::module_& m);
void bind_kernels(nb::module_& m);
void bind_custom(nb::module_& m);
void bind_profile(nb::module_& m);
void bind_files(nb::module_& m);
void bind_handles(nb::module_& m);

}  // namespace koine::python
