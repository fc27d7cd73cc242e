// SPDX-License-Identifier: Apache-2.0
// Loads, lines and stores on the host.
#include "host/body.hpp"

#include "codegen/constant.hpp"
#include "codegen/rows.hpp"
#include "graph/infer.hpp"
#include "host/each_run.hpp"
#include "host/fold.hpp"
#include "host/random.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>

namespace koine::host {

using codegen::Body;
using codegen::Line;
using codegen::Load;
using graph::Op;

namespace {

bool is_load(const Line& line) { return line.op == Op::leaf || line.op == Op::iota; }

/// Whether each element is the same one.
bool repeats(const Load& load) {
  const Shape &shape = load.layout.shape, &strides = load.layout.strides;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] > 1 && strides[axis] != 0) return false;
  }
  return load.seams.empty();
}

/// Whether the values of a load are read where they lie.
bool lies_in_order(const Load& load) {
  return !load.iota && load.in_order() && size_of(load.dtype) == size_in_registers(load.dtype);
}

/// The same of a load as long as it is one row's.
bool is_read_in_rows(const Load& load) {
  return !load.iota && !load.take && load.loop < 0 && load.seams.empty() && lies_in_rows(load.layout) &&
         size_of(load.dtype) == size_in_registers(load.dtype);
}

/// The elements that a load begins again and again, if a call takes them twice at least; otherwise 0.
std::size_t period_in(const Load& load, std::size_t most) {
  if (load.iota || load.take || load.loop >= 0 || !load.seams.empty()) return 0;
  if (size_of(load.dtype) != size_in_registers(load.dtype)) return 0;
  const auto period = static_cast<std::size_t>(period_of(load.layout));
  return period <= most / 2 ? period : 0;
}

/// Whether the host adds up the rows of a body as its kernel does.
bool knows_folds(const Body& body, const DeviceTraits& traits) {
  if (body.domain.elements() == 0) return false;
  for (const codegen::RowFold& fold : body.folds) {
    const graph::ReduceInfo& reduction = fold.node->get<Op::reduce>();
    const DType type = codegen::fold_type(*fold.node);
    switch (graph::info(reduction.kind).state) {
      case graph::State::value:
        if (!folds(reduction.kind, type)) return false;
        break;
      case graph::State::position:
        if (!finds_positions(reduction.kind, type)) return false;
        break;
      case graph::State::moments: break;
      case graph::State::exponentials: return false;
    }
  }
  const codegen::RowsWalk walk = make_rows_walk(body, traits);
  return walk.cpu && !walk.chain;
}

std::size_t widest_of(const Body& body) {
  std::size_t widest = sizeof(std::int64_t);
  for (const Line& line : body.lines) widest = std::max(widest, size_in_registers(line.type));
  return widest;
}

/// Whether nobody takes what a line comes to but results of which a row has one.
bool is_of_rows_alone(const Body& body, std::size_t line) {
  bool alone = true;
  for (const Line& other : body.lines) {
    each_argument(body, other, [&](std::size_t taken) { alone = alone && taken != line; });
  }
  for (const codegen::Output& output : body.outputs) {
    alone = alone && (static_cast<std::size_t>(output.line) != line || body.of_row(output));
  }
  return alone;
}

/// A complex128, of which nothing but the bits is known here.
struct Sixteen {
  Sixteen() = default;
  explicit Sixteen(std::int64_t) {}  // no position has so many

  std::uint64_t halves[2];
};

/// Calls f(T{}) with a type of that size, an unsigned one up to eight bytes.
template <class F>
void with_size(std::size_t size, F f) {
  switch (size) {
    case 1: return f(std::uint8_t{});
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    case 8: return f(std::uint64_t{});
    default: return f(Sixteen{});
  }
}

/// Each of so many elements the same. The library is compiled so that loops like std::fill_n's store them one by one;
/// a copy has the processor's vectors.
template <class T>
void fill(T* to, std::size_t count, T value) {
  std::size_t done = std::min(count, std::size_t{16});
  std::fill_n(to, done, value);
  for (std::size_t some; done < count; done += some) {
    some = std::min(done, count - done);
    std::memcpy(to + done, to, some * sizeof(T));
  }
}

}  // namespace

