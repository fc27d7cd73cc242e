// SPDX-License-Identifier: Apache-2.0
// What every file of the binding shares: names, the parts of the module, and Python's forms of results.
#pragma once

#include <koine/koine.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "convert.hpp"

#include <optional>
#include <string>
#include <vector>

namespace koine::python {

namespace nb = nanobind;
using namespace nb::literals;

using Type = std::optional<DType>;
using Place = std::optional<Device>;

// The parts of the module, each a file.
void bind_types(nb::module_& m);  // first: the others' signatures name what it binds
void bind_array(nb::module_& m);
void bind_creation(nb::module_& m);
void bind_dlpack(nb::module_& m);
void bind_elementwise(nb::module_& m);
void bind_linalg(nb::module_& m);
void bind_manipulation(nb::module_& m);
void bind_searching(nb::module_& m);
void bind_statistics(nb::module_& m);
void bind_segments(nb::module_& m);

/// The standard gives tuples where C++ gives vectors.
inline nb::tuple as_tuple(const std::vector<Array>& arrays) { return nb::tuple(nb::cast(arrays)); }

}  // namespace koine::python
