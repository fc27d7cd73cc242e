// SPDX-License-Identifier: Apache-2.0
// Going through a reduction's elements by blocks, which threads share.
#include "host/reduction.hpp"

#include "graph/infer.hpp"
#include "host/moments.hpp"
#include "host/parts.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

namespace koine::host {

using codegen::Body;
using codegen::ReducePass;
using graph::ReduceKind;
using graph::State;
using Join = FoldOrder::Join;

namespace {

std::size_t number(auto value) { return static_cast<std::size_t>(value); }

constexpr std::size_t shortest_whole_row = 64;

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

std::optional<Reduction> Reduction::of(const ReducePass& pass, const codegen::ReduceWalk& walk,
                                       const std::vector<std::size_t>& axes, std::vector<Value> values,
                                       const DeviceTraits& traits) {
  const Body& body = *pass.body;
  if (!walk.cpu || pass.custom || !work_of(body, traits)) return std::nullopt;
  const std::vector<ReducePass> singles = single_passes(pass);
  const bool positions = graph::info(pass.kind).state == graph::State::position;  // which are so in any order
  for (const ReducePass& each : singles) {
    const bool position = graph::info(each.kind).state == graph::State::position;
    const DType type = combined_type(each);
    if ((position && pass.partial) || position != positions) return std::nullopt;
    const bool moments = graph::info(each.kind).state == graph::State::moments;
    if (!(position ? finds_positions(each.kind, type) : moments || folds(each.kind, type))) return std::nullopt;
    // Before it is rounded a finish takes a result as it is in registers.
    if (pass.finish && size_of(each.result) != size_in_registers(each.result)) return std::nullopt;
  }
  if (pass.finish && (pass.finish->outputs.size() > 1 || !work_of(*pass.finish, traits))) return std::nullopt;
  Reduction result;
  result.pass_ = &pass;
  result.values_ = std::move(values);
  result.columns_ = walk.columns && !positions;
  result.last_ = pass.last || positions;
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
  const std::size_t reduced = shares_state(pass) ? 1 : singles.size();
  for (std::size_t k = 0; k < (pass.partial ? components(pass).size() : reduced); ++k) {
    result.types_.push_back(combined_type(singles[std::min(k, singles.size() - 1)]));
    result.lines_.push_back(pass.partial ? static_cast<std::int32_t>(k) : body.outputs[k].line);
  }
  result.order_ = positions ? FoldOrder{1, result.reduced_, Join::in_turn} : order_of(walk, pass, result.reduced_);
  return result;
}

bool Reduction::takes_whole_rows() const {
  if (columns_ || !graph::is_row_major(layout_) || reduced_ < shortest_whole_row) return false;
  if (is(State::moments) || is(State::position) || reduced_ > Lines::most_at_once(*pass_->body)) return false;
  for (std::size_t k = 0; k < types_.size(); ++k) {
    if (!folds_whole_rows(values_[k].kind, types_[k], order_, reduced_)) return false;
  }
  return true;
}

bool Reduction::streams(std::uint64_t work) const {
  // Of shorter rows, and of more columns, kernels fold several at a time. Their code is one loop, where the host has
  // one for each operation: this outweighs their launch where there is more work than so much.
  constexpr std::size_t shortest_row = 4096, most_columns = 4096;
  constexpr std::uint64_t most_short_work = std::uint64_t{1} << 21;
  if (is(State::moments) || !graph::is_row_major(layout_)) return false;
  if (columns_) return kept_ * order_.values <= most_columns;
  return reduced_ >= shortest_row || (work <= most_short_work && takes_whole_rows());
}

/// The elements, in the order of the domain, in the types that they are combined in. Of one thread.
class Reduction::Taken {
 public:
  Taken(const Reduction& reduction, const DeviceTraits& traits, std::span<const std::byte* const> memory)
      : reduction_(reduction), lines_(*reduction.pass_->body, traits, memory), taken_(reduction.types_.size()) {}

