// SPDX-License-Identifier: Apache-2.0
// Expressions of moved arrays: what moves is pending, a view, a slice, a broadcast or a reduction of one, moves in two
// ways or twice, and is read again by element-wise operations, reductions, and assignments to what it was made of.
#include <algorithm>

#include "families.hpp"
#include "resolution.hpp"
#include "tiling.hpp"

namespace koine::fuzz {
namespace {

class Shifting : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    const std::size_t from = step_.p[4] & 4 ? call_.target : x(step_.a);
    const Call::Source base = prepared(from);
    const Shape shape = face(base).shape;
    if (shape.empty() || shape.elements() == 0 || 2 * shape.elements() > most_elements) return {};
    const Call::Source first = moved(1, base, step_.p[1], step_.p[5]);
    const Call::Source second = moved(2, step_.p[2] & 128 ? first : base, step_.p[2], step_.p[5] / 4u + step_.b);
    Call::Source sum = combined(1, step_.p[3], first, second);
    if (step_.p[3] & 64) sum = combined(1, step_.p[3] / 4u, sum, base);
    finish(sum, base);
    return std::move(calls_);
  }

 private:
  Call of(Kind kind, std::vector<Call::Source> sources) const {
    Call call;
    call.kind = kind;
    call.sources = std::move(sources);
    return call;
  }
  Call::Source sliced(std::size_t slot, Call::Source source, std::size_t axis, std::int64_t start, std::int64_t stop) {
    Face gives = face(source);
    Call call = of(Kind::subscript, {source});
    call.part.assign(axis, {});
    call.part.push_back({Entry::slice, start, stop, 1});
    gives.shape[axis] = stop - start;
    return spare(slot, std::move(call), gives);
  }

  /// What is to be moved, in the first slot.
  Call::Source prepared(Call::Source source) {
    const std::uint8_t ways = step_.p[0];
    if (ways & 1 && !face(source).shape.empty() && face(source).shape[0] > 1)
      source = sliced(0, source, 0, 1, face(source).shape[0]);
    if (ways & 2) {  // turned round
      Face gives = face(source);
      Call call = of(Kind::permute, {source});
      for (std::size_t i = gives.shape.size(); i-- > 0;) call.axes.push_back(static_cast<std::int64_t>(i));
      for (std::size_t i = 0; i < gives.shape.size(); ++i)
        gives.shape[i] = face(source).shape[gives.shape.size() - 1 - i];
      source = spare(0, std::move(call), gives);
    }
    if (ways & 12) {  // pending more often than not
      const DType type = face(source).type;
      const Weak scalar = updating(Weak{ways & 16 ? Weak::real : Weak::integer, 3, 0.75}, type);
      source = applied(0, ways & 32 ? "multiply" : "add", {source, scalar}, face(source));
    }
    if (ways & 64 && face(source).shape.size() < 4 && 6 * face(source).shape.elements() <= most_elements) {
      Face gives = face(source);
      gives.shape.insert(0, 3);
      Call call = of(Kind::broadcast, {source});
      call.shape = gives.shape;
      source = spare(0, std::move(call), gives);
    }
    if (ways & 128 && (step_.p[4] & 24) == 24 && face(source).shape.elements() > 0 &&
        !face(source).shape.empty()) {  // what a kernel that reads it may compute
      source = real(0, source);
      Face gives = face(source);
      const std::size_t axis = (step_.p[4] / 32u) % gives.shape.size();
      Call largest = of(Kind::reduce, {source});
      largest.which = static_cast<std::size_t>(Reduction::max);
      largest.every_axis = false;
      largest.axes = {static_cast<std::int64_t>(axis)};
      largest.keepdims = true;
      gives.shape[axis] = 1;
      source = spare(0, std::move(largest), gives);
    }
    return source;
  }

