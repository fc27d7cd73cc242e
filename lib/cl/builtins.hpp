// SPDX-License-Identifier: Apache-2.0
// Declarations of OpenCL C's built-in functions, for compilers that would read all of them for each program.
#pragma once

#include <string>
#include <string_view>

namespace koine::cl {

/// The build option with which clang's opencl-c.h, 18,000 lines of declarations, is an empty file: its include guard.
inline constexpr std::string_view no_builtins_header = "-D_OPENCL_H_";

/// Declarations, as in opencl-c.h, of the built-in functions whose names are words of a text: of each one all forms for
/// elements and vectors of 2, 4, 8 and 16, so that a call means the same with them as with the header. Vectors of 3 and
/// functions that no kernel of the library calls are not among them; a text that needs those does not compile.
std::string builtin_declarations(std::string_view source);

}  // namespace koine::cl