std::optional<std::uint64_t> work_of(const Body& body, const DeviceTraits& traits) {
  if (!body.calls.empty() || !traits.exact_divide) return std::nullopt;
  if (!body.folds.empty() && !knows_folds(body, traits)) return std::nullopt;
  for (const codegen::InnerLoop& loop : body.loops) {
    const graph::ReduceInfo& reduction = loop.node->get<Op::reduce>();
    if (reduction.custom || !folds(reduction.kind, graph::accumulation_type(loop.node->dtype))) return std::nullopt;
  }
  std::uint64_t cost = 1;
  for (const Line& line : body.lines) {
    const std::uint64_t rounds =
        line.loop < 0 ? 1 : static_cast<std::uint64_t>(body.loops[static_cast<std::size_t>(line.loop)].count);
    cost += rounds * cost_of(line);
    if (line.op == Op::reduce && line.loop >= 0) return std::nullopt;
    if (line.op == Op::constant || line.op == Op::reduce || is_load(line)) continue;
    if (function_of(line, traits) == nullptr) return std::nullopt;
  }
  for (const Load& load : body.loads) {
    if (const graph::RandomInfo* const draw = load.draw()) cost += draw_cost(*draw);
  }
  for (const codegen::Output& output : body.outputs) {
    if (output.destination && output.destination->layout.shape != body.domain) return std::nullopt;
  }
  return cost * static_cast<std::uint64_t>(body.domain.elements());
}

void gather(const graph::Layout& layout, std::span<const graph::Seam> seams, const std::byte* memory, std::size_t size,
            std::int64_t first, std::size_t count, std::byte* to) {
  with_size(size, [&]<class T>(T) {
    constexpr std::size_t short_run = 16;
    T* values = reinterpret_cast<T*>(to);
    const auto run = [&](std::int64_t offset, std::int64_t stride, std::size_t length) {
      const T* const from = reinterpret_cast<const T*>(memory) + offset;
      if (memory == nullptr) {
        for (std::size_t i = 0; i < length; ++i) {
          values[i] = static_cast<T>(offset + static_cast<std::int64_t>(i) * stride);
        }
      } else if (stride == 1 && length > short_run) {
        std::memcpy(values, from, length * size);
      } else if (stride == 0 && length > short_run) {
        fill(values, length, *from);
      } else {
        for (std::size_t i = 0; i < length; ++i) values[i] = from[static_cast<std::int64_t>(i) * stride];
      }
      values += length;
    };
    if (!seams.empty()) return each_run(layout, seams, first, count, run);
    each_block(
        layout, first, count,
        [&](std::int64_t offset, std::int64_t stride, std::size_t length, std::int64_t row_stride, std::size_t rows) {
          if (memory == nullptr || length > short_run || rows < length) {
            for (std::size_t row = 0; row < rows; ++row, offset += row_stride) run(offset, stride, length);
            return;
          }
          // Down many short rows: a loop along each would be over before it began.
          for (std::size_t i = 0; i < length; ++i, offset += stride) {
            const T* const from = reinterpret_cast<const T*>(memory) + offset;
            for (std::size_t row = 0; row < rows; ++row) {
              values[row * length + i] = from[static_cast<std::int64_t>(row) * row_stride];
            }
          }
          values += rows * length;
        });
  });
}

std::size_t Lines::most_at_once(const Body& body) {
  std::size_t kept = 0;
  for (const Line& line : body.lines) {
    const Load* const load = line.op == Op::leaf ? &body.loads[static_cast<std::size_t>(line.args[0])] : nullptr;
    kept += load == nullptr || !(lies_in_order(*load) || (body.folds.empty() && is_read_in_rows(*load)));
  }
  return kept <= 1 ? 4096 : kept <= 4 ? 1024 : 256;
}

