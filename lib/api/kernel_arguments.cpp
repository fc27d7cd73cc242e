// SPDX-License-Identifier: Apache-2.0
// C++ values and arrays beside the types that a kernel's text names.
#include "api/kernel_arguments.hpp"

#include "base/dtypes.hpp"
#include "base/text.hpp"

#include <koine/error.hpp>

#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

namespace koine::api {

namespace {

using cl::Parameter;
using detail::ArgumentData;
using detail::KernelState;
using detail::ValueType;
using Kind = ArgumentData::Kind;
using Mark = ArgumentData::Mark;

struct Scalar {
  std::string_view name;
  ValueType::Kind kind;
  std::uint8_t size;
};
constexpr Scalar scalars[] = {
    {"char", ValueType::Kind::signed_integer, 1},
    {"uchar", ValueType::Kind::unsigned_integer, 1},
    {"short", ValueType::Kind::signed_integer, 2},
    {"ushort", ValueType::Kind::unsigned_integer, 2},
    {"int", ValueType::Kind::signed_integer, 4},
    {"uint", ValueType::Kind::unsigned_integer, 4},
    {"long", ValueType::Kind::signed_integer, 8},
    {"ulong", ValueType::Kind::unsigned_integer, 8},
    {"half", ValueType::Kind::real, 2},
    {"float", ValueType::Kind::real, 4},
    {"double", ValueType::Kind::real, 8},
};

/// The type that a parameter's text names, or, of a pointer, points to; none of a struct or of another name of a type.
struct NamedType {
  Scalar scalar;
  std::size_t lanes = 1;
  bool pointer = false;

