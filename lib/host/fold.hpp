// SPDX-License-Identifier: Apache-2.0
// Reductions on the host, each in the order in which the device's kernel adds up the same elements, so that bits agree.
#pragma once

#include "codegen/reduce.hpp"
#include "host/body.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace koine::host {

/// Running values that the elements of a row fall to in turn, beginning with the first one every `run` elements, and
/// how these are combined in the end: one after another, the lower half with the upper, or neighbours.
struct FoldOrder {
  enum class Join : std::uint8_t { in_turn, halves, neighbours };
  std::size_t values, run;
  Join join;
  // Several sets of them, where there are: of each `segment` elements of a run, as many vectors as make whole rounds of
  // the sets fall to these in turn, which are combined one after another before the rest.
  std::size_t sets = 0, segment = 1;
  // A row may be several blocks of so many segments of runs, with values of their own.
  std::size_t blocks = 1, per_block = 0;

  /// The first element of a block, and of what lies behind the last.
  std::size_t begin_of(std::size_t block, std::size_t length) const;
};

/// A divisor or a scale in the type that values are combined in.
class FinishConstant {
 public:
  FinishConstant(DType type, double value)
      : wide_(value), narrow_(static_cast<float>(value)), is_wide_(type == DType::float64) {}
  const void* value() const { return is_wide_ ? static_cast<const void*>(&wide_) : &narrow_; }

 private:
  double wide_;
  float narrow_;
  bool is_wide_;
};

/// to[i] = a[i] combined with b[i], which may lie where `to` does; and what changes nothing that it is combined with.
void combine(graph::ReduceKind kind, DType type, const void* a, const void* b, void* to, std::size_t count);
void fill_with_identity(graph::ReduceKind kind, DType type, void* to, std::size_t count);

/// Of rows of `length` elements of `type`, side by side, one value for each block.
void fold_rows(graph::ReduceKind kind, DType type, const FoldOrder& order, std::size_t rows, std::size_t length,
               const std::byte* elements, std::byte* results);

/// Whether the host can reduce by this kind, in this type: by fold_rows().
bool folds(graph::ReduceKind kind, DType type);
/// Whether it finds places of this kind; of rows as above, one int64 each.
bool finds_places(graph::ReduceKind kind, DType type);
void place_rows(graph::ReduceKind kind, DType type, std::size_t rows, std::size_t length, const std::byte* elements,
                std::byte* places);
/// Of rows as above the sum of the squared distances from the mean, added up by vectors of `width` elements as
/// kernels/rows.cl does. The type is float32 or float64.
void square_rows(DType type, std::size_t width, std::size_t rows, std::size_t length, const std::byte* elements,
                 std::byte* results);

/// One pass of a reduction, or of several of the same elements.
class Reduction {
 public:
  struct Value {
    graph::ReduceKind kind;
    double divisor, scale;
  };
  /// None if the host cannot do it. The pass outlives this, as does its body. Where places are found the host takes no
  /// other pass.
  static std::optional<Reduction> of(const codegen::ReducePass& pass, const codegen::ReduceWalk& walk,
                                     const std::vector<std::size_t>& axes, std::vector<Value> values,
                                     const DeviceTraits& traits);

  /// Whether it is the last pass.
  bool last() const { return last_; }
  /// How many arrays it leaves if it is not the last, and how many values are in each.
  std::size_t parts() const { return components(*pass_).size(); }
  std::size_t count() const { return kept_ * order_.blocks; }

  /// `memory` as of Lines, `beside` of what the finish loads behind the results; a result for each value, or that of
  /// the finish, in row-major order. What is not the last leaves values of the type that they are combined in.
  std::optional<Lines::Astray> run(const DeviceTraits& traits, std::span<const std::byte* const> memory,
                                   std::span<const std::byte* const> beside, std::span<std::byte* const> results) const;

 private:
  /// All elements in the type that they are combined in, in the order of `layout_`.
  std::vector<std::byte> elements_of(std::size_t value, DType type, const std::vector<std::byte>& all) const;
  /// Of what lies as in run(), count() of each part.
  std::vector<std::vector<std::byte>> moments_of(const std::vector<std::vector<std::byte>>& values) const;
  /// In the order of the kernel; of `position` where each row's place is.
  void fold(graph::ReduceKind kind, DType type, const std::byte* elements, std::byte* results) const;

  const codegen::ReducePass* pass_ = nullptr;
  std::vector<Value> values_;
  graph::Layout layout_;  // of the domain's elements as they are folded: reduced axes last, or first for columns
  bool columns_ = false, last_ = true;
  std::size_t kept_ = 0, reduced_ = 0, chunk_ = 0;
  FoldOrder order_{};
};

}  // namespace koine::host
