// SPDX-License-Identifier: Apache-2.0
// What steps of all kinds resolve with: operands chosen, converted and brought to one device by calls of their own.
#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>

#include "program.hpp"

namespace koine::fuzz {

class Resolution {
 public:
  Resolution(const Step& step, const Faces& faces, const Setting& setting)
      : step_(step), faces_(faces), setting_(setting) {
    call_.kind = step.kind;
    call_.target = step.target % named;
  }

 protected:
  static constexpr Weak one{Weak::integer, 1, 0}, yes{Weak::boolean, 1, 0};

  static std::size_t x(std::uint8_t byte) { return byte % named; }
  const Face& face(std::size_t variable) const { return faces_[variable]; }
  const Face& face(const Call::Source& source) const { return faces_[std::get<std::size_t>(source)]; }
  DType type(std::uint8_t byte) const {
    const auto result = static_cast<DType>(byte % dtype_count);
    return setting_.fp64 || (result != float64 && result != complex128) ? result
           : result == float64                                          ? float32
                                                                        : complex64;
  }

  void put(std::vector<Call::Source> sources) {
    call_.sources = std::move(sources);
    push(call_);
  }

  /// A call that leaves its result in the `slot`-th spare variable.
  Call::Source spare(std::size_t slot, Call call, const Face& gives) {
    call.target = named + slot;
    const std::size_t place = home(call, faces_);
    push(std::move(call));
    faces_[named + slot] = {gives.type, gives.shape, place};
    return named + slot;
  }
  Call::Source applied(std::size_t slot, std::string_view row, std::vector<Call::Source> sources, const Face& gives) {
    Call call;
    call.kind = Kind::elementwise;
    call.which = row_of(row);
    call.sources = std::move(sources);
    return spare(slot, std::move(call), gives);
  }
  /// The source as an array of another type; of a complex number the real part.
  Call::Source as(std::size_t slot, Call::Source source, DType wanted) {
    const Face from = face(source);
    if (from.type == wanted) return source;
    if (is_complex(from.type) && !is_complex(wanted) && !is_bool(wanted)) {
      const DType part = from.type == complex64 ? float32 : float64;
      return as(slot, applied(slot, "real", {source}, {part, from.shape}), wanted);
    }
    Call call;
    call.kind = Kind::astype;
    call.type = wanted;
    call.sources = {source};
    return spare(slot, std::move(call), {wanted, from.shape});
  }

  /// The source, or what has an order in its place.
  Call::Source ordered(std::size_t slot, Call::Source source) {
    return is_complex(face(source).type) ? as(slot, source, float32) : source;
  }
  /// The same without bool_.
  Call::Source real(std::size_t slot, Call::Source source) {
    return is_bool(face(source).type) ? as(slot, source, uint8) : ordered(slot, source);
  }
  /// The source as an array of one axis.
  Call::Source flat(std::size_t slot, Call::Source source) {
    const Face its = face(source);
    if (its.shape.size() == 1) return source;
    Call call;
    call.kind = Kind::reshape;
    call.shape = {-1};
    call.sources = {source};
    return spare(slot, std::move(call), {its.type, {its.shape.elements()}});
  }
  /// The source, or by what a byte says its elements in one axis, or those again and again: more than what engines do
  /// in one go.
  Call::Source lengthened(std::size_t slot, Call::Source source, std::uint8_t byte) {
    constexpr std::int64_t wanted = 20'000;
    if (byte % 4 != 1 && byte % 4 != 2) return source;
    source = flat(slot, source);
    if (byte % 4 == 2) return source;
    const std::int64_t size = face(source).shape[0];
    if (size == 0 || size > wanted / 2) return source;
    Call call;
    call.kind = Kind::broadcast;
    call.shape = {wanted / size, size};
    call.sources = {source};
    const Face gives{face(source).type, call.shape};
    return flat(slot, spare(slot, std::move(call), gives));
  }
  /// The source's values, whatever they are, as positions along an axis of some size; below zero if `from_the_end`.
  Call::Source positions(std::size_t slot, Call::Source source, std::int64_t size, bool from_the_end) {
    const DType own = face(source).type;
    if (!is_integer(own) || size > 100) source = as(slot, source, own == uint64 ? uint64 : int64);
    const Face gives = face(source);
    source = applied(slot, "remainder", {source, Weak{Weak::integer, size, 0}}, gives);
    if (is_signed_integer(gives.type) && from_the_end)
      source = applied(slot, "subtract", {source, Weak{Weak::integer, size, 0}}, gives);
    return source;
  }
  /// Random integers.
  Call::Source drawn(std::size_t slot, std::uint8_t seed, std::int64_t low, std::int64_t high, const Face& gives) {
    Call call;
    call.kind = Kind::random;
    call.which = 2;
    call.seed = seed;
    call.low = low;
    call.high = high;
    call.type = gives.type;
    call.shape = gives.shape;
    return spare(slot, std::move(call), gives);
  }

