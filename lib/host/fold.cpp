// SPDX-License-Identifier: Apache-2.0
// The orders of kernels/reduce_rows.cl, reduce_columns.cl and rows.cl, as CPUs' loops take them.
#include "host/fold.hpp"

#include "graph/infer.hpp"
#include "host/moments.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace koine::host {

using codegen::Body;
using codegen::ReducePass;
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
    for (std::size_t v = 0; v < half; ++v) {
      const bool neighbours = how == Join::neighbours;
      combine(kind, type, at(neighbours ? 2 * v : v), at(neighbours ? 2 * v + 1 : v + half), at(v), count);
    }
  }
}

FoldOrder order_of(const codegen::ReduceWalk& walk, const ReducePass& pass, std::size_t reduced) {
  const auto width = number(walk.width);
  FoldOrder order{width, number(walk.inner), Join::halves};
  order.blocks = number(walk.blocks);
  order.per_block = number(walk.per_block);
  if (walk.columns || walk.fixed) {  // whose segments are elements
    order.values = walk.columns ? number(walk.fixed ? walk.lanes : 1) : number(walk.tile) * width;
    order.run = reduced;
    return order;
  }
  if (walk.together) {
    order.join = Join::neighbours;
  } else if (pass.several.empty() && graph::info(pass.kind).state == graph::State::value) {
    order.join = Join::in_turn;
  }
  order.sets = number(walk.chains);
  order.segment = number(walk.segment);
  return order;
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

bool folds(ReduceKind kind, DType type) {
  return !is_complex(type) && functions().combined[number(kind)][number(type)] != nullptr;
}

std::size_t FoldOrder::begin_of(std::size_t block, std::size_t length) const {
  if (block >= blocks) return length;
  const std::size_t segments = (run + segment - 1) / segment, first = block * per_block;
  return first / segments * run + first % segments * segment;
}

void fold_rows(ReduceKind kind, DType type, const FoldOrder& order, std::size_t rows, std::size_t length,
               const std::byte* elements, std::byte* results) {
  const std::size_t size = size_in_registers(type);
  const std::size_t round = order.sets * order.values, most = order.sets > 0 ? order.segment : order.run;
  std::vector<std::byte> running(order.values * size), sets(round * size);
  for (std::size_t result = 0; result < rows * order.blocks; ++result) {
    const std::size_t row = result / order.blocks, block = result % order.blocks;
    const std::size_t last = order.begin_of(block + 1, length);
    fill_with_identity(kind, type, running.data(), order.values);
    for (std::size_t end = 0, i = order.begin_of(block, length); i < last; i = end) {
      end = std::min({i + most, (i / order.run + 1) * order.run, last});
      if (round > 0 && end - i >= round) {
        fill_with_identity(kind, type, sets.data(), round);
        for (; end - i >= round; i += round) {
          combine(kind, type, sets.data(), elements + (row * length + i) * size, sets.data(), round);
        }
        for (std::size_t set = 0; set < order.sets; ++set) {
          const std::byte* const next = sets.data() + set * order.values * size;
          combine(kind, type, running.data(), next, running.data(), order.values);
        }
      }
      for (; i < end; i += order.values) {
        const std::byte* const next = elements + (row * length + i) * size;
        combine(kind, type, running.data(), next, running.data(), std::min(order.values, end - i));
      }
    }
    join(kind, type, order.join, order.values, 1, running.data());
    std::memcpy(results + result * size, running.data(), size);
  }
}

bool finds_places(ReduceKind kind, DType type) { return functions().placed[number(kind)][number(type)] != nullptr; }

void place_rows(ReduceKind kind, DType type, std::size_t rows, std::size_t length, const std::byte* elements,
                std::byte* places) {
  const std::size_t size = size_in_registers(type);
  for (std::size_t row = 0; row < rows; ++row) {
    const void* const from[] = {elements + row * length * size, nullptr, nullptr};
    functions().placed[number(kind)][number(type)](places + row * sizeof(std::int64_t), from, length);
  }
}

namespace {

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
  // The mean is rounded: what the distances from it come to corrects their squares.
  const T rest = joined(rests), sum = joined(sums), off = rest * (rest / count);
  return sum - (off < sum ? off : 0);
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

std::optional<Reduction> Reduction::of(const ReducePass& pass, const codegen::ReduceWalk& walk,
                                       const std::vector<std::size_t>& axes, std::vector<Value> values,
                                       const DeviceTraits& traits) {
  const Body& body = *pass.body;
  if (!walk.cpu || pass.custom || !work_of(body, traits)) return std::nullopt;
  const std::vector<ReducePass> singles = single_passes(pass);
  for (const ReducePass& each : singles) {
    const bool place = graph::info(each.kind).state == graph::State::position;
    const DType type = combined_type(each);
    if (place && (pass.partial || !pass.several.empty())) return std::nullopt;
    const bool moments = graph::info(each.kind).state == graph::State::moments;
    if (!(place ? finds_places(each.kind, type) : moments || folds(each.kind, type))) return std::nullopt;
    // Before it is rounded a finish takes a result as it is in registers.
    if (pass.finish && size_of(each.result) != size_in_registers(each.result)) return std::nullopt;
  }
  if (pass.finish && !work_of(*pass.finish, traits)) return std::nullopt;
  const bool places = graph::info(pass.kind).state == graph::State::position;  // which are so in any order
  Reduction result;
  result.pass_ = &pass;
  result.values_ = std::move(values);
  result.columns_ = walk.columns && !places;
  result.last_ = pass.last || places;
  if (graph::info(pass.kind).state == graph::State::moments) result.chunk_ = number(walk.chunk);
  const Shape strides = graph::row_major_strides(body.domain);
  const auto add = [&](bool reduced) {
    std::size_t count = 1;
    for (std::size_t axis = 0; axis < body.domain.size(); ++axis) {
      if (std::binary_search(axes.begin(), axes.end(), axis) != reduced) continue;
      result.layout_.shape.push_back(body.domain[axis]);
      result.layout_.strides.push_back(strides[axis]);
      count *= number(body.domain[axis]);
    }
    return count;
  };
  if (result.columns_) result.reduced_ = add(true);
  result.kept_ = add(false);
  if (!result.columns_) result.reduced_ = add(true);
  result.order_ = places ? FoldOrder{1, result.reduced_, Join::in_turn} : order_of(walk, pass, result.reduced_);
  return result;
}

std::vector<std::byte> Reduction::elements_of(std::size_t value, DType type, const std::vector<std::byte>& all) const {
  const std::size_t size = size_in_registers(type), count = kept_ * reduced_;
  const graph::ReductionInfo& row = graph::info(values_[value].kind);
  std::vector<std::byte> elements(count * size);
  if (graph::is_row_major(layout_)) {
    elements = all;
  } else {
    gather(layout_, {}, all.data(), size, 0, count, elements.data());
  }
  if (row.maps() && !pass_->partial) {
    const void* const from[] = {elements.data(), nullptr, nullptr};
    functions().mapped[number(values_[value].kind)][number(type)](elements.data(), from, count);
  }
  return elements;
}

std::vector<std::vector<std::byte>> Reduction::moments_of(const std::vector<std::vector<std::byte>>& values) const {
  const DType type = combined_type(*pass_);
  std::vector<std::vector<std::byte>> elements;
  std::vector<const std::byte*> parts;
  for (const std::vector<std::byte>& each : values) {
    parts.push_back(elements.emplace_back(elements_of(0, type, each)).data());
  }
  return fold_moments(type, order_, columns_, chunk_, kept_, reduced_, parts);
}

void Reduction::fold(ReduceKind kind, DType type, const std::byte* elements, std::byte* results) const {
  if (graph::info(kind).state == graph::State::position) {
    return place_rows(kind, type, kept_, reduced_, elements, results);
  }
  if (!columns_) return fold_rows(kind, type, order_, kept_, reduced_, elements, results);
  const std::size_t size = kept_ * size_in_registers(type);
  std::vector<std::byte> running(order_.values * size);
  for (std::size_t block = 0; block < order_.blocks; ++block) {
    fill_with_identity(kind, type, running.data(), order_.values * kept_);
    for (std::size_t row = order_.begin_of(block, reduced_); row < order_.begin_of(block + 1, reduced_); ++row) {
      std::byte* const value = running.data() + row % order_.values * size;
      combine(kind, type, value, elements + row * size, value, kept_);
    }
    join(kind, type, order_.join, order_.values, kept_, running.data());
    std::memcpy(results + block * size, running.data(), size);
  }
}

std::optional<Lines::Astray> Reduction::run(const DeviceTraits& traits, std::span<const std::byte* const> memory,
                                            std::span<const std::byte* const> beside,
                                            std::span<std::byte* const> results) const {
  const Body& body = *pass_->body;
  const std::vector<ReducePass> singles = single_passes(*pass_);
  const bool moments = graph::info(pass_->kind).state == graph::State::moments;
  std::vector<std::vector<std::byte>> values(pass_->partial ? components(*pass_).size() : singles.size());
  Lines lines(body, traits, memory);
  for (std::size_t first = 0, count = 0; first < kept_ * reduced_; first += count) {
    count = std::min(lines.most(), kept_ * reduced_ - first);
    lines.compute(static_cast<std::int64_t>(first), count);
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::int32_t line = pass_->partial ? static_cast<std::int32_t>(k) : body.outputs[k].line;
      const DType from = body.lines[number(line)].type, type = combined_type(singles[moments ? 0 : k]);
      if (first == 0) values[k].resize(kept_ * reduced_ * size_in_registers(type));
      const void* const taken[] = {lines.values(line), nullptr, nullptr};
      functions().casts[number(from)][number(type)](values[k].data() + first * size_in_registers(type), taken, count);
    }
  }
  const Body* const finish = last_ ? pass_->finish : nullptr;
  if (moments) {
    values = moments_of(values);
    if (!last_) {
      for (std::size_t k = 0; k < values.size(); ++k) std::memcpy(results[k], values[k].data(), values[k].size());
      return lines.astray();
    }
    std::swap(values[0], values[number(Moment::squares)]);
  }
  for (std::size_t k = 0; k < singles.size(); ++k) {
    DType type = combined_type(singles[k]);
    if (!moments) {
      const std::vector<std::byte> elements = elements_of(k, type, values[k]);
      values[k].resize(count() * sizeof(std::int64_t));
      fold(values_[k].kind, type, elements.data(), values[k].data());
    }
    if (!last_) {
      std::memcpy(results[k], values[k].data(), count() * size_in_registers(type));
      continue;
    }
    const bool place = graph::info(values_[k].kind).state == graph::State::position;
    if (place) type = DType::int64;
    const FinishConstant divisor(type, values_[k].divisor), scale(type, values_[k].scale);
    const void* const state[] = {values[k].data(), divisor.value(), scale.value()};
    if (!place) functions().finished[number(values_[k].kind)][number(type)](values[k].data(), state, kept_);
    if (finish) continue;
    const void* const finished[] = {values[k].data(), nullptr, nullptr};
    const DType result = singles[k].result;
    std::vector<std::byte> rounded(kept_ * size_in_registers(result));
    functions().casts[number(type)][number(result)](rounded.data(), finished, kept_);
    store(graph::row_major(Shape{static_cast<std::int64_t>(kept_)}), result, results[k], 0, kept_, rounded.data());
  }
  if (!finish) return lines.astray();
  std::vector<const std::byte*> taken;
  for (std::size_t k = 0; k < singles.size(); ++k) taken.push_back(values[k].data());
  taken.insert(taken.end(), beside.begin(), beside.end());
  Lines finishing(*finish, traits, taken);
  for (std::size_t first = 0, count = 0; first < kept_; first += count) {
    count = std::min(finishing.most(), kept_ - first);
    finishing.compute(static_cast<std::int64_t>(first), count);
    const codegen::Output& output = finish->outputs[0];
    store(graph::row_major(finish->domain), output.node->dtype, results[0], static_cast<std::int64_t>(first), count,
          finishing.values(output.line));
  }
  return lines.astray();
}

}  // namespace koine::host
