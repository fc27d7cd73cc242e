// SPDX-License-Identifier: Apache-2.0
// Custom operations for given types: what a user declared and wrote, made into functions of a kernel.
#pragma once

#include "api/custom_text.hpp"
#include "graph/custom.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace koine::api {

/// What a variable stands for in a call.
using Types = std::vector<std::pair<std::string, DType>>;

/// What every custom operation has.
struct Declared {
  std::string name;
  std::vector<Parameter> inputs, outputs;
  UserText preamble;

  /// Checks all of them; ValueError for an output whose type is a variable that no input has.
  Declared(std::string_view name, std::string_view inputs, std::string_view outputs, std::string_view preamble);
};

/// The type of a declared one.
DType type_of(const Parameter& parameter, const Types& types);

/// Whether texts ask for the position of an element (`i`), or for the number of elements (`n`).
bool uses(const UserText& text, std::string_view word, const Declared& declared);

/// An element-wise operation with `statements`, or with an expression for its only output, of type `output`, which is a
/// part of others and called `word` in names of kernels.
graph::CustomRef elementwise_code(const Declared& declared, const UserText& statements, const Types& types);
graph::CustomRef map_code(const Declared& declared, const UserText& expression, const Types& types, DType output);

/// The texts of a fold. Values are combined in `accumulator`.
struct FoldTexts {
  UserText identity, combine, finish;
};
graph::CustomRef fold_code(const Declared& declared, const FoldTexts& texts, const Types& types, DType accumulator);
/// An element-wise operation that takes one element of bool_, whatever it is, and gives what a fold of none does.
graph::CustomRef fold_of_none(const Declared& declared, const FoldTexts& texts, const Types& types, DType accumulator);

}  // namespace koine::api
