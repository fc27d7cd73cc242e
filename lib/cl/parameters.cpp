// SPDX-License-Identifier: Apache-2.0
// clGetKernelArgInfo, as plain values.
#include "cl/parameters.hpp"

#include "base/text.hpp"

#include <optional>
#include <utility>

namespace koine::cl {

namespace {

std::optional<std::string> text_of(cl_kernel kernel, cl_uint index, cl_kernel_arg_info what) {
  std::size_t size = 0;
  if (clGetKernelArgInfo(kernel, index, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return std::nullopt;
  std::string text(size, '\0');
  if (clGetKernelArgInfo(kernel, index, what, size, text.data(), nullptr) != CL_SUCCESS) return std::nullopt;
  text.resize(std::min(text.find('\0'), size));
  return text;
}

Parameter::Space space_of(cl_kernel_arg_address_qualifier qualifier) {
  switch (qualifier) {
    case CL_KERNEL_ARG_ADDRESS_GLOBAL: return Parameter::Space::global;
    case CL_KERNEL_ARG_ADDRESS_CONSTANT: return Parameter::Space::constant;
    case CL_KERNEL_ARG_ADDRESS_LOCAL: return Parameter::Space::local;
    default: return Parameter::Space::value;
  }
}

std::optional<Parameter> parameter_of(cl_kernel kernel, cl_uint index) {
  const auto name = text_of(kernel, index, CL_KERNEL_ARG_NAME);
  const auto type = text_of(kernel, index, CL_KERNEL_ARG_TYPE_NAME);
  cl_kernel_arg_address_qualifier space = 0;
  cl_kernel_arg_type_qualifier qualifiers = 0;
  if (!name || !type || type->empty() ||
      clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, nullptr) != CL_SUCCESS ||
      clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifiers, &qualifiers, nullptr) !=
          CL_SUCCESS) {
    return std::nullopt;
  }
  return Parameter{*name, *type, space_of(space),
                   (qualifiers & CL_KERNEL_ARG_TYPE_CONST) != 0 || space == CL_KERNEL_ARG_ADDRESS_CONSTANT};
}

/// The part before the first space, which `text` loses with the space.
std::string_view take_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

}  // namespace

std::vector<Parameter> parameters_of(cl_kernel kernel) {
  cl_uint count = 0;
  if (clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr) != CL_SUCCESS) return {};
  std::vector<Parameter> parameters;
  for (cl_uint index = 0; index < count; ++index) {
    auto known = parameter_of(kernel, index);
    if (!known) return {};
    parameters.push_back(std::move(*known));
  }
  return parameters;
}

std::string to_text(const ParameterTable& table) {
  std::string text;
  for (const auto& [kernel, parameters] : table) {
    text += "kernel " + kernel + "\n";
    for (const Parameter& each : parameters) {
      text += std::to_string(static_cast<int>(each.space)) + " " + (each.is_const ? "const " : "- ") + each.name + " " +
              each.type + "\n";
    }
  }
  return text;
}

ParameterTable table_from_text(std::string_view text) {
  ParameterTable table;
  std::vector<Parameter>* now = nullptr;
  for (std::string_view line : base::split(text, '\n')) {
    const std::string_view word = take_word(line);
    if (word == "kernel") {
      now = &table[std::string(line)];
    } else if (now != nullptr && word.size() == 1) {
      Parameter parameter;
      parameter.space = static_cast<Parameter::Space>(word.front() - '0');
      parameter.is_const = take_word(line) == "const";
      parameter.name = take_word(line);
      parameter.type = line;
      now->push_back(std::move(parameter));
    }
  }
  return table;
}

}  // namespace koine::cl
