// SPDX-License-Identifier: Apache-2.0
// Random expression graphs against a plain interpreter: views, shared parts, reductions, assignment, evaluation at any
// moment. Integers throughout, so that results compare exactly. KOINE_TEST_GRAPHS sets how many graphs are tried, and
// KOINE_TEST_SEED where they start.
#include <doctest/doctest.h>

#include <koine/koine.hpp>

#include "support/devices.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace kn = koine;

namespace {

using Values = std::vector<std::int64_t>;

/// An array of the interpreter: row-major values.
struct Plain {
  kn::Shape shape;
  Values values;
};

std::int64_t wrap(std::uint64_t value) { return static_cast<std::int64_t>(value); }

/// Calls f(position) for each position of a shape in row-major order.
template <class F>
void each(const kn::Shape& shape, F&& f) {
  const std::int64_t count = shape.elements();
  kn::Shape position = shape;
  std::fill(position.begin(), position.end(), 0);
  for (std::int64_t i = 0; i < count; ++i) {
    f(position);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++position[axis] < shape[axis]) break;
      position[axis] = 0;
    }
  }
}

/// The value at a position of a shape that the array broadcasts to.
std::int64_t at(const Plain& x, const kn::Shape& position) {
  const std::size_t shift = position.size() - x.shape.size();
  std::int64_t index = 0;
  for (std::size_t axis = 0; axis < x.shape.size(); ++axis) {
    index = index * x.shape[axis] + (x.shape[axis] == 1 ? 0 : position[axis + shift]);
  }
  return x.values[static_cast<std::size_t>(index)];
}

template <class F>
Plain gathered(const kn::Shape& shape, F&& f) {
  Plain result{shape, {}};
  each(shape, [&](const kn::Shape& position) { result.values.push_back(f(position)); });
  return result;
}

struct Pair {
  kn::Array array;
  Plain plain;
};

class Graph {
 public:
  explicit Graph(std::uint64_t seed) : random_(seed) {
    for (int i = 0; i < 3; ++i) {
      const kn::Shape shape = random_shape();
      Plain plain = gathered(shape, [&](const kn::Shape&) { return pick(-9, 9); });
      pool_.push_back({kn::asarray(plain.values, shape), plain});
    }
  }

  void step() {
    switch (pick(0, 11)) {
      case 0:
      case 1:
      case 2:
      case 3: binary(); break;
      case 4: where(); break;
      case 5: slice(); break;
      case 6: permute(); break;
      case 7: reshape(); break;
      case 8: reduce(); break;
      case 9: assign(); break;
      case 10: some().array.eval(); break;
      default: check(some());
    }
    if (pool_.size() > 8) pool_.erase(pool_.begin() + pick(0, static_cast<std::int64_t>(pool_.size()) - 1));
  }

  void check_all() {
    std::shuffle(pool_.begin(), pool_.end(), random_);
    for (const Pair& pair : pool_) check(pair);
  }

