// SPDX-License-Identifier: Apache-2.0
// Folds on the host, each in the order in which the device's kernel adds up the same elements, so that bits agree.
#pragma once

#include "base/dtypes.hpp"
#include "graph/reductions.hpp"
#include "koine/dtype.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace koine::host {

/// RunningValues values that the elements of a row fall to in turn, beginning with the first one every `run` elements,
/// and how these are combined in the end: one after another, the lower half with the upper, or neighbours.
struct FoldOrder {
  enum class Join : std::uint8_t { in_turn, halves, neighbours };
  std::size_t values, run;
  Join join;
  // Several sets of them, where there are: of each `segment` elements of a run, as many vectors as make whole rounds of
  // the sets fall to these in turn, which are combined one after another before the rest.
  std::size_t sets = 0, segment = 1;
  // A row may be several blocks of so many segments of runs, with values of their own.
  std::size_t blocks = 1, per_block = 0;

  /// Whether all elements of a row of this length fall to its values in turn.
  bool in_turn(std::size_t length) const {
    return blocks <= 1 && length <= (sets > 0 ? segment : run) && (sets == 0 || length < sets * values);
  }
  /// The first element of a block, and of what lies behind the last.
  std::size_t begin_of(std::size_t block, std::size_t length) const;
  /// Calls each(begin, length) for what of a block lies in one segment of a run, or, without sets, in one run.
  template <class Each>
  void each_segment(std::size_t block, std::size_t row, Each each) const {
    const std::size_t most = sets > 0 ? segment : run, last = begin_of(block + 1, row);
    for (std::size_t begin = begin_of(block, row), end = 0; begin < last; begin = end) {
      end = std::min({begin + most, (begin / run + 1) * run, last});
      each(begin, end - begin);
    }
  }
};

/// Of a reduction: the running values of `count` results side by side, of which `order.values` fall to each.
class RunningValues {
 public:
  RunningValues(graph::ReduceKind kind, DType type, const FoldOrder& order, std::size_t count = 1);
  /// Forgets what there was.
  void begin();
  /// Of so many elements to come those that fall to sets do.
  void begin_segment(std::size_t length);
  /// The next elements of a segment: whole rounds of the sets and of the values, but for the last.
  void add(const std::byte* elements, std::size_t count);
  /// The next `some` elements to one value of as many results, from number `first` on.
  void add(std::size_t value, std::size_t first, const std::byte* elements, std::size_t some);
  /// The results, until it begins again.
  const std::byte* join();

 private:
  void fold(std::vector<std::byte>& running, const std::byte* elements, std::size_t count, std::size_t width);

  graph::ReduceKind kind_;
  DType type_;
  FoldOrder order_;
  std::size_t count_, size_, to_sets_ = 0;
  std::vector<std::byte> values_, sets_;
};

/// A divisor or a scale in the type that values are combined in, or that of their parts.
class FinishConstant {
 public:
  FinishConstant(DType type, double value)
      : wide_(value), narrow_(static_cast<float>(value)), is_wide_(base::row_of(type).part == DType::float64) {}
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

/// The same of rows of one block, in vectors, where folds_whole_rows() of such rows: short ones take little more than
/// their elements do.
bool folds_whole_rows(graph::ReduceKind kind, DType type, const FoldOrder& order, std::size_t length);
void fold_whole_rows(graph::ReduceKind kind, DType type, const FoldOrder& order, std::size_t rows, std::size_t length,
                     const std::byte* elements, std::byte* results);

/// Whether the host can reduce by this kind, in this type: by fold_rows().
bool folds(graph::ReduceKind kind, DType type);
/// Whether it finds positions of this kind; of rows as above, one int64 each.
bool finds_positions(graph::ReduceKind kind, DType type);
void find_positions(graph::ReduceKind kind, DType type, std::size_t rows, std::size_t length, const std::byte* elements,
                    std::byte* positions);
/// Of rows as above the sum of the squared distances from the mean, added up by vectors of `width` elements as
/// kernels/rows.cl does. The type is float32 or float64.
void square_rows(DType type, std::size_t width, std::size_t rows, std::size_t length, const std::byte* elements,
                 std::byte* results);

}  // namespace koine::host
