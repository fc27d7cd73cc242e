// SPDX-License-Identifier: Apache-2.0
// Operations of your own, from a few strings of OpenCL C: element by element, reductions and scans. They are lazy, take
// part in broadcasting, and share kernels with what they read and what reads them, as the library's own operations do.
#pragma once

#include <koine/array.hpp>
#include <koine/options.hpp>
#include <koine/reduction_options.hpp>

#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace koine {

namespace detail {
struct ElementwiseDefinition;
struct ReductionDefinition;
struct ScanDefinition;
}  // namespace detail

// Parameters are declared as "type name" pairs with commas between them: "T x, T y, float a". A type is one of the
// library's names (bool, int8 to int64, uint8 to uint64, float16, bfloat16, float32, float64, complex64, complex128),
// one of OpenCL C's (char, short, int, long of 64 bits, uchar, ushort, uint, ulong, half, float, double), or a
// variable, which is a single capital letter and stands for the type of the arrays that are given for it: these must
// agree. A scalar takes the type of its parameter.
//
// Texts are OpenCL C for one element. Inputs are constants there; float16 and bfloat16 are float, and round once, where
// a result leaves the text; complex64 is float2 and complex128 double2, with the parts .x and .y. Type variables can be
// used as types. `i` is the element's position in the result in row-major order, and `n` the number of elements, both
// long, unless a parameter has that name. A `.preamble` has functions, types, constants and macros that texts use,
// which are theirs alone. What the compiler refuses is a KernelBuildError with the numbered lines of the text, thrown
// when a result is observed; a text whose brackets do not match, or a wrong declaration, is a ValueError when the
// object is made.

struct ElementwiseOptions {
  detail::Named names_only = detail::named;
  std::string_view preamble = "";
};

/// An element-wise function. `inputs` and `outputs` are declarations, `operation` is statements that assign the
/// outputs, which begin as 0. A call takes an array or a scalar for each input, whose shapes broadcast.
///
///     ElementwiseKernel saxpy("T x, T y, float a", "T z", "z = a * x + y", "saxpy");
///     Array z = saxpy(x, y, 2.0f);
class KOINE_API ElementwiseKernel {
 public:
  /// `name`, an identifier of at most 48 characters, is shown in messages and in names of kernels. ValueError for a
  /// wrong declaration, with its place, for texts whose brackets do not match, and for an output whose type no input
  /// says.
  ElementwiseKernel(std::string_view inputs, std::string_view outputs, std::string_view operation,
                    std::string_view name = "elementwise", const ElementwiseOptions& options = {});

  /// The only output. ValueError for another number of arguments, or where there are several outputs; DTypeError for an
  /// argument that is not of its parameter's type; ShapeError where shapes do not broadcast.
  template <std::convertible_to<Operand>... X>
    requires(sizeof...(X) > 0)
  Array operator()(X&&... x) const {
    const Operand given[] = {std::forward<X>(x)...};
    return one(given);
  }
  /// All outputs in their order, which one kernel computes where they are evaluated together. Errors as above.
  template <std::convertible_to<Operand>... X>
    requires(sizeof...(X) > 0)
  std::vector<Array> outputs(X&&... x)
  const {
    const Operand given[] = {std::forward<X>(x)...};
    return all(given);
  }

 private:
  Array one(std::span<const Operand> given) const;
  std::vector<Array> all(std::span<const Operand> given) const;

  std::shared_ptr<const detail::ElementwiseDefinition> definition_;
};

/// The texts of a reduction, each an expression. Values are combined in the type `.accumulator`, a type or a variable,
/// by default the output's (float32 for float16 and bfloat16).
struct ReductionTexts {
  detail::Named names_only = detail::named;
  std::string_view map = "";       ///< what is reduced, of the inputs; may be left out where there is one
  std::string_view combine = "";   ///< of two values `a` and `b`, in any order and grouping
  std::string_view finish = "";    ///< the result, of the last value `a`
  std::string_view identity = "";  ///< what changes no value that it is combined with
  std::string_view accumulator = "";
  std::string_view preamble = "";
};

/// A reduction along axes. `inputs` and `output` are declarations, of which the second has one parameter. Values are
/// combined in the order of the library's own reductions: fixed by shape and device, so that a result has the same bits
/// on every run, and the same on every device under koine::reproducible, as far as the texts are. For no elements the
/// result is that of the identity.
///
///     ReductionKernel norm("T x", "T y", {.map = "x * x", .combine = "a + b", .finish = "sqrt(a)", .identity = "0"},
///                          "norm");
///     Array y = norm(x, {.axis = 1});
class KOINE_API ReductionKernel {
 public:
  /// ValueError as of ElementwiseKernel, and for texts that are missing.
  ReductionKernel(std::string_view inputs, std::string_view output, const ReductionTexts& texts,
                  std::string_view name = "reduction");

  /// One argument for each input, whose shapes broadcast. Errors as of ElementwiseKernel; IndexError for an axis out of
  /// range or named twice.
  Array operator()(Operand x, const ReductionOptions& options = {}) const;
  Array operator()(Operand x1, Operand x2, const ReductionOptions& options = {}) const;
  Array operator()(Operand x1, Operand x2, Operand x3, const ReductionOptions& options = {}) const;
  Array operator()(const std::vector<Operand>& inputs, const ReductionOptions& options = {}) const;

 private:
  Array call(std::span<const Operand> inputs, const ReductionOptions& options) const;

  std::shared_ptr<const detail::ReductionDefinition> definition_;
};

/// The texts of a scan, each an expression, and whether an element's result leaves out the element itself.
struct ScanTexts {
  detail::Named names_only = detail::named;
  std::string_view map = "";       ///< what is combined, of the inputs; may be left out where there is one
  std::string_view combine = "";   ///< of two values, `a` of earlier elements and `b` of later ones, in any grouping
  std::string_view identity = "";  ///< what changes no value that it is combined with
  bool exclusive = false;
  std::string_view preamble = "";
};

/// Options of a scan: the axis, which may be left out for one dimension.
struct ScanOptions {
  detail::Named names_only = detail::named;
  Axis axis = none;
};

/// A scan: each result is the combination of all elements to this one along an axis or, exclusively, of those before
/// it, the first then being the identity. Values are combined in the output's type (float32 for float16 and bfloat16),
/// in the order of the library's own scans, which is the same on every device.
///
///     ScanKernel latest("int x", "int y", {.combine = "b >= 0 ? b : a", .identity = "-1"}, "latest");
///     Array y = latest(x);
class KOINE_API ScanKernel {
 public:
  /// ValueError as of ElementwiseKernel, and for texts that are missing.
  ScanKernel(std::string_view inputs, std::string_view output, const ScanTexts& texts, std::string_view name = "scan");

  /// One argument for each input, whose shapes broadcast to the result's. Errors as of ElementwiseKernel; ValueError
  /// for no axes, and where several axes need an .axis; IndexError for an axis out of range.
  Array operator()(Operand x, const ScanOptions& options = {}) const;
  Array operator()(Operand x1, Operand x2, const ScanOptions& options = {}) const;
  Array operator()(Operand x1, Operand x2, Operand x3, const ScanOptions& options = {}) const;
  Array operator()(const std::vector<Operand>& inputs, const ScanOptions& options = {}) const;

 private:
  Array call(std::span<const Operand> inputs, const ScanOptions& options) const;

  std::shared_ptr<const detail::ScanDefinition> definition_;
};

}  // namespace koine
