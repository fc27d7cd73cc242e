// SPDX-License-Identifier: Apache-2.0
// Views: parts, axes in another order, other shapes, broadcasts; one of an array's slabs; copies, also on other
// devices.
#include <algorithm>
#include <numeric>

#include "families.hpp"
#include "print.hpp"
#include "resolution.hpp"

namespace koine::fuzz {
namespace {

class Subscripting : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    const std::size_t from = x(step_.a);
    call_.part = part_of(face(from).shape, step_.p.data(), step_.p[5]);
    put({from});
    return std::move(calls_);
  }
};

Array subscript(const Call& call, const std::vector<Operand>& sources) {
  return sources[0].array().get(indices(call.part, sources));
}

Verdict check_part(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  return exactly(got, part(sources[0], call.part, sources));
}

std::string text_of_part(const Call& call, const std::vector<std::string>& sources) {
  return "kn::Array(" + sources[0] + "(" + fuzz::text(call.part, sources) + "))";
}

// permute: `which` is permute_dims, mT or flip.

class Permuting : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
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
    return std::move(calls_);
  }
};

Array permute(const Call& call, const std::vector<Operand>& sources) {
  const Array& x = sources[0].array();
  if (call.which == 0) return permute_dims(x, call.axes);
  return call.which == 1 ? x.mT() : flip(x, call.axis());
}

Verdict check_permuted(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  const Plain& x = sources[0];
  const std::size_t axes = x.shape.size();
  Shape shape = x.shape;
  std::vector<std::size_t> from(axes);
  std::vector<bool> flipped(axes);
  for (std::size_t i = 0; i < axes; ++i) from[i] = i;
  if (call.which == 0) {
    for (std::size_t i = 0; i < axes; ++i) from[i] = static_cast<std::size_t>(call.axes[i]);
  } else if (call.which == 1) {
    std::swap(from[axes - 1], from[axes - 2]);
  } else {
    for (std::size_t i = 0; i < axes; ++i) flipped[i] = call.every_axis;
    for (const std::int64_t axis : call.axes) flipped[static_cast<std::size_t>(axis)] = true;
  }
  for (std::size_t i = 0; i < axes; ++i) shape[i] = x.shape[from[i]];
  return exactly(got, gathered(x, shape, [&](const Shape& position) {
                   Shape source = x.shape;
                   for (std::size_t i = 0; i < axes; ++i)
                     source[from[i]] = flipped[i] ? shape[i] - 1 - position[i] : position[i];
                   std::int64_t number = 0;
                   for (std::size_t i = 0; i < axes; ++i) number = number * x.shape[i] + source[i];
                   return number;
                 }));
}

std::string text_of_permuted(const Call& call, const std::vector<std::string>& sources) {
  if (call.which == 0) return "kn::permute_dims(" + sources[0] + ", " + listed(call.axes) + ")";
  return call.which == 1 ? sources[0] + ".mT()" : "kn::flip(" + sources[0] + ", {.axis = " + axis_text(call) + "})";
}

// reshape: `which` is reshape, expand_dims or squeeze.

class Reshaping : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    const std::size_t from = x(step_.a);
    choose(face(from).shape);
    put({from});
    return std::move(calls_);
  }

 private:
  void choose(const Shape& shape) {
    call_.which = step_.p[0] % 3;
    if (call_.which == 1 && shape.size() < 5) {
      call_.axes = {static_cast<std::int64_t>(step_.p[1] % (shape.size() + 1))};
      return;
    }
    if (call_.which == 2) {
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] == 1) call_.axes.push_back(static_cast<std::int64_t>(axis));
      }
      if (!call_.axes.empty()) return;
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
  }
};

Array give_shape(const Call& call, const std::vector<Operand>& sources) {
  const Array& x = sources[0].array();
  if (call.which == 0) return reshape(x, call.shape);
  return call.which == 1 ? expand_dims(x, call.axes) : squeeze(x, call.axes);
}

