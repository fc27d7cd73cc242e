// SPDX-License-Identifier: Apache-2.0
// Calls that the library must refuse: an ordinary call with one thing wrong, and the kind of error that it must throw.
#include <span>

#include "families.hpp"
#include "resolution.hpp"

namespace koine::fuzz {
namespace {

class Refusal : Resolution {
 public:
  Refusal(const Step& step, const Faces& faces, const Setting& setting)
      : Resolution(step, faces, setting),
        from_(x(step.a)),
        shape_(face(from_).shape),
        axes_(static_cast<std::int64_t>(shape_.size())) {}

  std::vector<Call> calls() {
    using Way = bool (Refusal::*)();
    static constexpr Way ways[] = {&Refusal::axis,       &Refusal::operand_type, &Refusal::operand_shape,
                                   &Refusal::position,   &Refusal::count,        &Refusal::update_type,
                                   &Refusal::part_shape, &Refusal::inner_size,   &Refusal::place,
                                   &Refusal::far_place};
    // Ways that came later have a choice of their own, so that the bytes of the corpus say what they said.
    static constexpr Way later[] = {&Refusal::family_axis, &Refusal::order, &Refusal::mask_shape,
                                    &Refusal::place_in_part};
    const bool late = step_.c % 8 == 4;
    const std::span<const Way> list = late ? std::span<const Way>(later) : std::span<const Way>(ways);
    // Where one does not apply, the next may: the first always does.
    for (std::size_t way = step_.p[0] % list.size(); !(this->*list[way])();) way = (way + 1) % list.size();
    return std::move(calls_);
  }

 private:
  bool refused(ErrorKind kind, Kind call, std::vector<Call::Source> sources) {
    call_.refused = kind;
    call_.kind = call;
    put(std::move(sources));
    return true;
  }

  /// The first variable from `byte` on, on the same device as `beside`, that `takes` takes.
  template <class Takes>
  std::optional<std::size_t> other(std::uint8_t byte, std::size_t beside, Takes takes) const {
    for (std::size_t i = 0; i < named; ++i) {
      const std::size_t variable = (byte + i) % named;
      if (face(variable).device == face(beside).device && takes(face(variable))) return variable;
    }
    return std::nullopt;
  }

  /// An axis that there is not, or twice the same.
  bool axis() {
    call_.every_axis = false;
    call_.axes = {step_.p[1] % 2 ? axes_ : -axes_ - 1};
    if (axes_ > 0 && step_.p[1] % 4 >= 2) call_.axes = {0, -axes_};
    call_.which = static_cast<std::size_t>(step_.p[2] % 2 ? Reduction::any : Reduction::count_nonzero);
    return refused(ErrorKind::IndexError, step_.p[2] % 4 >= 2 ? Kind::permute : Kind::reduce, {from_});
  }

  /// A row of the op table that does not take the type.
  bool operand_type() {
    for (std::size_t i = 0; i < rows().size(); ++i) {
      const Row& row = rows()[call_.which = (step_.p[1] + i) % rows().size()];
      if (row.logical || row.computes(face(from_).type)) continue;
      std::vector<Call::Source> sources(static_cast<std::size_t>(row.arity), from_);
      return refused(ErrorKind::DTypeError, Kind::elementwise, std::move(sources));
    }
    return false;
  }

  bool operand_shape() {
    const auto second = other(step_.b, from_, [&](const Face& its) {
      Shape both;
      return !broadcasts(shape_, its.shape, &both) && promoted(face(from_).type, its.type);
    });
    if (!second) return false;
    call_.which = row_of("equal");
    if (step_.p[1] % 2) return refused(ErrorKind::ShapeError, Kind::where, {from_, *second, *second});
    return refused(ErrorKind::ShapeError, Kind::elementwise, {from_, *second});
  }

  /// A position out of range, or more of them than axes.
  bool position() {
    for (std::int64_t i = 0; i < axes_; ++i) call_.part.push_back(Entry{});
    Entry past{Entry::position, 0, {}, 1};
    if (axes_ > 0) past.start = step_.p[1] % 2 ? shape_[0] : -shape_[0] - 1;
    if (axes_ > 0) call_.part.erase(call_.part.begin());
    call_.part.insert(call_.part.begin(), past);
    if (step_.p[1] % 4 < 2) return refused(ErrorKind::IndexError, Kind::subscript, {from_});
    call_.target = from_;
    return refused(ErrorKind::IndexError, Kind::assign, {yes});
  }

