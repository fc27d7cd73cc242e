// SPDX-License-Identifier: Apache-2.0
// The text of a kernel: the hooks that kernels/*.cl leave open, as OpenCL C.
#pragma once

#include "codegen/body.hpp"
#include "codegen/param_block.hpp"
#include "codegen/walk.hpp"
#include "device/traits.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace koine::codegen {

/// A program in pieces, in their order: settings, the texts of `modules`, which are names of kernels/common, the
/// functions of custom operations, the definitions that fill the hooks of kernels/<kernel>.cl, and that file. Its only
/// kernel is named `entry`; `about` is what it is compiled for, for the log.
struct KernelText {
  std::string about;
  std::string settings;
  std::vector<std::string_view> modules;
  std::string custom;
  std::string definitions;
  std::string_view kernel;
  std::string entry;
};

/// The scalar type in registers: float for float16, float2 for complex64, uchar for bool_.
std::string_view register_type(DType type);
/// The signed integer type with elements of that size in registers, which conditions of vectors must have.
std::string_view mask_type(DType type);
/// The type in memory: half for float16, ushort for bfloat16.
std::string_view memory_type(DType type);

/// Prints a body's lines for vectors of `width` elements. `access` says how each load moves along the innermost axis;
/// the element offset of a row is o<k>, the position in it i, a stride KN_STRIDE(k).
class Printer {
 public:
  /// With `masks`, lines that compare vectors leave masks for those that choose by them: all lines then stand in one
  /// scope, or in loops within it.
  Printer(const Body& body, const DeviceTraits& traits, int width, bool masks = false)
      : body_(body), traits_(traits), width_(width) {
    if (masks && width > 1) find_masks();
  }

  int width() const { return width_; }
  std::string vector_type(DType type) const;
  /// A vector of `element`, a text.
  std::string repeated(DType type, const std::string& element) const;
  /// "const float k0 = ..." for the constants, which the block has as c0, c1, ...
  std::string constants() const;
  std::string load_parameters() const;
  /// Values that stay the same along a row; of the loads that `only` tells of, if it does.
  std::string uniform_loads(const std::vector<Access>& access, const std::vector<bool>& only = {}) const;
  /// Loads and arithmetic; line k's value is v<k>.
  std::string lines(const std::vector<Access>& access) const;
  /// A line's value, in the register type of `type`.
  std::string value_as(std::size_t index, DType type) const;
  /// The values of a load that is outside of loops: of the elements from i on, and of element i alone.
  std::string load_text(std::size_t load, Access access) const;
  std::string element_text(std::size_t load, Access access) const;
  /// Line `index` alone.
  std::string line(std::size_t index, const std::vector<Access>& access) const;
  /// What random numbers that are made in the kernel take before the modules; empty if there are none.
  std::string draw_settings() const;
  /// The KN_MEMORY instances of the types in memory, `stored` among them, and the KN_TAKE ones of what is taken.
  std::string memory_instances(const std::vector<DType>& stored) const;
  /// The modules that the lines need.
  std::vector<std::string_view> modules(const std::vector<DType>& stored) const;

 private:
  std::string value(std::int32_t line) const { return "v" + std::to_string(line); }
  std::string lines_of(std::int32_t loop, const std::vector<Access>& access) const;
  std::string loop_text(std::size_t index, const std::vector<Access>& access) const;
  std::string offset_text(std::size_t load) const;
  std::string take_text(std::size_t index, const std::vector<Access>& access) const;
  std::string draw_text(std::size_t load, const std::string& function, const std::string& at,
                        const std::string& stride = "") const;
  std::string line_text(std::size_t index) const;
  /// The call of a custom operation, which gives all of its results; and line `index` as one of those of line `call`.
  std::string call_text(std::size_t call) const;
  std::string result_text(std::size_t index, std::size_t call) const;
  std::string cast_text(const Line& line) const;
  void find_masks();
  /// The mask that line `index`, whose expression is `text`, leaves; and its booleans then.
  std::string mask_text(std::size_t index, const std::string& text) const;
  std::string boolean_text(std::size_t index, const std::string& text) const;
  /// Whether a line leaves a mask for a choice between elements of type `chosen`.
  bool has_mask(std::int32_t line, DType chosen) const;
  /// A mask of a line's booleans, all bits of it set or none, for a choice between elements of type `chosen`.
  std::string mask_for(std::int32_t line, DType chosen) const;
  std::string table_text(std::size_t index) const;
  /// The expression by Koine's own function, null where the driver's serves.
  const graph::OwnExpression* own_expression(const Line& line) const;
  /// The table's expression, or one that avoids what the device's driver gets wrong.
  const char* expression_of(const Line& line) const;

  const Body& body_;
  const DeviceTraits& traits_;
  int width_;
  /// Of each line the type of an element of its mask is<k>, bool_ where it leaves none.
  std::vector<DType> masks_;
};

/// The macros that must stand before the modules: a spec's, and what the device says.
template <class Spec>
std::string settings(const Spec& spec, const DeviceTraits& traits) {
  return (traits.fp64 ? "#define KN_FP64 1\n" : "") + defines_of(spec);
}

/// How values go to the places that lines name, of which some may be equal: all do, each claims its place by its number
/// from 1 on, of which the position keeps the highest, or those do whose claim was kept; `together` is both by a single
/// work-group that has a vector for each of its work-items.
enum class Scatters : std::uint8_t { all, claims, claimed, together };
/// Whether a single group is to claim the places of so many values, and put them there.
bool scatters_together(const DeviceTraits& traits, std::int64_t values);

/// A kernel that stores every output of the body: kernels/elementwise.cl.
KernelText print_elementwise(const Body& body, const Walk& walk, const ParamBlock& block, const DeviceTraits& traits,
                             Scatters scatters = Scatters::all);

/// A function `name`(v, left): v where elements exist, else what changes nothing.
std::string only_function(int width, DType type, const std::string& identity, const std::string& name = "kn_only");

/// A function `name`(v): what `join` makes of the elements of a vector, by halves.
std::string halves_function(const std::string& name, const std::string& element, int width, const std::string& join);

/// A function kn_transpose_<element>(t), which transposes the block that `width` vectors of so many elements are.
std::string transpose_function(const std::string& element, int width);

/// `text` as the definition of a macro of several lines.
std::string define(std::string_view name, std::string_view text);

}  // namespace koine::codegen