  std::size_t bytes() const { return scalar.size * (lanes == 3 ? 4 : lanes); }
};

std::optional<NamedType> named_type(std::string_view text) {
  NamedType type;
  text = base::trim(text);
  if (text.ends_with('*')) {
    type.pointer = true;
    text = base::trim(text.substr(0, text.size() - 1));
  }
  std::string name(text);
  if (name.starts_with("unsigned")) {
    const std::string_view rest = base::trim(text.substr(8));
    name = "u" + std::string(rest.empty() ? "int" : rest);
  }
  const std::size_t letters = name.find_first_of("0123456789");
  if (letters != name.npos) {
    const char* const end = name.data() + name.size();
    if (std::from_chars(name.data() + letters, end, type.lanes).ptr != end) return std::nullopt;
    name.resize(letters);
  }
  for (const Scalar& scalar : scalars) {
    if (scalar.name != name) continue;
    type.scalar = scalar;
    return type;
  }
  return std::nullopt;
}

/// Whether a kernel may take the elements for what its parameter says.
bool holds(DType type, const NamedType& named) {
  const std::string_view name = named.scalar.name;
  switch (type) {
    case DType::bool_: return name == "uchar" || name == "char";
    case DType::float16: return name == "half" || name == "ushort";  // with vload_half, or without
    case DType::complex64:
    case DType::complex128: return name == (type == DType::complex64 ? "float" : "double") && named.lanes % 2 == 0;
    default: return name == base::row_of(type).memory;
  }
}

/// "a float", "an unsigned integer of 4 bytes", "a struct of 12 bytes".
std::string value_text(const ArgumentData& value) {
  const ValueType& type = value.type;
  std::string text;
  switch (type.kind) {
    case ValueType::Kind::signed_integer: text = "an integer of "; break;
    case ValueType::Kind::unsigned_integer: text = "an unsigned integer of "; break;
    case ValueType::Kind::real: text = "a floating-point number of "; break;
    case ValueType::Kind::other: return "a struct of " + base::bytes_text(value.bytes.size());
  }
  text += base::bytes_text(type.size);
  return type.lanes == 1 ? text : "a vector of " + std::to_string(type.lanes) + ", each " + text;
}

bool is_negative(const ArgumentData& value) {
  // The highest byte's highest bit: hosts of OpenCL are little-endian.
  return (static_cast<unsigned char>(value.bytes.back()) & 0x80) != 0;
}

/// Whether the value is one of the type, whose size it has.
bool suits(const ArgumentData& value, const NamedType& named) {
  const ValueType& type = value.type;
  if (type.kind == ValueType::Kind::other) return value.bytes.size() == named.bytes();
  const bool real = type.kind == ValueType::Kind::real, named_real = named.scalar.kind == ValueType::Kind::real;
  if (real != named_real || type.size != named.scalar.size || type.lanes != named.lanes) return false;
  // Integers of one size differ only beyond what the signed one holds.
  return real || type.kind == named.scalar.kind || (type.lanes == 1 && !is_negative(value));
}

std::string cpp_type(const NamedType& named) {
  const ValueType::Kind kind = named.scalar.kind;
  const std::string bits = std::to_string(8 * named.scalar.size);
  std::string name = kind == ValueType::Kind::real
                         ? (named.scalar.size == 2 ? "koine::float16_t" : std::string(named.scalar.name))
                         : (kind == ValueType::Kind::signed_integer ? "std::int" : "std::uint") + bits + "_t";
  return named.lanes == 1 ? name : "koine::vec<" + name + ", " + std::to_string(named.lanes) + ">";
}

void check_value(const std::string& prefix, const ArgumentData& value, const Parameter& parameter) {
  const auto named = named_type(parameter.type);
  if (parameter.space != Parameter::Space::value) {
    throw DTypeError(prefix + "is a pointer, and got " + value_text(value) + "; pass " +
                     (parameter.space == Parameter::Space::local ? "local_memory(bytes)" : "an array"));
  }
  if (!named || named->pointer || suits(value, *named)) return;
  std::string text = "is passed by value in " + base::bytes_text(named->bytes()) + ", and got " + value_text(value);
  if (value.type.lanes == 1 && value.type.kind == ValueType::Kind::signed_integer && is_negative(value) &&
      value.type.size == named->scalar.size && named->scalar.kind == ValueType::Kind::unsigned_integer) {
    text = "is unsigned, and got a negative number";
  }
  throw DTypeError(prefix + text + "; pass a " + cpp_type(*named));
}

void check_array(const std::string& prefix, const ArgumentData& argument, DType type, const Parameter& parameter) {
  switch (parameter.space) {
    case Parameter::Space::value: throw DTypeError(prefix + "is passed by value, and got an array");
    case Parameter::Space::local:
      throw DTypeError(prefix + "is local memory, and got an array; pass local_memory(bytes)");
    case Parameter::Space::global:
    case Parameter::Space::constant: break;
  }
  const auto named = named_type(parameter.type);
  if (argument.untyped || !named || holds(type, *named)) return;
  throw DTypeError(prefix + "got an array of " + std::string(name(type)) +
                   "; pass one of the kernel's type (astype converts), or in(x).untyped() or out(x).untyped() if the "
                   "kernel is to take these elements for its own");
}

}  // namespace

std::string argument_prefix(const KernelState& kernel, std::size_t index) {
  std::string text = "[Kernel] " + kernel.name() + ": argument " + std::to_string(index);
  if (index < kernel.facts.parameters.size()) {
    const Parameter& parameter = kernel.facts.parameters[index];
    text += ", " + parameter.name + " (" + (parameter.is_const ? "const " : "") + parameter.type + ")";
  }
  return text + ", ";
}

bool may_write(const KernelState& kernel, std::size_t index, const ArgumentData& argument) {
  if (argument.kind == Kind::made) return true;
  if (argument.mark != Mark::none) return argument.mark == Mark::out;
  return index >= kernel.facts.parameters.size() || !kernel.facts.parameters[index].is_const;
}

void check_arguments(const KernelState& kernel, std::span<const KernelArgument> arguments) {
  const runtime::KernelFacts& facts = kernel.facts;
  if (arguments.size() != facts.count) {
    std::string list;
    for (const Parameter& each : facts.parameters) {
      list += (list.empty() ? ": " : ", ") + std::string(each.is_const ? "const " : "") + each.type + " " + each.name;
    }
    throw ValueError("[Kernel] " + kernel.name() + " takes " + std::to_string(facts.count) +
                     (facts.count == 1 ? " argument" : " arguments") + list + "; it got " +
                     std::to_string(arguments.size()));
  }
  std::size_t bytes = 0;
  for (std::size_t index = 0; index < arguments.size(); ++index) {
    const ArgumentData& argument = arguments[index].data();
    const std::string prefix = argument_prefix(kernel, index);
    const Parameter* const parameter = facts.parameters.empty() ? nullptr : &facts.parameters[index];
    bytes += argument.kind == Kind::value ? argument.bytes.size() : sizeof(cl_mem);
    switch (argument.kind) {
      case Kind::value:
        if (argument.untyped) throw ValueError(prefix + "is a value; only arrays can be untyped");
        if (parameter != nullptr) check_value(prefix, argument, *parameter);
        continue;
      case Kind::local:
        if (argument.local_bytes == 0) throw ValueError(prefix + "got local memory of no bytes; it needs at least one");
        if (parameter != nullptr && parameter->space != Parameter::Space::local) {
          throw DTypeError(prefix + "is no pointer to local memory, and got local_memory()");
        }
        continue;
      case Kind::made:
        if (parameter != nullptr) check_array(prefix, argument, argument.made.dtype, *parameter);
        break;
      case Kind::variable:
      case Kind::part:
      case Kind::array: {
        const DType type = argument.kind == Kind::variable ? argument.variable->dtype()
                           : argument.kind == Kind::part   ? argument.part->dtype()
                                                           : argument.array.dtype();
        if (parameter != nullptr) check_array(prefix, argument, type, *parameter);
        break;
      }
    }
    const bool writes = may_write(kernel, index, argument);
    if (writes && parameter != nullptr && parameter->is_const) {
      throw ValueError(prefix + "is a pointer to const, which the kernel cannot write; pass the array without out()");
    }
    if (writes && argument.kind == Kind::array) {
      throw ValueError(prefix +
                       "may be written by the kernel, as it is no pointer to const, and got an array that is no "
                       "variable; pass a variable, or in(x) if the kernel only reads it");
    }
  }
  const DeviceTraits& traits = kernel.context.traits();
  if (bytes > traits.max_parameter_bytes) {
    throw LaunchError("[Kernel] " + kernel.name() + ": the arguments have " + std::to_string(bytes) + " bytes, and " +
                      traits.selector + " (" + traits.name + ") takes " + std::to_string(traits.max_parameter_bytes));
  }
}

}  // namespace koine::api
