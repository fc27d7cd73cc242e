// SPDX-License-Identifier: Apache-2.0
// From a step to calls that the library takes: what does not fit is converted, or another operand stands in for it.
#include <algorithm>
#include <numeric>

#include "create.hpp"
#include "families.hpp"
#include "resolution.hpp"

namespace koine::fuzz {
namespace {

class Resolver : Resolution {
 public:
  Resolver(const Step& step, const Faces& faces, const Setting& setting) : Resolution(step, faces, setting) {}

  std::vector<Call> calls() {
    using enum Kind;
    switch (step_.kind) {
      case create: create_values(); break;
      case filled: fill(); break;
      case Kind::random: draw(); break;
      case elementwise: element_wise(); break;
      case update: update_in_place(); break;
      case astype: convert(); break;
      case subscript: take_part(); break;
      case permute: reorder(); break;
      case Kind::reshape: give_shape(); break;
      case Kind::broadcast: repeat(); break;
      case join: join_arrays(); break;
      case reduce: reduction(); break;
      case Kind::matmul: product(); break;
      case Kind::take: pick(); break;
      case Kind::where: choose(); break;
      case assign: assign_part(); break;
      case copy:
      case Kind::eval:
      case read:
        call_.which = step_.p[0] % 2;
        put({x(step_.a)});
        break;
      case queue:
        call_.which = step_.p[0] % 3;
        put({});
        break;
      case limit:
        call_.which = step_.p[0] % 6;
        put({});
        break;
      case triangle: cut_triangle(); break;
      case Kind::clip: limit_values(); break;
      case Kind::linspace: divide_range(); break;
      case Kind::meshgrid: span_grid(); break;
      case Kind::unstack: pick_part(); break;
      case move:
        call_.which = step_.p[0] % setting_.devices;
        put({x(step_.a)});
        break;
      default: break;  // of other families
    }
    return std::move(calls_);
  }

 private:
  void create_values() {
    call_.which = step_.p[0] / dtype_count % 4 == 1;
    const Shape shape = new_shape(&step_.p[1]);
    call_.values = new_values(type(step_.p[0]), shape, static_cast<Style>(step_.p[5] % 4), step_.p[5] / 4u);
    put({});
  }

  void fill() {
    call_.type = type(step_.p[0]);
    call_.shape = new_shape(&step_.p[1]);
    call_.which = step_.b % 3;
    if (call_.which == 1) call_.shape = {call_.shape.empty() ? 1 : call_.shape[0] % 100};
    if (call_.which == 2) {
      while (call_.shape.size() < 2) call_.shape.push_back(3);
      call_.shape = {call_.shape[0] % 100, call_.shape[1] % 100};
      call_.low = step_.p[5] % 5 - 2;
    }
    put({call_.which == 0 ? fitting(new_scalar(step_.c, step_.p[5]), call_.type) : one});
  }

  void draw() {
    call_.which = step_.p[0] % 3;
    call_.shape = new_shape(&step_.p[2]);
    call_.type = type(step_.p[1]);
    if (call_.which == 2 && !is_integer(call_.type)) call_.type = int32;
    if (call_.which != 2 && !is_real_floating(call_.type)) call_.type = float32;
    call_.seed = step_.a;
    call_.counter = step_.b;
    call_.low = step_.c % 4;
    call_.high = call_.low + 1 + step_.c / 4;
    put({});
  }

  void element_wise() {
    const Row& row = rows()[call_.which = step_.p[0] % rows().size()];
    const auto takes = [&](DType common) { return row.computes(common).has_value(); };
    std::size_t first = x(step_.a);
    if (step_.repeat >= 192) first = call_.target;  // a chain
    if (row.arity == 1) return put(matched({first}, takes));
    std::vector<Call::Source> sources = {first};
    if (step_.c % 4 == 3) {
      sources.push_back(new_scalar(step_.c / 4, step_.p[1]));
    } else {
      Shape result;
      sources.push_back(beside(step_.b, face(first).shape, &result).value_or(first));
    }
    if (step_.c & 128) std::swap(sources[0], sources[1]);
    if (std::holds_alternative<Weak>(sources[0]) && step_.repeat >= 192) std::swap(sources[0], sources[1]);
    if (row.logical) return put(std::move(sources));
    if (!std::holds_alternative<Weak>(sources[0])) return put(matched(std::move(sources), takes));
    std::swap(sources[0], sources[1]);
    sources = matched(std::move(sources), takes);
    put({sources[1], sources[0]});
  }