Verdict check_reshaped(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  Plain want = sources[0];
  const std::int64_t count = want.shape.elements();
  if (call.which == 0) {
    want.shape = call.shape;
    if (want.shape.back() == -1) {
      want.shape[want.shape.size() - 1] = 1;
      want.shape[want.shape.size() - 1] = count / want.shape.elements();
    }
  } else if (call.which == 1) {
    want.shape.insert(static_cast<std::size_t>(call.axes[0]), 1);
  } else {
    for (std::size_t i = call.axes.size(); i-- > 0;) want.shape.erase(static_cast<std::size_t>(call.axes[i]));
  }
  return exactly(got, want);
}

std::string text_of_reshaped(const Call& call, const std::vector<std::string>& sources) {
  if (call.which == 0) return "kn::reshape(" + sources[0] + ", " + listed(call.shape) + ")";
  return (call.which == 1 ? "kn::expand_dims(" : "kn::squeeze(") + sources[0] + ", " + listed(call.axes) + ")";
}

class Broadcasting : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
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
    return std::move(calls_);
  }
};

Array broadcast_array(const Call& call, const std::vector<Operand>& sources) {
  return broadcast_to(sources[0].array(), call.shape);
}

Verdict check_broadcast(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  return exactly(got, broadcast(sources[0], call.shape));
}

std::string text_of_broadcast(const Call& call, const std::vector<std::string>& sources) {
  return "kn::broadcast_to(" + sources[0] + ", " + listed(call.shape) + ")";
}

// unstack: `which` of its results.

class Unstacking : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    const std::size_t from = x(step_.a);
    const Shape shape = face(from).shape;
    if (shape.empty()) return {};
    const std::size_t axis = step_.p[0] % shape.size();
    if (shape[axis] == 0 || shape[axis] > 100) return {};
    call_.every_axis = false;
    call_.axes = {static_cast<std::int64_t>(axis)};
    call_.which = step_.p[1] % static_cast<std::size_t>(shape[axis]);
    put({from});
    return std::move(calls_);
  }
};

Array slab(const Call& call, const std::vector<Operand>& sources) {
  return unstack(sources[0].array(), {.axis = call.axes[0]})[call.which];
}

Verdict check_slab(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  Part at(static_cast<std::size_t>(call.axes[0]));
  at.push_back({Entry::position, static_cast<std::int64_t>(call.which), {}, 1});
  return exactly(got, part(sources[0], at, {}));
}

std::string text_of_slab(const Call& call, const std::vector<std::string>& sources) {
  return "kn::unstack(" + sources[0] + ", {.axis = " + axis_text(call) + "})[" + std::to_string(call.which) + "]";
}

class Copying : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    put({x(step_.a)});
    return std::move(calls_);
  }
};

Array same(const Call&, const std::vector<Operand>& sources) { return sources[0].array(); }

Verdict check_same(const Call&, const std::vector<Plain>& sources, const Plain& got) {
  return exactly(got, sources[0]);
}

std::string text_of_same(const Call&, const std::vector<std::string>& sources) { return sources[0]; }

// move: `which` is the device.

class Moving : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    call_.which = step_.p[0] % setting_.devices;
    put({x(step_.a)});
    return std::move(calls_);
  }
};

Array move_array(const Call& call, const std::vector<Operand>& sources) {
  return to_device(sources[0].array(), devices()[call.which]);
}

std::string text_of_moved(const Call& call, const std::vector<std::string>& sources) {
  return "kn::to_device(" + sources[0] + ", kn::devices()[" + std::to_string(call.which) + "])";
}

}  // namespace

const Family subscripting = {resolved<Subscripting>, subscript, check_part, text_of_part};
const Family permuting = {resolved<Permuting>, permute, check_permuted, text_of_permuted};
const Family reshaping = {resolved<Reshaping>, give_shape, check_reshaped, text_of_reshaped};
const Family broadcasting = {resolved<Broadcasting>, broadcast_array, check_broadcast, text_of_broadcast};
const Family unstacking = {resolved<Unstacking>, slab, check_slab, text_of_slab};
const Family copying = {resolved<Copying>, same, check_same, text_of_same};
const Family moving = {resolved<Moving>, move_array, check_same, text_of_moved};

}  // namespace koine::fuzz