  /// The elements somewhere else in an array of the same shape; two bytes say how, and how far.
  Call::Source moved(std::size_t slot, Call::Source source, std::uint8_t way, std::size_t far) {
    constexpr std::int64_t shifts[] = {1, -1, 2, -2, 7, -100, 0, 1000};
    const Face its = face(source);
    const std::size_t axis = way / 8u % its.shape.size();
    const std::int64_t size = its.shape[axis], shift = shifts[far % 8];
    const std::int64_t within = (shift % size + size) % size;
    const auto on_axis = [&](Call call) {
      call.every_axis = false;
      call.axes = {static_cast<std::int64_t>(axis)};
      return call;
    };
    switch (way % 8) {
      default: {
        Call roll = on_axis(of(Kind::tile, {source}));
        roll.which = tilings::rolls;
        roll.shape = {shift};
        return spare(slot, std::move(roll), its);
      }
      case 3: {  // of the flattened array
        Call roll = of(Kind::tile, {source});
        roll.which = tilings::rolls;
        roll.shape = {shift};
        return spare(slot, std::move(roll), its);
      }
      case 4: return padded(slot, source, axis, tilings::constant, shift);
      case 5: {
        constexpr tilings::Mode modes[] = {tilings::edge, tilings::wrap, tilings::reflect, tilings::symmetric};
        return padded(slot, source, axis, modes[far / 8 % 4], shift);
      }
      case 6: {  // twice the array, and a part of that
        Face gives = its;
        gives.shape[axis] *= 2;
        Call twice = on_axis(of(far & 8 ? Kind::tile : Kind::join, {source}));
        if (twice.kind == Kind::tile) {
          twice.which = tilings::tiles;
          twice.shape = Shape::filled(its.shape.size(), 1);
          twice.shape[axis] = 2;
        } else {
          twice.sources.push_back(source);
        }
        return sliced(slot, spare(slot, std::move(twice), gives), axis, within, within + size);
      }
      case 7: {
        Call flip = on_axis(of(Kind::permute, {source}));
        flip.which = 2;
        return spare(slot, std::move(flip), its);
      }
    }
  }

  /// Continued past one end of an axis by some elements, and as many left out at the other.
  Call::Source padded(std::size_t slot, Call::Source source, std::size_t axis, tilings::Mode mode, std::int64_t shift) {
    const Face its = face(source);
    const std::int64_t width = std::abs(shift) % 8, size = its.shape[axis];
    Call pad = of(Kind::tile, {source});
    pad.which = tilings::pads;
    pad.low = mode;
    pad.shape = Shape::filled(2 * its.shape.size(), 0);
    pad.shape[2 * axis + (shift < 0)] = width;
    if (mode == tilings::constant) pad.sources.push_back(fitting(Weak{Weak::integer, 5, 0}, its.type));
    Face gives = its;
    gives.shape[axis] += width;
    if (gives.shape.elements() > most_elements) return source;
    const std::int64_t start = shift < 0 ? width : 0;
    return sliced(slot, spare(slot, std::move(pad), gives), axis, start, start + size);
  }

  /// An operation that keeps the type; both have the same shape and type.
  Call::Source combined(std::size_t slot, std::size_t which, Call::Source a, Call::Source b) {
    constexpr std::string_view names[] = {"add", "subtract", "maximum", "multiply"};
    std::string_view name = names[which % 4];
    if (rows()[row_of(name)].computes(face(a).type) != face(a).type) name = "add";
    return applied(slot, name, {a, b}, face(a));
  }

  void finish(Call::Source sum, Call::Source base) {
    const Face its = face(sum), target = face(call_.target);
    const bool alike = target.shape == its.shape;
    switch (step_.p[4] % 4) {
      case 1: {  // a part of what it may have been made of
        if (!alike) break;
        call_.kind = Kind::assign;
        call_.part = part_of(its.shape, &step_.p[1], static_cast<std::uint8_t>(step_.c & 0xf1));
        const Shape shape = shape_of(call_.part, its.shape);
        Call part = of(Kind::subscript, {sum});
        part.part = call_.part;
        sum = spare(1, std::move(part), {its.type, shape});
        if (!converts(its.type, target.type)) sum = as(1, sum, target.type);
        return put({sum});
      }
      case 2: {
        if (!alike) break;
        choose_update(step_.c, target.type);
        if (promoted(target.type, its.type) != target.type) sum = as(1, sum, target.type);
        return put({sum});
      }
      case 3: {
        constexpr Reduction kinds[] = {Reduction::sum, Reduction::max, Reduction::argmin, Reduction::mean};
        call_.kind = Kind::reduce;
        const Reduction reduction = kinds[step_.c % 4];
        call_.which = static_cast<std::size_t>(reduction);
        call_.keepdims = step_.c & 4;
        if (step_.c & 8) choose_axis(step_.c / 16, its.shape, false);
        const bool ordered = reduction == Reduction::max || reduction == Reduction::argmin;
        return put({ordered ? real(1, sum) : sum});
      }
      default: break;
    }
    call_.kind = Kind::elementwise;
    call_.which = row_of("add");
    put({sum, base});
  }
};

}  // namespace

const Family shifting = {resolved<Shifting>};

}  // namespace koine::fuzz
