// SPDX-License-Identifier: Apache-2.0
// Reductions on the host, in the passes that kernels take, so that bits agree.
#pragma once

#include "codegen/reduce.hpp"
#include "host/body.hpp"
#include "host/fold.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace koine::host {

/// One pass of a reduction, or of several of the same elements.
class Reduction {
 public:
  struct Value {
    graph::ReduceKind kind;
    double divisor, scale;
  };
  /// None if the host cannot do it. The pass outlives this, as does its body. Where positions are found the host takes
  /// no other pass.
  static std::optional<Reduction> of(const codegen::ReducePass& pass, const codegen::ReduceWalk& walk,
                                     const std::vector<std::size_t>& axes, std::vector<Value> values,
                                     const DeviceTraits& traits);

  /// Whether it is the last pass.
  bool last() const { return last_; }
  /// How many arrays it leaves if it is not the last, and how many values are in each.
  std::size_t parts() const { return components(*pass_).size(); }
  std::size_t count() const { return kept_ * order_.blocks; }

  /// Whether elements are folded as they are computed, and as fast as kernels do, so that there may be many of them.
  /// `work`: that of the body.
  bool streams(std::uint64_t work) const;

  /// `work`: that of the body. `memory` as of Lines, `beside` of what the finish loads behind the results; a result for
  /// each value, or that of the finish, in row-major order. What is not the last leaves values of the type that they
  /// are combined in.
  std::optional<Lines::Astray> run(const DeviceTraits& traits, std::uint64_t work,
                                   std::span<const std::byte* const> memory, std::span<const std::byte* const> beside,
                                   std::span<std::byte* const> results) const;

 private:
  /// An array of each value, or of each part of moments.
  using Arrays = std::vector<std::vector<std::byte>>;
  class Taken;
  class Task;

  /// Whether rows are so short that vectors of the host's fold each in little more than its elements' time.
  bool takes_whole_rows() const;
  bool is(graph::State state) const { return graph::info(pass_->kind).state == state; }
  void finish(const DeviceTraits& traits, Arrays& states, std::span<const std::byte* const> beside,
              std::span<std::byte* const> results) const;

  const codegen::ReducePass* pass_ = nullptr;
  std::vector<Value> values_;
  std::vector<DType> types_;         // that each value, or part of moments, is combined in
  std::vector<std::int32_t> lines_;  // of the body, that have the elements of each
  graph::Layout layout_;  // of the domain's elements as they are folded: reduced axes last, or first for columns
  bool columns_ = false, last_ = true;
  std::size_t kept_ = 0, reduced_ = 0, chunk_ = 0;
  FoldOrder order_{};
};

}  // namespace koine::host