  std::size_t most() const { return lines_.most(); }
  void compute(std::size_t first, std::size_t count) {
    lines_.compute(static_cast<std::int64_t>(first), count);
    for (std::size_t k = 0; k < taken_.size(); ++k) {
      const std::int32_t line = reduction_.lines_[k];
      const DType from = reduction_.pass_->body->lines[number(line)].type, to = reduction_.types_[k];
      const ReduceKind kind = reduction_.values_[std::min(k, reduction_.values_.size() - 1)].kind;
      const bool maps = !reduction_.pass_->partial && graph::info(kind).maps();
      taken_[k].values = static_cast<const std::byte*>(lines_.values(line));
      if (from == to && !maps) continue;
      taken_[k].room.resize(most() * size_in_registers(to));
      const void* values[] = {taken_[k].values, nullptr, nullptr};
      functions().casts[number(from)][number(to)](taken_[k].room.data(), values, count);
      values[0] = taken_[k].values = taken_[k].room.data();
      if (maps) functions().mapped[number(kind)][number(to)](taken_[k].room.data(), values, count);
    }
  }
  const std::byte* values(std::size_t k) const { return taken_[k].values; }
  const std::optional<Lines::Astray>& astray() const { return lines_.astray(); }

 private:
  struct Values {
    const std::byte* values = nullptr;
    std::vector<std::byte> room;
  };
  const Reduction& reduction_;
  Lines lines_;
  std::vector<Values> taken_;
};

/// A run, whose units threads take one after the other.
class Reduction::Task {
 public:
  Task(const Reduction& reduction, const DeviceTraits& traits, std::span<const std::byte* const> memory)
      : r_(reduction), traits_(traits), memory_(memory) {}

  void run(std::uint64_t work) {
    const bool positions = r_.is(State::position);
    if (r_.is(State::moments) || !graph::is_row_major(r_.layout_)) gather_all();
    if (r_.is(State::moments)) return fold_moments();
    if (positions) blocks_ = (r_.reduced_ + elements_of_unit - 1) / elements_of_unit;
    const bool beside =
        !r_.columns_ && !positions && r_.reduced_ <= longest_short_row && r_.order_.in_turn(r_.reduced_);
    const bool whole = !beside && r_.takes_whole_rows();
    if (whole) tile_ = std::min(r_.kept_, few_elements / r_.reduced_);
    if (r_.columns_ || beside) tile_ = std::min(r_.kept_, std::max<std::size_t>(tile_elements / r_.order_.values, 1));
    for (const DType type : r_.types_) states.emplace_back(r_.kept_ * blocks_ * size_in_registers(type));
    // Behind the best values their positions.
    if (positions)
      states.resize(2 * r_.types_.size(), std::vector<std::byte>(r_.kept_ * blocks_ * sizeof(std::int64_t)));
    const std::size_t units = blocks_ * ((r_.kept_ + tile_ - 1) / tile_);
    // So many at once that a thread takes neither too few elements nor all of them.
    const std::size_t each = std::max<std::size_t>(1, few_elements * units / (r_.kept_ * r_.reduced_));
    Parts parts((units + each - 1) / each);
    std::mutex mutex;
    share(traits_, work, parts, [&] {
      Taken taken(r_, traits_, memory_);
      std::vector<RunningValues> running;
      for (std::size_t k = 0; k < r_.types_.size() && !positions && !whole; ++k) {
        running.emplace_back(r_.values_[k].kind, r_.types_[k], r_.order_, tile_);
      }
      for (std::size_t part; parts.take(part);) {
        for (std::size_t unit = part * each; unit < std::min(units, (part + 1) * each); ++unit) {
          if (positions) {
            find_best(taken, unit);
          } else if (r_.columns_) {
            fold_columns(taken, running, unit);
          } else if (whole) {
            fold_whole_rows(taken, unit);
          } else if (beside) {
            fold_short_rows(taken, running, unit);
          } else {
            fold_row(taken, running, unit);
          }
        }
      }
      const std::lock_guard lock(mutex);
      if (taken.astray()) astray = taken.astray();
    });
    if (positions) join_positions();
  }