  /// One axis of `shape`, which has some, counted from the end if so wanted.
  void choose_axis(std::uint8_t byte, const Shape& shape, bool from_the_end) {
    const auto axes = static_cast<std::int64_t>(shape.size());
    call_.every_axis = false;
    call_.axes = {byte % axes - (from_the_end ? axes : 0)};
  }

  /// The axes whose bits are set; every axis for none.
  void choose_axes(std::uint8_t mask, std::int64_t axes, bool from_the_end) {
    for (std::int64_t axis = 0; axis < axes; ++axis) {
      if (mask >> axis & 1) call_.axes.push_back(from_the_end ? axis - axes : axis);
    }
    call_.every_axis = call_.axes.empty();
  }

  /// Makes the call an update of values of a type, by an operator from `byte` on that keeps it.
  void choose_update(std::uint8_t byte, DType type) {
    constexpr std::size_t count = std::size(updates);
    call_.kind = Kind::update;
    call_.which = byte % count;
    while (rows()[row_of(updates[call_.which].name)].computes(type) != type) call_.which = (call_.which + 1) % count;
  }
  /// A scalar that the update takes beside that type: itself, or 1.
  static Weak updating(const Weak& scalar, DType type) {
    if (promoted(type, scalar) == type) return scalar;
    return is_bool(type) ? yes : one;
  }

  /// The first variable from `byte` on whose shape broadcasts with all of `shape`, to no more than it should.
  std::optional<std::size_t> beside(std::uint8_t byte, const Shape& shape, Shape* result) const {
    for (std::size_t i = 0; i < named; ++i) {
      const std::size_t variable = (byte + i) % named;
      if (broadcasts(shape, face(variable).shape, result) && result->elements() <= most_elements && result->size() <= 6)
        return variable;
    }
    return std::nullopt;
  }

  /// The sources in types that have a common one, which `takes` takes.
  template <class Takes>
  std::vector<Call::Source> matched(std::vector<Call::Source> sources, Takes takes) {
    const auto fits = [&] {
      const auto common = common_type(sources, faces_);
      return common && takes(*common);
    };
    if (fits()) return sources;
    const auto all_as = [&](DType wanted) {
      for (std::size_t i = 0; i < sources.size(); ++i) {
        if (std::holds_alternative<Weak>(sources[i])) {
          sources[i] = is_bool(wanted) ? yes : one;
        } else {
          sources[i] = as(i, sources[i], wanted);
        }
      }
    };
    const DType first = face(sources[0]).type;
    for (const DType wanted : {first, int32, float32, bool_}) {
      if (!takes(wanted)) continue;
      all_as(wanted);
      break;
    }
    return sources;
  }

  /// A scalar that an array of `type` takes in an assignment: itself, or 1.
  static Weak fitting(const Weak& scalar, DType wanted) {
    if (is_bool(wanted) || is_complex(wanted)) return scalar;
    const bool too_complex = scalar.kind == Weak::complex;
    const bool negative = scalar.kind == Weak::real && scalar.value.real() < 0 && is_unsigned_integer(wanted);
    const bool large = scalar.kind == Weak::real && !(std::abs(scalar.value.real()) <= 100) && is_integer(wanted);
    const bool misfit = scalar.kind == Weak::integer && !promoted(wanted, scalar);
    return too_complex || negative || large || misfit ? one : scalar;
  }

  /// Whether a value of type `from` becomes one of type `to` in an assignment, and every value has a result.
  static bool converts(DType from, DType to) {
    if (is_bool(to) || is_complex(to)) return true;
    return !is_complex(from) && (is_real_floating(to) || !is_real_floating(from));
  }

  const Step& step_;
  Faces faces_;
  const Setting setting_;
  Call call_;
  std::vector<Call> calls_;

 private:
  /// The call, after the moves that bring what it reads to its device.
  void push(Call call) {
    const std::size_t place = home(call, faces_);
    for (std::size_t i = 0; i < call.sources.size(); ++i) {
      if (std::holds_alternative<Weak>(call.sources[i]) || face(call.sources[i]).device == place) continue;
      if (call.kind == Kind::move || call.refused == ErrorKind::DeviceError) continue;
      Call move;
      move.kind = Kind::move;
      move.which = place;
      move.sources = {call.sources[i]};
      move.target = named + moved + i;
      faces_[move.target] = {face(call.sources[i]).type, face(call.sources[i]).shape, place};
      call.sources[i] = move.target;
      calls_.push_back(std::move(move));
    }
    calls_.push_back(std::move(call));
  }
};

/// What a class over Resolution makes of a step.
template <class R>
std::vector<Call> resolved(const Step& step, const Faces& faces, const Setting& setting) {
  return R(step, faces, setting).calls();
}

}  // namespace koine::fuzz
