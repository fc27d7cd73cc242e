// SPDX-License-Identifier: Apache-2.0
// What a generated kernel is passed beside its buffers: one list that writes the struct of its text and the bytes of a
// launch.
#pragma once

#include "codegen/body.hpp"
#include "device/traits.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace koine::codegen {

/// Named values in the order in which they were added, laid out as C lays out a struct of them. Kernels call it `d`,
/// and its type kn_bounds. Keeps its memory when it is filled anew: it is filled before every launch.
class ParamBlock {
 public:
  /// A name, perhaps with a number behind it. The text is not copied.
  struct Name {
    const char* text;
    std::int32_t number = -1;

    Name(const char* text_) : text(text_) {}  // NOLINT: implicit by design
    Name(const char* text_, std::size_t number_) : text(text_), number(static_cast<std::int32_t>(number_)) {}
  };

  void clear() {
    fields_.clear();
    used_ = 0;
    alignment_ = 1;
  }
  void add(Name name, std::int64_t value) { append(name, "long", &value, sizeof value); }
  void add(Name name, std::uint64_t value) { append(name, "ulong", &value, sizeof value); }
  void add(Name name, float value) { append(name, "float", &value, sizeof value); }
  void add(Name name, double value) { append(name, "double", &value, sizeof value); }
  /// An array of longs, if there are any: C has no empty ones.
  void add(Name name, std::span<const std::int64_t> values) {
    if (!values.empty()) append(name, "long", values.data(), sizeof values[0], values.size());
  }
  /// A real floating value of `type` as it is in registers.
  void add_real(Name name, DType type, double value);
  /// The value of a constant node as it is in registers.
  void add_constant(Name name, const graph::Node& constant);

  /// "typedef struct { ... } kn_bounds;"
  std::string type(std::string_view name = "kn_bounds") const;
  std::span<const std::byte> bytes() const { return {bytes_.data(), round_up(used_, alignment_)}; }

  /// Whether it does not fit beside so many buffers, so that it is read from one more.
  bool spills(std::size_t buffers, const DeviceTraits& traits) const {
    return (buffers * sizeof(std::uint64_t)) + bytes().size() > traits.max_parameter_bytes;
  }

 private:
  struct Field {
    Name name;
    std::uint32_t count;  // 0: no array
    std::string_view type;
  };

  /// `size`: of an element, whose alignment it is.
  void append(Name name, std::string_view type, const void* values, std::size_t size, std::size_t count = 0) {
    fields_.push_back({name, static_cast<std::uint32_t>(count), type});
    if (size > alignment_) alignment_ = size;
    const std::size_t at = round_up(used_, size), all = size * (count == 0 ? 1 : count);
    used_ = at + all;
    if (used_ + widest > bytes_.size()) bytes_.resize(2 * used_ + widest);
    std::memcpy(bytes_.data() + at, values, all);
    std::memset(bytes_.data() + used_, 0, widest);
  }
  static std::size_t round_up(std::size_t bytes, std::size_t power) { return (bytes + power - 1) & ~(power - 1); }

  static constexpr std::size_t widest = 16;  // alignment of a value

  std::vector<Field> fields_;
  std::vector<std::byte> bytes_;  // more than are used; behind those there are zeros, as many as may lie between values
  std::size_t used_ = 0, alignment_ = 1;
};

/// Adds what Printer's lines read of a body: constants, the bounds and strides of its loops and takes, its draws' laws.
void add_values(ParamBlock& block, const Body& body);

/// The buffers that a body's loads are passed as, and the words for faults of what is taken.
std::size_t buffers_read(const Body& body);

/// Finds the loads that lie in the memory of an earlier one of their type, and the outputs that go to that of an
/// earlier one, so that a kernel has one parameter for them where that saves two or more: some of the cards' drivers
/// take 0.3 microseconds for each. Not on a CPU, where they cost nothing.
void share_loads(Body& body, const DeviceTraits& traits);
void share_outputs(Body& body, const DeviceTraits& traits);

/// The parameter that an operand's memory is: of a load, or behind them of an output.
std::string memory_of(const Body& body, std::size_t operand);

/// The block's definitions, and how the last of a kernel's parameters reads. A block that is spilled is read from a
/// buffer under the same name.
std::string block_type(const ParamBlock& block, bool spilled);
std::string block_parameter(bool spilled);

}  // namespace koine::codegen