  Arrays states;
  std::optional<Lines::Astray> astray;

 private:
  // Of positions and of short rows a part, of columns the running values that the nearest cache holds.
  static constexpr std::size_t elements_of_unit = 1 << 14, tile_elements = 4096, few_elements = 1 << 13,
                               longest_short_row = 64;

  /// All elements, brought into the order in which they are folded.
  void gather_all() {
    Taken taken(r_, traits_, memory_);
    const std::size_t elements = r_.kept_ * r_.reduced_;
    for (const DType type : r_.types_) gathered_.emplace_back(elements * size_in_registers(type));
    for (std::size_t first = 0, count = 0; first < elements; first += count) {
      count = std::min(taken.most(), elements - first);
      taken.compute(first, count);
      for (std::size_t k = 0; k < gathered_.size(); ++k) {
        const std::size_t size = size_in_registers(r_.types_[k]);
        std::memcpy(gathered_[k].data() + first * size, taken.values(k), count * size);
      }
    }
    for (std::size_t k = 0; k < gathered_.size() && !graph::is_row_major(r_.layout_); ++k) {
      const std::vector<std::byte> all = std::exchange(gathered_[k], std::vector<std::byte>(gathered_[k].size()));
      gather(r_.layout_, {}, all.data(), size_in_registers(r_.types_[k]), 0, elements, gathered_[k].data());
    }
    astray = taken.astray();
  }

  void fold_moments() {
    std::vector<const std::byte*> parts;
    for (const std::vector<std::byte>& each : gathered_) parts.push_back(each.data());
    states = host::fold_moments(r_.types_[0], r_.order_, r_.columns_, r_.chunk_, r_.kept_, r_.reduced_, parts);
  }

  /// Calls f(k, elements) of each value, with the elements from `first` on in the order of the fold.
  template <class F>
  void each_value(Taken& taken, std::size_t first, std::size_t count, F f) {
    if (gathered_.empty()) taken.compute(first, count);
    for (std::size_t k = 0; k < r_.types_.size(); ++k) {
      f(k, gathered_.empty() ? taken.values(k) : gathered_[k].data() + first * size_in_registers(r_.types_[k]));
    }
  }

  void put(std::vector<RunningValues>& running, std::size_t at, std::size_t count) {
    for (std::size_t k = 0; k < running.size(); ++k) {
      const std::size_t size = size_in_registers(r_.types_[k]);
      std::memcpy(states[k].data() + at * size, running[k].join(), count * size);
    }
  }

  void fold_row(Taken& taken, std::vector<RunningValues>& running, std::size_t unit) {
    const std::size_t row = unit / blocks_;
    for (RunningValues& each : running) each.begin();
    r_.order_.each_segment(unit % blocks_, r_.reduced_, [&](std::size_t begin, std::size_t length) {
      for (RunningValues& each : running) each.begin_segment(length);
      for (std::size_t i = 0, count = 0; i < length; i += count) {
        count = std::min(taken.most(), length - i);
        each_value(taken, row * r_.reduced_ + begin + i, count,
                   [&](std::size_t k, const std::byte* elements) { running[k].add(elements, count); });
      }
    });
    put(running, unit, 1);
  }

  /// Rows of which several are computed at once.
  void fold_whole_rows(Taken& taken, std::size_t unit) {
    const std::size_t end = std::min(unit * tile_ + tile_, r_.kept_), length = r_.reduced_;
    for (std::size_t row = unit * tile_, rows = 0; row < end; row += rows) {
      rows = std::min(taken.most() / length, end - row);
      each_value(taken, row * length, rows * length, [&](std::size_t k, const std::byte* elements) {
        const DType type = r_.types_[k];
        host::fold_whole_rows(r_.values_[k].kind, type, r_.order_, rows, length, elements,
                              states[k].data() + row * size_in_registers(type));
      });
    }
  }

