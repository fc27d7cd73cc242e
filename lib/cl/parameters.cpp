// SPDX-License-Identifier: Apache-2.0
// clGetKernelArgInfo, as plain values.
#include "cl/parameters.hpp"

#include "base/text.hpp"
#include "cl/errors.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace koine::cl {

namespace {

/// Whether a question was answered. Throws what has nothing to do with the question.
bool told(cl_int code, const DeviceTraits& traits) {
  const ErrorKind kind = error_kind(code);
  if (kind == ErrorKind::OutOfMemory || kind == ErrorKind::DeviceLost || code == CL_OUT_OF_RESOURCES) {
    throw_error(code, "eval", "ask for a kernel's parameters", traits);
  }
  return code == CL_SUCCESS;
}

class Query {
 public:
  Query(cl_kernel kernel, cl_uint index, const DeviceTraits& traits)
      : kernel_(kernel), index_(index), traits_(traits) {}

  template <class T>
  bool value(cl_kernel_arg_info what, T& to) const {
    return told(clGetKernelArgInfo(kernel_, index_, what, sizeof to, &to, nullptr), traits_);
  }
  bool text(cl_kernel_arg_info what, std::string& to) const {
    std::size_t size = 0;
    if (!told(clGetKernelArgInfo(kernel_, index_, what, 0, nullptr, &size), traits_) || size == 0) return false;
    to.resize(size);
    if (!told(clGetKernelArgInfo(kernel_, index_, what, size, to.data(), nullptr), traits_)) return false;
    to.resize(std::min(to.find('\0'), size));
    return true;
  }

 private:
  cl_kernel kernel_;
  cl_uint index_;
  const DeviceTraits& traits_;
};

Parameter::Space space_of(cl_kernel_arg_address_qualifier qualifier) {
  switch (qualifier) {
    case CL_KERNEL_ARG_ADDRESS_GLOBAL: return Parameter::Space::global;
    case CL_KERNEL_ARG_ADDRESS_CONSTANT: return Parameter::Space::constant;
    case CL_KERNEL_ARG_ADDRESS_LOCAL: return Parameter::Space::local;
    default: return Parameter::Space::value;
  }
}

std::optional<Parameter> parameter_of(const Query& query) {
  Parameter parameter;
  cl_kernel_arg_address_qualifier space = 0;
  cl_kernel_arg_type_qualifier qualifiers = 0;
  if (!query.text(CL_KERNEL_ARG_NAME, parameter.name) || !query.text(CL_KERNEL_ARG_TYPE_NAME, parameter.type) ||
      !query.value(CL_KERNEL_ARG_ADDRESS_QUALIFIER, space) || !query.value(CL_KERNEL_ARG_TYPE_QUALIFIER, qualifiers)) {
    return std::nullopt;
  }
  parameter.space = space_of(space);
  parameter.is_const = (qualifiers & CL_KERNEL_ARG_TYPE_CONST) != 0 || space == CL_KERNEL_ARG_ADDRESS_CONSTANT;
  return parameter;
}

/// The part before the first space, which `text` loses with the space.
std::string_view take_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

}  // namespace

std::vector<Parameter> parameters_of(cl_kernel kernel, const DeviceTraits& traits) {
  cl_uint count = 0;
  if (!told(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr), traits)) return {};
  std::vector<Parameter> parameters;
  for (cl_uint index = 0; index < count; ++index) {
    auto known = parameter_of(Query(kernel, index, traits));
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