  /// A number of elements that is another.
  bool count() {
    call_.shape = {shape_.elements() + 1 + step_.p[1] % 3};
    return refused(ErrorKind::ShapeError, Kind::reshape, {from_});
  }

  /// No type but a complex one holds a complex number, and those have no remainder.
  bool update_type() {
    const bool complex = is_complex(face(call_.target).type);
    call_.which = complex ? 4 : step_.p[1] % 3u;
    return refused(ErrorKind::DTypeError, Kind::update, {Weak{Weak::complex, 0, {1, 1}}});
  }

  /// A value that does not broadcast to the part.
  bool part_shape() {
    const Face target = face(call_.target);
    call_.part = part_of(target.shape, &step_.p[1], step_.p[5]);
    const Shape part = shape_of(call_.part, target.shape);
    const auto value = other(step_.b, call_.target, [&](const Face& its) {
      Shape both;
      return converts(its.type, target.type) && !(broadcasts(part, its.shape, &both) && both == part);
    });
    return value && refused(ErrorKind::ShapeError, Kind::assign, {*value});
  }

  bool inner_size() {
    if (is_bool(face(from_).type) || axes_ == 1 || axes_ > 2 || (axes_ == 2 && shape_[0] == shape_[1])) return false;
    return refused(ErrorKind::ShapeError, Kind::matmul, {from_, from_});
  }

  /// A position out of range that only the device can see.
  bool place() {
    if (axes_ == 0 || shape_.elements() == 0) return false;
    call_.every_axis = false;
    call_.axes = {0};
    return refused(ErrorKind::IndexError, Kind::take, {from_, outside(shape_[0])});
  }
  /// Positions that an axis of that size does not have.
  Call::Source outside(std::int64_t size) {
    return filled({int64, {3}, 0}, Weak{Weak::integer, step_.p[1] % 2 ? size : -size - 1, 0});
  }
  Call::Source filled(const Face& gives, const Weak& value) {
    Call call;
    call.kind = Kind::filled;
    call.type = gives.type;
    call.shape = gives.shape;
    call.sources = {value};
    return spare(1, std::move(call), gives);
  }

  /// The same of a part: what it reads depends on the positions.
  bool place_in_part() {
    if (axes_ == 0 || shape_.elements() == 0) return false;
    const Call::Source positions = outside(shape_[0]);
    call_.part = {Entry{Entry::array, {}, {}, 1, 1}};
    return refused(ErrorKind::IndexError, Kind::subscript, {from_, positions});
  }

  /// A mask that is longer than the axis.
  bool mask_shape() {
    if (axes_ == 0) return false;
    const Call::Source mask = filled({bool_, {shape_[0] + 1}, 0}, yes);
    call_.part = {Entry{Entry::array, {}, {}, 1, 1}};
    return refused(ErrorKind::IndexError, Kind::subscript, {from_, mask});
  }

  /// An axis that a family's functions do not find.
  bool family_axis() {
    call_.every_axis = false;
    call_.axes = {step_.p[1] % 2 ? axes_ : -axes_ - 1};
    const bool scans = axes_ > 0 && step_.p[2] % 2;
    const bool complex = is_complex(face(from_).type);
    call_.which = scans || complex ? 0 : step_.p[3] % 2;
    return refused(complex && !scans ? ErrorKind::DTypeError : ErrorKind::IndexError, scans ? Kind::scan : Kind::sort,
                   {from_});
  }

  /// An order of complex numbers, which have none.
  bool order() {
    if (!is_complex(face(from_).type) || axes_ == 0) return false;
    call_.every_axis = false;
    call_.axes = {0};
    call_.which = step_.p[1] % 2;
    return refused(ErrorKind::DTypeError, Kind::sort, {from_});
  }

  /// Arrays of two devices.
  bool far_place() {
    for (std::size_t i = 0; i < named; ++i) {
      const std::size_t second = (step_.b + i) % named;
      if (face(second).device == face(from_).device) continue;
      call_.which = row_of("equal");
      return refused(ErrorKind::DeviceError, Kind::elementwise, {from_, second});
    }
    return false;
  }

  const std::size_t from_;
  const Shape shape_;
  const std::int64_t axes_;
};

}  // namespace

const Family refusing = {resolved<Refusal>};

}  // namespace koine::fuzz