Lines::Lines(const Body& body, const DeviceTraits& traits, std::span<const std::byte* const> memory)
    : body_(body),
      widest_(widest_of(body)),
      fold_width_(body.folds.empty() ? 0 : codegen::values_of_row(body, traits)),
      most_(static_cast<std::size_t>(body.domain.elements())),
      values_(body.lines.size(), &memory_) {
  const std::size_t row = body.folds.empty() ? 1 : static_cast<std::size_t>(body.domain[body.domain.size() - 1]);
  most_ = std::min(most_, std::max(most_at_once(body) / row, std::size_t{1}) * row);
  room_ = static_cast<std::byte*>(memory_.allocate((body.lines.size() + 1) * most_ * widest_));
  loaded_.reserve(body.loads.size());
  computed_.reserve(body.lines.size());
  for (std::size_t k = 0; k < body.lines.size(); ++k) {
    const Line& line = body.lines[k];
    values_[k] = room(k);
    if (line.op == Op::constant) {
      std::array<std::byte, 16> value;
      const std::size_t size = codegen::write_constant(*body.constants[static_cast<std::size_t>(line.args[0])], value);
      with_size(size, [&]<class T>(T one) {
        std::memcpy(&one, value.data(), sizeof one);
        fill(reinterpret_cast<T*>(room(k)), most_, one);
      });
    } else if (line.op == Op::reduce) {
      computed_.push_back(
          {nullptr, k, {line.args[0], line.args[1], line.args[2]}, room(k), !is_of_rows_alone(body, k)});
    } else if (!is_load(line)) {
      computed_.push_back({function_of(line, traits), k, {line.args[0], line.args[1], line.args[2]}, room(k)});
    } else {
      const auto number = static_cast<std::size_t>(line.args[0]);
      const Load& load = body.loads[number];
      const bool in_place = lies_in_order(load);
      const std::size_t period = period_in(load, most_);
      const bool in_rows = body.folds.empty() && !in_place && period == 0 && is_read_in_rows(load);
      loaded_.push_back({&load, memory[number], k, in_place, in_rows, repeats(load), period, nullptr});
      if (period > 0) loaded_.back().kept = keep(loaded_.back());
      if (in_rows) row_ = static_cast<std::size_t>(body.domain[body.domain.size() - 1]);
      if (load.take) computed_.push_back({nullptr, k, {line.args[0], line.args[1], -1}, room(k)});
    }
  }
}

std::size_t Lines::most_from(std::size_t first) const {
  return row_ > 0 ? std::min(most_, row_ - first % row_) : most_;
}

std::byte* Lines::keep(const Loaded& each) {
  const std::size_t size = size_of(each.load->dtype), whole = (most_ + each.period) * size, once = each.period * size;
  auto* const kept = static_cast<std::byte*>(memory_.allocate(whole));
  std::memcpy(kept, each.memory + each.load->layout.offset * static_cast<std::int64_t>(size), once);
  for (std::size_t done = once, some; done < whole; done += some) {
    some = std::min(done, whole - done);
    std::memcpy(kept + done, kept, some);
  }
  return kept;
}

bool Lines::redirect(std::int32_t line, std::byte* to) {
  for (Computed& each : computed_) {
    const bool whole = each.function != nullptr || is_load(body_.lines[each.line]);
    if (each.line != static_cast<std::size_t>(line) || !whole) continue;
    each.to = to;
    values_[each.line] = to;
    return true;
  }
  return false;
}

void Lines::compute(std::int64_t first, std::size_t count) {
  for (const Loaded& each : loaded_) {
    const Load& load = *each.load;
    if (load.loop >= 0 || load.take) continue;
    if (!each.repeats) {
      this->load(each, 0, first, count);
    } else if (!begun_) {
      this->load(each, 0, 0, most_);
    }
  }
  begun_ = true;
  for (const Computed& each : computed_) {
    if (body_.lines[each.line].loop < 0) compute_line(each, 0, first, count);
  }
}

void Lines::load(const Loaded& each, std::int64_t round, std::int64_t first, std::size_t count) {
  const Load& load = *each.load;
  const std::size_t size = size_of(load.dtype);
  const auto bytes = static_cast<std::int64_t>(size);
  if (each.in_place) {
    values_[each.line] = each.memory + (load.layout.offset + first) * bytes;
    return;
  }
  if (each.period > 0) {
    values_[each.line] = each.kept + static_cast<std::size_t>(first) % each.period * size;
    return;
  }
  if (each.in_rows && static_cast<std::size_t>(first) % row_ + count <= row_) {
    values_[each.line] = each.memory + offset_of(load.layout, first) * bytes;
    return;
  }
  values_[each.line] = room(each.line);
  graph::Layout layout = load.layout;
  layout.offset += round * load.loop_stride;
  if (const graph::RandomInfo* const numbers = load.draw()) {
    auto* to = room(each.line);
    each_run(layout, load.seams, first, count, [&](std::int64_t offset, std::int64_t stride, std::size_t length) {
      for (std::size_t k = 0, some = stride == 1 ? length : 1; k < length; k += some, to += some * size) {
        const std::int64_t at = offset + static_cast<std::int64_t>(k) * stride;
        draw(*numbers, load.dtype, static_cast<std::uint64_t>(at), some, to);
      }
    });
    return;
  }
  if (size == size_in_registers(load.dtype)) {
    gather(layout, load.seams, each.memory, size, first, count, room(each.line));
    return;
  }
  std::byte* const apart = room(values_.size());
  gather(layout, load.seams, each.memory, size, first, count, apart);
  const void* const from[] = {apart, nullptr, nullptr};
  functions().loads[static_cast<std::size_t>(load.dtype)](room(each.line), from, count);
}

