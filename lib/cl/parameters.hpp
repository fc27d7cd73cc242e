// SPDX-License-Identifier: Apache-2.0
// What a driver tells of kernels' parameters: names and types, as in the text of the program.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cl/opencl.hpp"
#include "device/traits.hpp"

namespace koine::cl {

struct Parameter {
  enum class Space { global, constant, local, value };

  std::string name;
  std::string type;  ///< without qualifiers: "float*", "uint", "Node"
  Space space = Space::value;
  bool is_const = false;  ///< of a pointer: what it points to
};

/// The parameters of a kernel; empty where the driver does not say. Throws where it lacks memory, or the device is
/// lost.
std::vector<Parameter> parameters_of(cl_kernel kernel, const DeviceTraits& traits);

/// Those of a program's kernels, by their names.
using ParameterTable = std::map<std::string, std::vector<Parameter>, std::less<>>;

/// The table as lines of text, and back: binaries of most drivers do not hold it, so it is kept beside them.
std::string to_text(const ParameterTable& table);
ParameterTable table_from_text(std::string_view text);

}  // namespace koine::cl