  void choose() {
    Shape shape;
    const std::size_t condition = x(step_.a);
    const auto first = beside(step_.b, face(condition).shape, &shape);
    if (!first) return;
    std::vector<Call::Source> sources = {*first};
    if (step_.p[0] % 2 == 1) {
      sources.push_back(new_scalar(step_.p[1], step_.p[2]));
    } else {
      const Shape both = shape;
      const auto second = beside(step_.c, both, &shape);
      if (!second) return;
      sources.push_back(*second);
    }
    sources = matched(std::move(sources), [](DType) { return true; });
    put({condition, sources[0], sources[1]});
  }

  void convert() {
    call_.type = type(step_.p[0]);
    Call::Source source = x(step_.a);
    if (is_complex(face(source).type) && !is_complex(call_.type) && !is_bool(call_.type)) {
      source = as(0, source, face(source).type == complex64 ? float32 : float64);
    }
    put({source});
  }

  void take_part() {
    const std::size_t from = x(step_.a);
    call_.part = part_of(face(from).shape, step_.p.data(), step_.p[5]);
    put({from});
  }

  void assign_part() {
    const Face target = face(call_.target);
    call_.part = part_of(target.shape, step_.p.data(), step_.p[5]);
    const Shape shape = shape_of(call_.part, target.shape);
    if (step_.c % 4 == 2) {
      call_.part_of = true;
      call_.other = neighbour(call_.part, target.shape, step_.c & 4);
      return put({});
    }
    Shape both;
    const auto value = beside(step_.b, shape, &both);
    if (step_.c % 4 == 1 || !value || both != shape)
      return put({fitting(new_scalar(step_.c / 4, step_.a), target.type)});
    Call::Source source = *value;
    if (!converts(face(source).type, target.type)) source = as(0, source, target.type);
    put({source});
  }

  void update_in_place() {
    const Face target = face(call_.target);
    Shape shape = target.shape;
    if (step_.c & 64) {
      call_.part_of = true;
      call_.part = part_of(target.shape, &step_.p[1], static_cast<std::uint8_t>(step_.a & 0xf1));
      shape = shape_of(call_.part, shape);
    }
    choose_update(step_.p[0], target.type);
    Shape both;
    const auto value = beside(step_.b, shape, &both);
    if (step_.c % 4 == 3 || !value || both != shape)
      return put({updating(new_scalar(step_.c / 4, step_.a), target.type)});
    Call::Source source = *value;
    if (promoted(target.type, face(source).type) != target.type) source = as(0, source, target.type);
    put({source});
  }

  void reorder() {
    const std::size_t from = x(step_.a);
    const auto axes = static_cast<std::int64_t>(face(from).shape.size());
    call_.which = step_.p[0] % 3;
    if (call_.which == 1 && axes < 2) call_.which = 0;
    if (call_.which == 0) {
      std::vector<std::int64_t> left(static_cast<std::size_t>(axes));
      std::iota(left.begin(), left.end(), 0);
      std::reverse(left.begin(), left.end());
      for (std::size_t i = 0; !left.empty(); ++i) {
        const auto at = left.begin() + (i < 5 ? step_.p[1 + i] : 0) % static_cast<std::ptrdiff_t>(left.size());
        call_.axes.push_back(*at);
        left.erase(at);
      }
    } else if (call_.which == 2) {
      choose_axes(step_.p[1], axes, false);
    }
    put({from});
  }