void Lines::compute_line(const Computed& each, std::int64_t round, std::int64_t first, std::size_t count) {
  if (is_load(body_.lines[each.line])) {
    const auto taken =
        std::find_if(loaded_.begin(), loaded_.end(), [&](const Loaded& load) { return load.line == each.line; });
    return compute_take(each, *taken, round, first, count);
  }
  if (each.function == nullptr) {
    return each.args[2] < 0 ? compute_loop(each, first, count) : compute_fold(each, count);
  }
  const void* from[3] = {};
  for (std::size_t k = 0; k < 3; ++k) {
    if (each.args[k] >= 0) from[k] = values_[static_cast<std::size_t>(each.args[k])];
  }
  each.function(each.to, from, count);
}

void Lines::compute_take(const Computed& line, const Loaded& each, std::int64_t round, std::int64_t first,
                         std::size_t count) {
  const Load& load = *each.load;
  const auto* const positions = static_cast<const std::int64_t*>(values(body_.lines[each.line].args[1]));
  const std::int64_t size = load.take_size(), stride = load.take_stride;
  graph::Layout layout = load.layout;
  layout.offset += round * load.loop_stride;
  const std::size_t stored = size_of(load.dtype);
  const bool as_it_is = size_in_registers(load.dtype) == stored;
  std::byte* const to = as_it_is ? line.to : room(values_.size());
  // Of the elements at position 0.
  std::vector<std::int64_t> offsets;
  const std::byte* memory = each.memory;
  if (load.iota || each.repeats) {
    if (!load.iota) memory += layout.offset * static_cast<std::int64_t>(stored);
  } else {
    offsets.resize(count);
    gather(layout, load.seams, nullptr, sizeof offsets[0], first, count, reinterpret_cast<std::byte*>(offsets.data()));
  }
  const std::int64_t* const each_offset = offsets.empty() ? nullptr : offsets.data();
  const Take taken = functions().taken[std::countr_zero(stored)];
  if (load.iota || !taken(to, memory, positions, each_offset, count, size, stride)) {
    with_size(stored, [&]<class T>(T) {
      for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t at = positions[i], from = at < 0 ? at + size : at;
        T value;
        if (from < 0 || from >= size) {
          astray_ = {load.take, at};
          std::memset(&value, 0xff, sizeof value);  // as a position it is none
        } else if (load.iota) {
          value = static_cast<T>(from);
        } else {
          value = reinterpret_cast<const T*>(memory)[(each_offset ? each_offset[i] : 0) + from * stride];
        }
        std::memcpy(to + i * sizeof value, &value, sizeof value);
      }
    });
  }
  if (as_it_is) return;
  const void* const from[] = {to, nullptr, nullptr};
  functions().loads[static_cast<std::size_t>(load.dtype)](line.to, from, count);
}

void Lines::compute_loop(const Computed& each, std::int64_t first, std::size_t count) {
  const Line& line = body_.lines[each.line];
  const codegen::InnerLoop& loop = body_.loops[static_cast<std::size_t>(each.args[1])];
  const graph::ReduceKind kind = loop.node->get<Op::reduce>().kind;
  const DType type = graph::accumulation_type(line.type);
  const auto taken = static_cast<std::size_t>(each.args[0]), number = static_cast<std::size_t>(type);
  std::byte *const sum = room(each.line), *const next = room(values_.size());
  fill_with_identity(kind, type, sum, count);
  for (std::int64_t round = 0; round < loop.count; ++round) {
    for (const Loaded& load : loaded_) {
      if (load.load->loop == each.args[1] && !load.load->take) this->load(load, round, first, count);
    }
    for (const Computed& other : computed_) {
      if (body_.lines[other.line].loop == each.args[1]) compute_line(other, round, first, count);
    }
    const void* from[3] = {values_[taken], nullptr, nullptr};
    functions().casts[static_cast<std::size_t>(line.in_type)][number](next, from, count);
    from[0] = next;
    functions().mapped[static_cast<std::size_t>(kind)][number](next, from, count);
    combine(kind, type, sum, next, sum, count);
  }
  const void* const from[] = {sum, nullptr, nullptr};
  functions().casts[number][static_cast<std::size_t>(line.type)](sum, from, count);
}

