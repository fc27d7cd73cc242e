// SPDX-License-Identifier: Apache-2.0
// Parts with masks and arrays of positions in them, read, assigned to and updated.
#include "create.hpp"
#include "families.hpp"
#include "resolution.hpp"

namespace koine::fuzz {
namespace {

class Picking : Resolution {
 public:
  Picking(const Step& step, const Faces& faces, const Setting& setting)
      : Resolution(step, faces, setting),
        reads_(step.kind == Kind::gather),
        from_(reads_ ? x(step.a) : call_.target),
        shape_(face(from_).shape) {}

  std::vector<Call> calls() {
    if (shape_.empty()) return {};
    call_.part = part_of(shape_, step_.p.data(), step_.p[5]);
    const bool chosen = step_.c % 4 == 0   ? mask_of_all()
                        : step_.c % 4 == 1 ? mask_of_some()
                        : step_.c % 4 == 2 ? one_array()
                                           : two_arrays();
    // Without values a mask picks nothing, and positions are the first.
    stand_ins_ = {Plain()};
    for (const Call::Source& array : arrays_) stand_ins_.emplace_back(face(array).type, face(array).shape);
    const bool masks =
        std::all_of(stand_ins_.begin() + 1, stand_ins_.end(), [](const Plain& array) { return is_bool(array.type); });
    if (!chosen || (shape_.elements() == 0 && !masks)) return {};
    const Shape part = shape_of(call_.part, shape_, stand_ins_);
    if (part.size() > 6 || part.elements() > most_elements) return {};
    if (reads_) {
      call_.kind = Kind::subscript;
      with_arrays(from_);
    } else {
      assign(part);
    }
    return std::move(calls_);
  }

 private:
  /// An entry of the part that names an axis.
  struct Named {
    std::ptrdiff_t entry;
    std::size_t axis;
  };
  std::vector<Named> named_axes() const {
    std::vector<Named> result;
    std::size_t left_out = shape_.size(), axis = 0;
    for (const Entry& each : call_.part) left_out -= names(each);
    for (std::size_t i = 0; i < call_.part.size(); ++i) {
      const Entry& each = call_.part[i];
      if (names(each)) result.push_back({static_cast<std::ptrdiff_t>(i), axis++});
      if (each.kind == Entry::ellipsis) axis += left_out;
    }
    return result;
  }
  static bool names(const Entry& each) { return each.kind != Entry::ellipsis && each.kind != Entry::newaxis; }

  /// Puts an array in the place of `count` entries. It becomes the call's source behind what else it reads.
  void replace(std::ptrdiff_t entry, std::ptrdiff_t count, Call::Source array) {
    arrays_.push_back(array);
    const auto at = call_.part.begin() + entry;
    call_.part.erase(at, at + count);
    call_.part.insert(call_.part.begin() + entry, Entry{Entry::array, {}, {}, 1, arrays_.size()});
  }

  bool mask_of_all() {
    call_.part.clear();
    replace(0, 0, mask(shape_));
    return true;
  }

  bool mask_of_some() {
    const std::vector<Named> axes = named_axes();
    if (axes.empty()) return false;
    const std::size_t first = step_.c / 4 % axes.size();
    std::size_t last = first;
    while ((step_.c & 128) && last + 1 < axes.size() && axes[last + 1].entry == axes[last].entry + 1) ++last;
    Shape over;
    for (std::size_t i = first; i <= last; ++i) over.push_back(shape_[axes[i].axis]);
    replace(axes[first].entry, static_cast<std::ptrdiff_t>(over.size()), mask(over));
    return true;
  }

  bool one_array() {
    const std::vector<Named> axes = named_axes();
    if (axes.empty()) return false;
    const Named at = axes[step_.c / 4 % axes.size()];
    replace(at.entry, 1, places(shape_[at.axis], step_.p[at.axis % 5]));
    return true;
  }

  /// Positions along one axis, and a mask or positions along another; they broadcast.
  bool two_arrays() {
    const std::vector<Named> axes = named_axes();
    if (axes.size() < 2) return one_array();
    const std::size_t first = step_.c / 4 % (axes.size() - 1),
                      second = first + 1 + step_.c / 32 % (axes.size() - 1 - first);
    // A new axis between them parts them, and their own axes stand in front.
    std::ptrdiff_t parted = 0;
    if ((step_.c & 128) && shape_.size() < 5) {
      call_.part.insert(call_.part.begin() + axes[second].entry, Entry{Entry::newaxis, {}, {}, 1});
      parted = 1;
    }
    const std::int64_t counts[] = {3, 1, 7, 2};
    const std::int64_t count = counts[step_.p[4] / 4 % 4];
    const std::uint8_t way = step_.p[4] / 16;
    const Shape shapes[] = {{count}, {2, 1}, {1}, {}};
    const auto drawn_along = [&](Named at, const Shape& shape) {
      replace(at.entry, 1, random_places(shape_[at.axis], shape, step_.p[at.axis % 5]));
    };
    if (way & 8) {
      replace(axes[first].entry, 1, mask({shape_[axes[first].axis]}));
    } else {
      drawn_along(axes[first], {count});
    }
    drawn_along({axes[second].entry + parted, axes[second].axis}, way & 8 ? shapes[2 + way % 2] : shapes[way % 4]);
    return true;
  }