  void give_shape() {
    const std::size_t from = x(step_.a);
    const Shape shape = face(from).shape;
    call_.which = step_.p[0] % 3;
    if (call_.which == 1 && shape.size() < 5) {
      call_.axes = {static_cast<std::int64_t>(step_.p[1] % (shape.size() + 1))};
      return put({from});
    }
    if (call_.which == 2) {
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] == 1) call_.axes.push_back(static_cast<std::int64_t>(axis));
      }
      if (!call_.axes.empty()) return put({from});
    }
    call_.which = 0;
    std::int64_t rest = shape.elements();
    for (std::size_t i = 1; i < 5; ++i) {
      constexpr std::int64_t factors[] = {0, 1, 2, 3, 7, 8, 64, 5};
      const std::int64_t factor = factors[step_.p[i] % 8];
      if (factor == 0 || rest % factor != 0) continue;
      call_.shape.push_back(factor);
      rest /= factor;
    }
    call_.shape.push_back(step_.p[5] % 4 == 1 && rest > 0 ? -1 : rest);
    put({from});
  }

  void repeat() {
    const std::size_t from = x(step_.a);
    Shape shape = face(from).shape;
    std::int64_t count = shape.elements();
    constexpr std::int64_t sides[] = {2, 1, 3, 7, 64, 0};
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const std::int64_t side = sides[step_.p[axis < 5 ? axis : 0] % 6];
      if (shape[axis] == 1 && side * count <= most_elements / 4) shape[axis] = side, count *= side;
    }
    for (int i = step_.p[5] % 3; i > 0 && shape.size() < 5; --i) {
      const std::int64_t side = sides[step_.p[5] / 3u % 5];
      if (side * count > most_elements / 4) break;
      shape.insert(0, side);
      count *= side;
    }
    call_.shape = shape;
    put({from});
  }

  void join_arrays() {
    const std::size_t first = x(step_.a);
    const Shape shape = face(first).shape;
    const auto axes = shape.size();
    call_.which = step_.p[0] % 3;  // concat, stack, concat of the flattened
    if (axes == 0 && call_.which == 0) call_.which = 1;
    if (axes >= 5 && call_.which == 1) call_.which = 0;
    const std::size_t axis = call_.which == 2 ? 0 : step_.p[1] % (axes + (call_.which == 1));
    const auto fits = [&](std::size_t other) {
      Shape theirs = face(other).shape;
      if (call_.which == 2) return true;
      if (theirs.size() != axes) return false;
      if (call_.which == 0) theirs[axis] = shape[axis];
      return theirs == shape;
    };
    std::vector<Call::Source> sources = {first};
    std::int64_t count = shape.elements();
    for (const std::uint8_t byte : {step_.b, step_.c}) {
      const std::size_t other = fits(x(byte)) ? x(byte) : first;
      count += face(other).shape.elements();
      if (count <= most_elements) sources.push_back(other);
      if (step_.p[2] % 2 == 0) break;
    }
    call_.every_axis = call_.which == 2;
    call_.axes = {static_cast<std::int64_t>(axis)};
    put(matched(std::move(sources), [](DType) { return true; }));
  }

  void reduction() {
    Call::Source source = x(step_.a);
    const Shape shape = face(source).shape;
    const auto axes = static_cast<std::int64_t>(shape.size());
    call_.which = step_.p[0] % std::size(reductions);
    const auto kind = static_cast<Reduction>(call_.which);
    call_.keepdims = step_.p[2] & 1;
    if (is_position(kind)) {
      const std::int64_t axis = step_.p[1] % (axes + 1);
      if (axis > 0) call_.axes.push_back(step_.p[2] & 4 ? axis - 1 - axes : axis - 1);
      call_.every_axis = axis == 0;
    } else {
      choose_axes(step_.p[1], axes, step_.p[2] & 4);
    }
    std::int64_t count = 1;
    for (std::int64_t axis = 0; axis < axes; ++axis) {
      const bool reduced = std::any_of(call_.axes.begin(), call_.axes.end(),
                                       [&](std::int64_t a) { return a == axis || a == axis - axes; });
      if (call_.every_axis || reduced) count *= shape[static_cast<std::size_t>(axis)];
    }
    const bool extreme = kind == Reduction::max || kind == Reduction::min || is_position(kind);
    if (extreme && count == 0) return;
    if (extreme) source = real(0, source);
    const bool spread = kind == Reduction::var || kind == Reduction::std;
    if (spread && is_complex(face(source).type)) source = as(0, source, float32);
    if (spread) call_.low = step_.p[4] % 2;
    if ((kind == Reduction::sum || kind == Reduction::prod) && step_.p[2] & 2) {
      call_.type = type(step_.p[3]);
      call_.typed = !is_bool(call_.type) && converts(face(source).type, call_.type);
    }
    put({source});
  }

  void product() {
    const auto cost = [](const Shape& a, const Shape& b) -> std::int64_t {  // of nothing that fits: none
      if (a.empty() || b.empty()) return -1;
      const std::int64_t inner = a.back(), other = b.size() == 1 ? b[0] : b[b.size() - 2];
      if (inner != other) return -1;
      Shape outer_a = a, outer_b = b, batch;
      for (int i = 0; i < 2 && !outer_a.empty(); ++i) outer_a.erase(outer_a.size() - 1);
      for (int i = 0; i < 2 && !outer_b.empty(); ++i) outer_b.erase(outer_b.size() - 1);
      if (!broadcasts(outer_a, outer_b, &batch)) return -1;
      const std::int64_t rows = a.size() == 1 ? 1 : a[a.size() - 2], columns = b.size() == 1 ? 1 : b.back();
      return batch.elements() * rows * columns > most_elements ? -1 : batch.elements() * rows * columns * inner;
    };
    constexpr std::int64_t most_work = 1 << 21;
    const auto numeric = [](DType type) { return !is_bool(type); };
    const std::size_t first = x(step_.a);
    const auto fits = [&](const Shape& other) {
      const std::int64_t work = cost(face(first).shape, other);
      return work >= 0 && work <= most_work;
    };
    for (std::size_t i = 0; i < named; ++i) {
      const std::size_t second = (step_.b + i) % named;
      if (!fits(face(second).shape)) continue;
      return put(matched({first, second}, numeric));
    }
    Shape turned = face(first).shape;
    if (turned.size() < 2) return;
    std::swap(turned[turned.size() - 1], turned[turned.size() - 2]);
    if (!fits(turned)) return;
    Call transpose;
    transpose.kind = Kind::permute;
    transpose.which = 1;
    transpose.sources = {first};
    const Call::Source second = spare(2, std::move(transpose), {face(first).type, turned});
    put(matched({first, second}, numeric));
  }

  void pick() {
    const std::size_t from = x(step_.a);
    const Shape shape = face(from).shape, positions = face(x(step_.b)).shape;
    const std::int64_t axis = step_.p[0] % static_cast<std::int64_t>(shape.size() + 1);
    call_.every_axis = axis == 0;
    if (axis > 0) call_.axes = {axis - 1};
    const std::int64_t size = axis > 0 ? shape[static_cast<std::size_t>(axis - 1)] : shape.elements();
    const std::int64_t count = size ? shape.elements() / size * positions.elements() : 0;
    if (size == 0 || count > most_elements || shape.size() + positions.size() > 6) return;
    put({from, this->positions(1, x(step_.b), size, step_.p[1] % 2 == 1)});
  }

  void cut_triangle() {
    const std::size_t from = x(step_.a);
    if (face(from).shape.size() < 2) return;
    call_.which = step_.p[0] % 2;
    call_.low = step_.p[1] % 5 - 2;
    put({from});
  }

  void limit_values() {
    const Call::Source source = real(0, x(step_.a));
    const DType its = face(source).type;
    std::vector<Call::Source> sources = {source};
    Shape shape = face(source).shape;
    call_.which = 3 - step_.p[0] % 4;  // the bounds that there are
    for (const std::size_t bound : {1, 2}) {
      if (!(call_.which & bound)) continue;
      const Shape so_far = shape;
      const auto array = beside(bound == 1 ? step_.b : step_.c, so_far, &shape);
      if (step_.p[bound] % 2 == 1 || !array) {
        shape = so_far;
        const Weak scalar = fitting(new_scalar(step_.p[bound] / 2, step_.p[bound + 2]), its);
        sources.push_back(promoted(its, scalar) == its ? scalar : one);
      } else {
        sources.push_back(converts(face(*array).type, its) ? *array : as(bound, *array, its));
      }
    }
    put(std::move(sources));
  }

  void divide_range() {
    call_.type = type(step_.p[0]);
    if (is_complex(call_.type) || is_bool(call_.type)) call_.type = float32;
    call_.shape = {step_.p[1] % 70};
    call_.which = step_.p[2] % 2;  // without its end
    const auto end = [&](std::uint8_t value) {
      const Weak scalar = fitting(new_scalar(step_.p[3] % 2, value), call_.type);
      return std::isfinite(scalar.value.real()) ? scalar : one;
    };
    put({end(step_.p[4]), end(step_.p[5])});
  }

  void span_grid() {
    std::vector<Call::Source> sources;
    const std::uint8_t variables[] = {step_.a, step_.b, step_.c};
    std::int64_t count = 1;
    for (std::size_t i = 0; i <= step_.p[0] % 3u; ++i) {
      const Call::Source source = x(variables[i]);
      count *= face(source).shape.elements();
      if (count > most_elements / 4) break;
      sources.push_back(flat(i, source));
    }
    if (sources.empty()) return;
    call_.typed = step_.p[1] % 2;  // "ij"
    call_.which = step_.p[2] % sources.size();
    put(std::move(sources));
  }

  void pick_part() {
    const std::size_t from = x(step_.a);
    const Shape shape = face(from).shape;
    if (shape.empty()) return;
    const std::size_t axis = step_.p[0] % shape.size();
    if (shape[axis] == 0 || shape[axis] > 100) return;
    call_.every_axis = false;
    call_.axes = {static_cast<std::int64_t>(axis)};
    call_.which = step_.p[1] % static_cast<std::size_t>(shape[axis]);
    put({from});
  }
};

}  // namespace

const Family basic = {resolved<Resolver>};

std::vector<Call> resolve(const Step& step, const Faces& faces, const Setting& setting) {
  return family_of(step.kind).resolve(step, faces, setting);
}

int repeats(const Step& step, const Faces& faces) {
  if (step.kind != Kind::elementwise && step.kind != Kind::update && step.kind != Kind::assign) return 1;
  if (step.repeat < 192) return 1;
  // Long chains of what is quick to compile and to compute.
  const std::string_view row = rows()[step.p[0] % rows().size()].name;
  const bool simple = step.kind != Kind::elementwise || std::any_of(std::begin(updates), std::end(updates),
                                                                    [&](const Update& u) { return u.name == row; });
  const bool small = faces[step.target % named].shape.elements() <= 64;
  if (step.repeat < 224 || !simple || !small) return 2;
  return step.repeat < 240 ? 5 : step.repeat < 252 ? 40 : 1100;
}

}  // namespace koine::fuzz
