// SPDX-License-Identifier: Apache-2.0
// Computes a kernel's straight-line code on the calling thread, line by line for some hundred elements at a time, with
// the bits that the kernel gives.
#pragma once

#include "codegen/body.hpp"
#include "device/traits.hpp"
#include "host/functions.hpp"

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <vector>

namespace koine::host {

/// Elements by operations of a body; none of one that the host cannot compute with the bits of the device's kernels.
std::optional<std::uint64_t> work_of(const codegen::Body& body, const DeviceTraits& traits);

/// The elements of a layout that has the shape of `domain`, from number `first` in row-major order on, side by side.
/// `memory` is where the layout's element 0 lies; of an iota it is null, and the elements are the positions themselves.
void gather(const graph::Layout& layout, std::span<const graph::Seam> seams, const std::byte* memory, std::size_t size,
            std::int64_t first, std::size_t count, std::byte* to);

/// A body under way. What it reads stays as it is meanwhile. One with row folds is computed by whole rows: their
/// results are those of lib/codegen/rows.hpp.
class Lines {
 public:
  /// Of a body that work_of() knows. `memory`: for each load where the memory of its source begins, null for positions.
  Lines(const codegen::Body& body, const DeviceTraits& traits, std::span<const std::byte* const> memory);

  /// Few enough for the values of all lines to stay in the nearest cache, many enough for a call to cost little.
  static std::size_t most_at_once(const codegen::Body& body);
  /// The most elements at once; with row folds whole rows.
  std::size_t most() const { return most_; }
  /// As many from number `first` on as take the least time for each: no more than to the end of a row whose elements
  /// are read where they lie.
  std::size_t most_from(std::size_t first) const;
  /// From now on compute() leaves what a line comes to at `to`, as it is in registers. Whether it can: not of what it
  /// finds in memory.
  bool redirect(std::int32_t line, std::byte* to);
  /// Computes the elements of the domain from number `first` in row-major order on.
  void compute(std::int64_t first, std::size_t count);
  /// A position that was out of range of what is taken by it, the last of several.
  struct Astray {
    const graph::Node* take;
    std::int64_t position;
  };
  const std::optional<Astray>& astray() const { return astray_; }
  /// What a line came to, in registers, until compute() is called again.
  const void* values(std::int32_t line) const { return values_[static_cast<std::size_t>(line)]; }

 private:
  struct Computed {
    Function function;  // null for a reduction, and for what is taken by positions
    std::size_t line;
    std::int32_t args[3];
    std::byte* to;
    bool spread = true;  // of a row's reduction: each element of the row is to have it
  };
  struct Loaded {
    const codegen::Load* load;
    const std::byte* memory;
    std::size_t line;
    bool in_place;       // its values are read where they lie, ...
    bool in_rows;        // ... or are as long as no other row begins
    bool repeats;        // each is the same element
    std::size_t period;  // so many begin again and again, as a row that is beside each row of another operand
    std::byte* kept;     // these, as often as a call may take them
  };

  /// What a load takes again and again, side by side.
  std::byte* keep(const Loaded& each);
  /// The elements that a load takes, in that round of its loop.
  void load(const Loaded& each, std::int64_t round, std::int64_t first, std::size_t count);
  void compute_line(const Computed& each, std::int64_t round, std::int64_t first, std::size_t count);
  void compute_take(const Computed& line, const Loaded& each, std::int64_t round, std::int64_t first,
                    std::size_t count);
  /// A reduction over a short axis, element by element.
  void compute_loop(const Computed& each, std::int64_t first, std::size_t count);
  void compute_fold(const Computed& each, std::size_t count);
  std::byte* room(std::size_t line) { return room_ + line * most_ * widest_; }

  const codegen::Body& body_;
  const std::size_t widest_;  // bytes of a value in registers, at the most
  std::size_t fold_width_ = 0;
  std::size_t most_;
  std::size_t row_ = 0;  // the elements of a row, where some loads are read row by row
  bool begun_ = false;   // the one value that some loads have is at hand
  // Of few lines of few elements all there is lies in here: memory of the heap would take as long as to compute them.
  alignas(std::max_align_t) std::byte few_[1536];
  std::pmr::monotonic_buffer_resource memory_{few_, sizeof few_};
  std::byte* room_;                       // for the values of each line, and one more
  std::pmr::vector<const void*> values_;  // by line
  std::pmr::vector<Loaded> loaded_{&memory_};
  std::pmr::vector<Computed> computed_{&memory_};
  std::optional<Astray> astray_;
};

/// Stores `count` values, as they are in registers, as the elements of an array of `type` from number `first` on.
void store(const graph::Layout& layout, DType type, std::byte* memory, std::int64_t first, std::size_t count,
           const void* values);

}  // namespace koine::host