  /// A mask of a shape: what is above 1 in an array that has it, or random.
  Call::Source mask(const Shape& shape) {
    const std::size_t slot = 1 + arrays_.size();
    for (std::size_t i = 0; i < named && step_.b % 4 != 3; ++i) {
      const std::size_t variable = x(static_cast<std::uint8_t>(step_.b / 4 + i));
      const DType its = face(variable).type;
      if (face(variable).shape != shape) continue;
      if (is_bool(its) || is_complex(its)) return as(slot, variable, bool_);
      return applied(slot, "greater", {variable, one}, {bool_, shape});
    }
    const std::int64_t lowest = step_.b & 64 ? -1 : 0;  // few or half of them are zero
    return as(slot, drawn(slot, step_.b, lowest, 2, {int8, shape}), bool_);
  }

  /// Positions by a variable's values or random ones.
  Call::Source places(std::int64_t size, std::uint8_t byte) {
    const std::size_t variable = x(step_.b);
    const Shape shapes[] = {{3}, {7}, {2, 3}, {64}, {}, {1}, {0}, {size}};
    if (size > 0 && step_.c & 64 && face(variable).shape.elements() <= 1000 && face(variable).shape.size() <= 2)
      return positions(1, variable, size, step_.c & 128);
    return random_places(size, shapes[step_.b / 8 % 8], byte);
  }
  Call::Source random_places(std::int64_t size, const Shape& shape, std::uint8_t byte) {
    constexpr DType types[] = {int64, int32, uint8, int16, uint64, int8, uint32, uint16};
    DType its = types[byte / 4 % 8];
    if (size > 127 && size_of(its) < 4) its = int32;
    const std::int64_t low = is_signed_integer(its) && byte & 1 ? -size : 0;
    return drawn(1 + arrays_.size(), static_cast<std::uint8_t>(step_.b + arrays_.size()), low,
                 std::max<std::int64_t>(size, 1), {its, shape});
  }

  /// The call, of what it reads first and the arrays.
  void with_arrays(Call::Source first) {
    std::vector<Call::Source> sources = {first};
    sources.insert(sources.end(), arrays_.begin(), arrays_.end());
    put(std::move(sources));
  }

  void assign(const Shape& part) {
    const DType type = face(from_).type;
    const bool updates = step_.a & 128;
    call_.kind = Kind::assign;
    call_.part_of = updates;
    if (updates) choose_update(step_.a, type);
    const Weak scalar = new_scalar(step_.a / 4, step_.p[5]);
    const auto fits = [&](DType its) { return updates ? promoted(type, its) == type : converts(its, type); };
    const auto fitted = [&](Call::Source source) { return fits(face(source).type) ? source : as(0, source, type); };
    Shape both;
    const auto beside_part = beside(step_.p[4], part, &both);
    if (step_.a % 4 == 1 && beside_part && both == part && face(*beside_part).shape.elements() > 0)
      return with_arrays(fitted(*beside_part));
    // A value for each element, which tell who came last where positions are named twice.
    const bool masks = std::any_of(arrays_.begin(), arrays_.end(),
                                   [&](const Call::Source& array) { return is_bool(face(array).type); });
    if (step_.a % 4 == 3 && !masks) return with_arrays(as(0, drawn(0, step_.a, 0, 100, {int8, part}), type));
    if (step_.a % 4 >= 2) {  // the same part of an array of the same shape
      std::size_t other = from_;
      for (std::size_t i = 0; i < named; ++i) {
        const std::size_t variable = (step_.p[4] + i) % named;
        if (face(variable).shape == shape_) other = variable;
      }
      Call whole;
      whole.kind = Kind::subscript;
      whole.part = call_.part;
      whole.sources = {fitted(other)};
      whole.sources.insert(whole.sources.end(), arrays_.begin(), arrays_.end());
      const DType its = face(whole.sources[0]).type;
      return with_arrays(spare(0, std::move(whole), {its, part}));
    }
    with_arrays(updates ? updating(scalar, type) : fitting(scalar, type));
  }

  const bool reads_;
  const std::size_t from_;
  const Shape shape_;
  std::vector<Call::Source> arrays_;
  std::vector<Plain> stand_ins_;  // for the sources
};

}  // namespace

const Family picking = {resolved<Picking>};

}  // namespace koine::fuzz
