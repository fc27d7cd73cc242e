// SPDX-License-Identifier: Apache-2.0
// Python's values as arguments of a kernel that are passed by value.
#pragma once

#include "function.hpp"

#include <koine/kernel.hpp>

#include <optional>
#include <string>

namespace koine::python {

/// An argument with a word about what the kernel does with it: `kn.out(x)`, `kn.in_(x)`.
struct Marked {
  nb::object array;
  bool written;
  bool untyped = false;
};

/// A number, a tuple of numbers for a vector, bytes for a struct, or a scalar of NumPy's, which has a type of its own.
/// `parameter` is what the program's text says, such as "float4 a"; numbers become that type, and where it is empty,
/// int and float. OverflowError for a number that the type cannot hold; nothing for another object.
std::optional<KernelArgument> kernel_value(nb::handle object, const std::string& parameter);

}  // namespace koine::python