 private:
  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  Pair& some() { return pool_[static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(pool_.size()) - 1))]; }

  // Few sizes, so that shapes often broadcast against each other.
  kn::Shape random_shape() {
    kn::Shape shape;
    const std::int64_t axes = pick(0, 3);
    for (std::int64_t i = 0; i < axes; ++i) {
      constexpr std::int64_t sizes[] = {1, 2, 3, 6, 17};
      shape.push_back(sizes[pick(0, 4)]);
    }
    return shape;
  }

  void check(const Pair& pair) {
    REQUIRE(pair.array.shape() == pair.plain.shape);
    CHECK(pair.array.to_vector<std::int64_t>() == pair.plain.values);
  }

  void keep(kn::Array array, Plain plain) {
    if (plain.values.size() < 20000) pool_.push_back({std::move(array), std::move(plain)});
  }

  /// Two members that broadcast; the second may be the first.
  std::pair<Pair, Pair> compatible() {
    const Pair a = some();
    for (int attempt = 0; attempt < 8; ++attempt) {
      const Pair b = some();
      try {
        kn::broadcast_shapes({a.plain.shape, b.plain.shape});
        return {a, b};
      } catch (const kn::ShapeError&) {
      }
    }
    return {a, a};
  }

  void binary() {
    const auto [a, b] = compatible();
    const kn::Shape shape = kn::broadcast_shapes({a.plain.shape, b.plain.shape});
    const std::int64_t kind = pick(0, 4);
    const auto value = [&](const kn::Shape& position) {
      const std::int64_t x = at(a.plain, position), y = at(b.plain, position);
      const auto ux = static_cast<std::uint64_t>(x), uy = static_cast<std::uint64_t>(y);
      switch (kind) {
        case 0: return wrap(ux + uy);
        case 1: return wrap(ux - uy);
        case 2: return wrap(ux * uy);
        case 3: return std::max(x, y);
        default: return wrap(ux * 3 + 1);
      }
    };
    const kn::Array &x = a.array, &y = b.array;
    kn::Array result = kind == 0   ? x + y
                       : kind == 1 ? x - y
                       : kind == 2 ? x * y
                       : kind == 3 ? kn::maximum(x, y)
                                   : kn::broadcast_to(x, shape) * 3 + 1;
    keep(std::move(result), gathered(shape, value));
  }

  void where() {
    const auto [a, b] = compatible();
    const kn::Shape shape = kn::broadcast_shapes({a.plain.shape, b.plain.shape});
    keep(kn::where(a.array > 0, b.array, a.array), gathered(shape, [&](const kn::Shape& position) {
           return at(a.plain, position) > 0 ? at(b.plain, position) : at(a.plain, position);
         }));
  }

  /// A random slice of each axis, or an integer; `source` maps a position of the part to one of the whole.
  struct Part {
    std::vector<kn::Index> indices;
    kn::Shape shape;
    std::vector<std::int64_t> start, step;
    std::vector<bool> dropped;
  };
  Part random_part(const kn::Shape& shape) {
    Part part;
    for (std::int64_t size : shape) {
      const bool drop = pick(0, 4) == 0;
      std::int64_t first = pick(0, size - 1), step = pick(0, 1) ? pick(1, 3) : -pick(1, 3);
      part.dropped.push_back(drop);
      part.start.push_back(first);
      part.step.push_back(drop ? 0 : step);
      if (drop) {
        part.indices.push_back(pick(0, 1) ? first : first - size);
        continue;
      }
      const std::int64_t count = step > 0 ? (size - 1 - first) / step + 1 : first / -step + 1;
      part.indices.push_back(kn::slice(first, kn::none, step));
      part.shape.push_back(count);
    }
    return part;
  }
  static std::size_t index_of(const Part& part, const kn::Shape& whole, const kn::Shape& position) {
    std::int64_t index = 0;
    std::size_t next = 0;
    for (std::size_t axis = 0; axis < whole.size(); ++axis) {
      const std::int64_t p = part.start[axis] + (part.dropped[axis] ? 0 : part.step[axis] * position[next]);
      if (!part.dropped[axis]) ++next;
      index = index * whole[axis] + p;
    }
    return static_cast<std::size_t>(index);
  }

  void slice() {
    const Pair a = some();
    const Part part = random_part(a.plain.shape);
    keep(a.array.get(part.indices), gathered(part.shape, [&](const kn::Shape& position) {
           return a.plain.values[index_of(part, a.plain.shape, position)];
         }));
  }

  void permute() {
    const Pair a = some();
    std::vector<std::int64_t> order(a.plain.shape.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_);
    kn::Shape shape;
    for (std::int64_t axis : order) shape.push_back(a.plain.shape[static_cast<std::size_t>(axis)]);
    keep(kn::permute_dims(a.array, order), gathered(shape, [&](const kn::Shape& position) {
           kn::Shape source = position;
           for (std::size_t i = 0; i < order.size(); ++i) source[static_cast<std::size_t>(order[i])] = position[i];
           return at(a.plain, source);
         }));
  }

  void reshape() {
    const Pair a = some();
    kn::Shape shape;
    std::int64_t rest = a.plain.shape.elements();
    for (std::int64_t factor : {2, 3, 17}) {
      if (rest % factor == 0 && pick(0, 1)) {
        shape.push_back(factor);
        rest /= factor;
      }
    }
    shape.push_back(rest);
    keep(kn::reshape(a.array, shape), {shape, a.plain.values});
  }

  void reduce() {
    const Pair a = some();
    kn::Shape shape, kept = a.plain.shape;
    std::vector<std::int64_t> axes;
    for (std::size_t axis = 0; axis < kept.size(); ++axis) {
      if (pick(0, 1)) {
        axes.push_back(static_cast<std::int64_t>(axis));
        kept[axis] = 1;
      }
    }
    const bool largest = pick(0, 1), keepdims = pick(0, 1);
    Plain result = gathered(
        kept, [&](const kn::Shape&) { return largest ? std::numeric_limits<std::int64_t>::min() : std::int64_t{0}; });
    each(a.plain.shape, [&](const kn::Shape& position) {
      std::int64_t index = 0;
      for (std::size_t axis = 0; axis < kept.size(); ++axis) {
        index = index * kept[axis] + (kept[axis] == 1 ? 0 : position[axis]);
      }
      std::int64_t& value = result.values[static_cast<std::size_t>(index)];
      const std::int64_t x = at(a.plain, position);
      value = largest ? std::max(value, x) : wrap(static_cast<std::uint64_t>(value) + static_cast<std::uint64_t>(x));
    });
    if (!keepdims) {
      for (std::size_t axis = 0; axis < kept.size(); ++axis) {
        if (std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(axis)) == axes.end())
          shape.push_back(kept[axis]);
      }
      result.shape = shape;
    }
    keep(largest ? kn::max(a.array, {.axis = axes, .keepdims = keepdims})
                 : kn::sum(a.array, {.axis = axes, .keepdims = keepdims}),
         std::move(result));
  }

  /// Into a part of a member: another member, a part of the same one, or a scalar.
  void assign() {
    Pair& target = some();
    const Part part = random_part(target.plain.shape);
    const Part other = random_part(target.plain.shape);
    if (other.shape == part.shape && pick(0, 1)) {
      const Values before = target.plain.values;
      each(part.shape, [&](const kn::Shape& position) {
        target.plain.values[index_of(part, target.plain.shape, position)] =
            before[index_of(other, target.plain.shape, position)];
      });
      kn::Subscript(target.array, part.indices) = kn::Subscript(target.array, other.indices);
      return;
    }
    const Pair value = some();
    const bool fits = value.plain.shape.size() <= part.shape.size() && [&] {
      try {
        return kn::broadcast_shapes({value.plain.shape, part.shape}) == part.shape;
      } catch (const kn::ShapeError&) {
        return false;
      }
    }();
    each(part.shape, [&](const kn::Shape& position) {
      target.plain.values[index_of(part, target.plain.shape, position)] = fits ? at(value.plain, position) : 5;
    });
    if (fits) {
      target.array.set(part.indices, value.array);
    } else {
      target.array.set(part.indices, 5);
    }
  }

  std::mt19937_64 random_;
  std::vector<Pair> pool_;
};

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

}  // namespace

TEST_CASE("random graphs give what a plain interpreter gives") {
  const std::uint64_t first = setting("KOINE_TEST_SEED", 1), count = setting("KOINE_TEST_GRAPHS", 6);
  kn::test::on_each_device([&] {
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
      CAPTURE(seed);
      Graph graph(seed);
      for (int i = 0; i < 40; ++i) graph.step();
      graph.check_all();
    }
  });
}
