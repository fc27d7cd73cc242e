// SPDX-License-Identifier: Apache-2.0
// Texts that users write for custom operations: declarations of parameters, and OpenCL C that is to stand inside a
// function of a kernel and must not reach beyond it.
#pragma once

#include <koine/dtype.hpp>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace koine::api {

/// "T x": a type, or a variable for one, and a name.
struct Parameter {
  std::string type;            // as it was written
  std::optional<DType> fixed;  // none for a variable
  std::string name;
};

/// The type of this name, one of the library's or of OpenCL C's; none of a variable, which is a capital letter.
/// ValueError for any other, where `place` says where it stands.
std::optional<DType> type_named(std::string_view type, std::string_view function, const std::string& place);

/// The parameters of a declaration such as "T x, float a". ValueError, with the place, for what is none; `what` is what
/// messages call it.
std::vector<Parameter> parameters_of(std::string_view declaration, std::string_view function, std::string_view what);

/// Throws ValueError unless `name` can be the name of a kernel.
void require_name(std::string_view name, std::string_view function);

enum class Form {
  statements,  // the inside of a function without a result
  expression,
  definitions,  // functions, types, constants and macros
};

/// A text that was found to be whole: its brackets match, comments, strings and conditional directives end in it.
struct UserText {
  std::string text;
  std::set<std::string, std::less<>> words;  // all identifiers
  std::vector<std::string> macros;           // that it defines
  std::vector<std::string> names;            // that definitions declare

  bool empty() const { return text.empty(); }
};

/// Checks a text; ValueError, with the place, for one that is not whole or that uses what has no meaning there, such as
/// a barrier. `what` is what messages call it.
UserText user_text(std::string_view text, Form form, std::string_view function, std::string_view what);

}  // namespace koine::api
