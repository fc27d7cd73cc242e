// SPDX-License-Identifier: Apache-2.0
// The orders of kernels/reduce_rows.cl, reduce_columns.cl and rows.cl, as CPUs' loops take them.
#include "host/fold.hpp"

#include "host/functions.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include <common/moments.clh>

namespace koine::host {

using graph::ReduceKind;
using Join = FoldOrder::Join;

namespace {

std::size_t number(auto value) { return static_cast<std::size_t>(value); }

/// Brings `values` running values, each of `count` neighbouring elements, down to the first.
void join(ReduceKind kind, DType type, Join how, std::size_t values, std::size_t count, std::byte* running) {
  const std::size_t size = count * size_in_registers(type);
  const auto at = [&](std::size_t value) { return running + value * size; };
  if (how == Join::in_turn) {
    for (std::size_t v = 1; v < values; ++v) combine(kind, type, running, at(v), running, count);
    return;
  }
  for (std::size_t half = values / 2; half > 0; half /= 2) {
    if (how == Join::halves) combine(kind, type, running, at(half), running, half * count);
    for (std::size_t v = 0; v < half && how == Join::neighbours; ++v) {
      combine(kind, type, at(2 * v), at(2 * v + 1), at(v), count);
    }
  }
}

}  // namespace

void combine(ReduceKind kind, DType type, const void* a, const void* b, void* to, std::size_t count) {
  const void* const from[] = {a, b, nullptr};
  functions().combined[number(kind)][number(type)](to, from, count);
}

void fill_with_identity(ReduceKind kind, DType type, void* to, std::size_t count) {
  const void* const from[3] = {};
  functions().identities[number(kind)][number(type)](to, from, count);
}

bool folds(ReduceKind kind, DType type) { return functions().combined[number(kind)][number(type)] != nullptr; }

std::size_t FoldOrder::begin_of(std::size_t block, std::size_t length) const {
  if (block >= blocks) return length;
  const std::size_t segments = (run + segment - 1) / segment, first = block * per_block;
  return first / segments * run + first % segments * segment;
}

RunningValues::RunningValues(ReduceKind kind, DType type, const FoldOrder& order, std::size_t count)
    : kind_(kind),
      type_(type),
      order_(order),
      count_(count),
      size_(size_in_registers(type)),
      values_(order.values * count * size_),
      sets_(order.sets * order.values * size_) {}

void RunningValues::begin() { fill_with_identity(kind_, type_, values_.data(), order_.values * count_); }

void RunningValues::begin_segment(std::size_t length) {
  const std::size_t round = order_.sets * order_.values;
  to_sets_ = round > 0 ? length / round * round : 0;
  if (to_sets_ > 0) fill_with_identity(kind_, type_, sets_.data(), round);
}

void RunningValues::add(const std::byte* elements, std::size_t count) {
  if (to_sets_ > 0) {
    const std::size_t now = std::min(count, to_sets_);
    fold(sets_, elements, now, order_.sets * order_.values);
    elements += now * size_;
    count -= now;
    to_sets_ -= now;
    for (std::size_t set = 0; set < order_.sets && to_sets_ == 0; ++set) {
      combine(kind_, type_, values_.data(), sets_.data() + set * order_.values * size_, values_.data(), order_.values);
    }
  }
  fold(values_, elements, count, order_.values * count_);
}

void RunningValues::fold(std::vector<std::byte>& running, const std::byte* elements, std::size_t count,
                         std::size_t width) {
  // Few enough for all elements of a call to stay in the nearest cache while each vector is folded.
  constexpr std::size_t most_bytes = 4096;
  const std::size_t rounds = count / width, bytes = width * size_;
  std::size_t done = 0;
  const Fold in_vectors = functions().folded[number(kind_)][number(type_)];
  if (in_vectors != nullptr && rounds > 1 && bytes <= most_bytes) {
    in_vectors(running.data(), elements, width, rounds);
    done = rounds * width;
  }
  for (std::size_t now = 0; done < count; done += now) {
    now = std::min(width, count - done);
    combine(kind_, type_, running.data(), elements + done * size_, running.data(), now);
  }
}

void RunningValues::add(std::size_t value, std::size_t first, const std::byte* elements, std::size_t some) {
  std::byte* const running = values_.data() + (value * count_ + first) * size_;
  combine(kind_, type_, running, elements, running, some);
}

const std::byte* RunningValues::join() {
  host::join(kind_, type_, order_.join, order_.values, count_, values_.data());
  return values_.data();
}

void fold_rows(ReduceKind kind, DType type, const FoldOrder& order, std::size_t rows, std::size_t length,
               const std::byte* elements, std::byte* results) {
  const std::size_t size = size_in_registers(type);
  RunningValues running(kind, type, order);
  for (std::size_t result = 0; result < rows * order.blocks; ++result) {
    const std::byte* const row = elements + result / order.blocks * length * size;
    running.begin();
    order.each_segment(result % order.blocks, length, [&](std::size_t begin, std::size_t count) {
      running.begin_segment(count);
      running.add(row + begin * size, count);
    });
    std::memcpy(results + result * size, running.join(), size);
  }
}

bool folds_whole_rows(ReduceKind kind, DType type, const FoldOrder& order, std::size_t length) {
  const FoldRows in_vectors = functions().rows_folded[number(kind)][number(type)];
  const bool order_is_known = order.join == Join::neighbours && order.blocks == 1 && length <= order.run &&
                              (order.sets == 0 || (order.sets == fold_chains && length <= order.segment));
  return in_vectors != nullptr && order_is_known &&
         in_vectors(nullptr, nullptr, nullptr, {0, length, order.values, {}});
}

void fold_whole_rows(ReduceKind kind, DType type, const FoldOrder& order, std::size_t rows, std::size_t length,
                     const std::byte* elements, std::byte* results) {
  alignas(widest_in_registers) std::byte identity[widest_in_registers];
  fill_with_identity(kind, type, identity, 1);
  const FoldedRows how{rows, length, order.values, order.sets > 0};
  functions().rows_folded[number(kind)][number(type)](results, elements, identity, how);
}

bool finds_positions(ReduceKind kind, DType type) {
  return functions().positions[number(kind)][number(type)] != nullptr;
}

void find_positions(ReduceKind kind, DType type, std::size_t rows, std::size_t length, const std::byte* elements,
                    std::byte* positions) {
  const std::size_t size = size_in_registers(type);
  for (std::size_t row = 0; row < rows; ++row) {
    const void* const from[] = {elements + row * length * size, nullptr, nullptr};
    functions().positions[number(kind)][number(type)](positions + row * sizeof(std::int64_t), from, length);
  }
}

namespace {

using std::fmin;

template <class T>
T squares(const T* values, std::size_t length, std::size_t width) {
  std::vector<T> first(width), rests(width), sums(width);
  const auto joined = [&](std::vector<T>& lanes) {
    for (std::size_t half = width / 2; half > 0; half /= 2) {
      for (std::size_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
    }
    return lanes[0];
  };
  // Divided by a power of two, which is exact: the sum of large elements may be past the range.
  const T share = 1 / static_cast<T>(std::max(std::bit_ceil(length), width)), count = static_cast<T>(length);
  for (std::size_t i = 0; i < length; ++i) first[i % width] += values[i] * share;
  const T mean = joined(first) / (count * share);
  for (std::size_t i = 0; i < length; ++i) {
    const T apart = values[i] - mean;
    rests[i % width] += apart;
    sums[i % width] += apart * apart;
  }
  const T rest = joined(rests), sum = joined(sums);
  return KN_AROUND_MEAN(T, sum, rest * (rest / count));
}

}  // namespace

void square_rows(DType type, std::size_t width, std::size_t rows, std::size_t length, const std::byte* elements,
                 std::byte* results) {
  const auto of_type = [&]<class T>(T) {
    for (std::size_t row = 0; row < rows; ++row) {
      reinterpret_cast<T*>(results)[row] = squares(reinterpret_cast<const T*>(elements) + row * length, length, width);
    }
  };
  return type == DType::float64 ? of_type(double{}) : of_type(float{});
}

}  // namespace koine::host