  /// Rows that are over before their running values are worth a loop: as columns, many at a time.
  void fold_short_rows(Taken& taken, std::vector<RunningValues>& running, std::size_t unit) {
    const std::size_t begin = unit * tile_, rows = std::min(tile_, r_.kept_ - begin), length = r_.reduced_;
    std::vector<std::byte> turned(std::min(taken.most(), rows * length) * widest_in_registers);
    for (RunningValues& each : running) each.begin();
    for (std::size_t row = 0, some = 0; row < rows; row += some) {
      some = std::min(taken.most() / length, rows - row);
      each_value(taken, (begin + row) * length, some * length, [&](std::size_t k, const std::byte* elements) {
        const std::size_t size = size_in_registers(r_.types_[k]);
        const Shape columns{length, some}, strides{std::size_t{1}, length};
        gather({columns, strides}, {}, elements, size, 0, some * length, turned.data());
        for (std::size_t i = 0; i < length; ++i) {
          running[k].add(i % r_.order_.values, row, turned.data() + i * some * size, some);
        }
      });
    }
    put(running, begin, rows);
  }

  void fold_columns(Taken& taken, std::vector<RunningValues>& running, std::size_t unit) {
    const std::size_t kept = r_.kept_, values = r_.order_.values, block = unit % blocks_,
                      begin = unit / blocks_ * tile_, across = std::min(tile_, kept - begin),
                      first = r_.order_.begin_of(block, r_.reduced_), last = r_.order_.begin_of(block + 1, r_.reduced_);
    for (RunningValues& each : running) each.begin();
    for (std::size_t row = first, rows = 1; row < last; row += rows) {
      rows = std::min(taken.most() / (values * kept) * values, last - row);
      if (rows > 0) {
        each_value(taken, row * kept, rows * kept,
                   [&](std::size_t k, const std::byte* elements) { running[k].add(elements, rows * kept); });
        continue;
      }
      rows = 1;
      for (std::size_t i = 0, count = 0; i < across; i += count) {
        count = std::min(taken.most(), across - i);
        each_value(taken, row * kept + begin + i, count, [&](std::size_t k, const std::byte* elements) {
          running[k].add((row - first) % values, i, elements, count);
        });
      }
    }
    put(running, block * kept + begin, across);
  }

  void find_best(Taken& taken, std::size_t unit) {
    struct Best {
      std::vector<std::byte> pair;  // the best so far, and that of the next elements
      std::int64_t position;
    };
    std::vector<Best> best;
    for (const DType type : r_.types_) best.push_back({std::vector<std::byte>(2 * size_in_registers(type)), -1});
    const std::size_t row = unit / blocks_, begin = unit % blocks_ * elements_of_unit,
                      end = std::min(begin + elements_of_unit, r_.reduced_);
    for (std::size_t i = begin, count = 0; i < end; i += count) {
      count = std::min(taken.most(), end - i);
      each_value(taken, row * r_.reduced_ + i, count, [&](std::size_t k, const std::byte* elements) {
        const std::int64_t position = position_of(k, count, elements);
        std::byte* const pair = best[k].pair.data();
        const std::size_t size = size_in_registers(r_.types_[k]);
        std::memcpy(pair + size, elements + number(position) * size, size);
        if (best[k].position >= 0 && position_of(k, 2, pair) == 0) return;
        best[k].position = static_cast<std::int64_t>(i) + position;
        std::memcpy(pair, pair + size, size);
      });
    }
    for (std::size_t k = 0; k < best.size(); ++k) {
      const std::size_t size = size_in_registers(r_.types_[k]);
      std::memcpy(states[k].data() + unit * size, best[k].pair.data(), size);
      reinterpret_cast<std::int64_t*>(states[best.size() + k].data())[unit] = best[k].position;
    }
  }