void Lines::compute_fold(const Computed& each, std::size_t count) {
  const Line& line = body_.lines[each.line];
  const graph::Node& node = *body_.folds[static_cast<std::size_t>(each.args[2])].node;
  const graph::ReduceInfo& reduction = node.get<Op::reduce>();
  const auto taken = static_cast<std::size_t>(each.args[0]), kind = static_cast<std::size_t>(reduction.kind);
  const DType type = codegen::fold_type(node);
  const auto number = static_cast<std::size_t>(type);
  const std::size_t length = static_cast<std::size_t>(body_.domain[body_.domain.size() - 1]), rows = count / length;
  const auto* elements = static_cast<const std::byte*>(values_[taken]);
  const void* from[3] = {elements, nullptr, nullptr};
  const bool maps = graph::info(reduction.kind).maps();
  if (body_.lines[taken].type != type || maps) {
    std::byte* const own = room(values_.size());
    functions().casts[static_cast<std::size_t>(body_.lines[taken].type)][number](own, from, count);
    from[0] = elements = own;
    if (maps) functions().mapped[kind][number](own, from, count);
  }
  std::vector<std::byte> results(rows * widest_), rounded(rows * widest_);
  const graph::State state = graph::info(reduction.kind).state;
  if (state == graph::State::position) {
    find_positions(reduction.kind, type, rows, length, elements, results.data());
  } else if (state == graph::State::moments) {
    square_rows(type, fold_width_, rows, length, elements, results.data());
  } else {
    const FoldOrder order{fold_width_, length, FoldOrder::Join::halves};
    fold_rows(reduction.kind, type, order, rows, length, elements, results.data());
  }
  if (state != graph::State::position) {
    const FinishConstant divisor(type, reduction.divisor), scale(type, reduction.scale);
    const void* const finished[] = {results.data(), divisor.value(), scale.value()};
    functions().finished[kind][number](results.data(), finished, rows);
  }
  from[0] = results.data();
  const auto given = static_cast<std::size_t>(state == graph::State::position ? DType::int64 : type);
  functions().casts[given][static_cast<std::size_t>(line.type)](rounded.data(), from, rows);
  const std::size_t size = size_in_registers(line.type);
  // Each is that of a whole row: repeated by strides of 0, or, where nobody but a result of the row takes it, the
  // first.
  if (!each.spread) {
    for (std::size_t r = 0; r < rows; ++r) {
      std::memcpy(room(each.line) + r * length * size, rounded.data() + r * size, size);
    }
    return;
  }
  const Shape shape{static_cast<std::int64_t>(rows), static_cast<std::int64_t>(length)};
  gather({shape, Shape{1, 0}}, {}, rounded.data(), size, 0, count, room(each.line));
}

void store(const graph::Layout& layout, DType type, std::byte* memory, std::int64_t first, std::size_t count,
           const void* values) {
  const std::size_t size = size_of(type);
  const void* const from[] = {values, nullptr, nullptr};
  if (graph::is_row_major(layout)) {
    functions().stores[static_cast<std::size_t>(type)](
        memory + (layout.offset + first) * static_cast<std::int64_t>(size), from, count);
    return;
  }
  std::unique_ptr<std::byte[]> stored;
  const auto* next = static_cast<const std::byte*>(values);
  if (size != size_in_registers(type)) {
    stored.reset(new std::byte[count * size]);
    functions().stores[static_cast<std::size_t>(type)](stored.get(), from, count);
    next = stored.get();
  }
  each_run(layout, first, count, [&](std::int64_t offset, std::int64_t stride, std::size_t length) {
    with_size(size, [&]<class T>(T) {
      T* const to = reinterpret_cast<T*>(memory) + offset;
      if (stride == 1) {
        std::memcpy(to, next, length * size);
        return;
      }
      for (std::size_t i = 0; i < length; ++i) {
        std::memcpy(to + static_cast<std::int64_t>(i) * stride, next + i * size, size);
      }
    });
    next += length * size;
  });
}

}  // namespace koine::host