  std::int64_t position_of(std::size_t k, std::size_t count, const std::byte* elements) const {
    std::int64_t position = 0;
    find_positions(r_.values_[k].kind, r_.types_[k], 1, count, elements, reinterpret_cast<std::byte*>(&position));
    return position;
  }

  /// Leaves the positions of each row as its states.
  void join_positions() {
    for (std::size_t k = 0; k < r_.types_.size(); ++k) {
      const std::size_t row_size = blocks_ * size_in_registers(r_.types_[k]);
      auto* const positions = reinterpret_cast<std::int64_t*>(states[r_.types_.size() + k].data());
      // Of each row behind the ones before, whose blocks are no longer needed.
      for (std::size_t row = 0; row < r_.kept_; ++row) {
        positions[row] = positions[row * blocks_ + number(position_of(k, blocks_, states[k].data() + row * row_size))];
      }
    }
    states.erase(states.begin(), states.begin() + static_cast<std::ptrdiff_t>(r_.types_.size()));
  }

  const Reduction& r_;
  const DeviceTraits& traits_;
  const std::span<const std::byte* const> memory_;
  std::size_t blocks_ = r_.order_.blocks, tile_ = 1;
  Arrays gathered_;  // where elements are folded in another order than the domain's, or all at once
};

std::optional<Lines::Astray> Reduction::run(const DeviceTraits& traits, std::uint64_t work,
                                            std::span<const std::byte* const> memory,
                                            std::span<const std::byte* const> beside,
                                            std::span<std::byte* const> results) const {
  Task task(*this, traits, memory);
  task.run(work);
  if (last_) {
    if (is(State::moments)) std::swap(task.states[0], task.states[number(Moment::squares)]);
    if (shares_state(*pass_)) {  // of which there may be more than parts of it, as of equal positions
      task.states.resize(pass_->several.size());
      std::fill(task.states.begin() + 1, task.states.end(), task.states[0]);
    }
    finish(traits, task.states, beside, results);
  } else {
    for (std::size_t k = 0; k < task.states.size(); ++k) {
      std::memcpy(results[k], task.states[k].data(), task.states[k].size());
    }
  }
  return task.astray;
}

void Reduction::finish(const DeviceTraits& traits, Arrays& states, std::span<const std::byte* const> beside,
                       std::span<std::byte* const> results) const {
  const std::vector<ReducePass> singles = single_passes(*pass_);
  const bool positions = is(State::position);
  for (std::size_t k = 0; k < singles.size(); ++k) {
    const DType type = positions ? DType::int64 : combined_type(singles[k]);
    const FinishConstant divisor(type, values_[k].divisor), scale(type, values_[k].scale);
    const void* const state[] = {states[k].data(), divisor.value(), scale.value()};
    if (!positions) functions().finished[number(values_[k].kind)][number(type)](states[k].data(), state, kept_);
    if (pass_->finish) continue;
    const void* const finished[] = {states[k].data(), nullptr, nullptr};
    const DType result = singles[k].result;
    std::vector<std::byte> rounded(kept_ * size_in_registers(result));
    functions().casts[number(type)][number(result)](rounded.data(), finished, kept_);
    store(graph::row_major(Shape{static_cast<std::int64_t>(kept_)}), result, results[k], 0, kept_, rounded.data());
  }
  if (!pass_->finish) return;
  const Body& finish = *pass_->finish;
  std::vector<const std::byte*> taken;
  for (std::size_t k = 0; k < singles.size(); ++k) taken.push_back(states[k].data());
  taken.insert(taken.end(), beside.begin(), beside.end());
  Lines finishing(finish, traits, taken);
  for (std::size_t first = 0, count = 0; first < kept_; first += count) {
    count = std::min(finishing.most(), kept_ - first);
    finishing.compute(static_cast<std::int64_t>(first), count);
    const codegen::Output& output = finish.outputs[0];
    store(graph::row_major(finish.domain), output.node->dtype, results[0], static_cast<std::int64_t>(first), count,
          finishing.values(output.line));
  }
}

}  // namespace koine::host
