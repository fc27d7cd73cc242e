// SPDX-License-Identifier: Apache-2.0
// New arrays: of given values, filled, random, of even steps, and the grids that their axes span.
#include <algorithm>
#include <cmath>

#include "create.hpp"
#include "families.hpp"
#include "print.hpp"
#include "resolution.hpp"
#include "support/judge.hpp"
#include "support/random_reference.hpp"

namespace koine::fuzz {
namespace {

// create: `which` 1 borrows the values.

class Creating : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    call_.which = step_.p[0] / dtype_count % 4 == 1;
    const Shape shape = new_shape(&step_.p[1]);
    call_.values = new_values(type(step_.p[0]), shape, static_cast<Style>(step_.p[5] % 4), step_.p[5] / 4u);
    put({});
    return std::move(calls_);
  }
};

void create(State& state, const Call& call, const std::vector<Operand>&) {
  Array& target = state.x[call.target];
  if (call.which == 0) {
    target = created(call.values, false);
  } else {
    state.borrowed.push_back(call.values);  // its elements stay where they are as the list grows
    target = created(state.borrowed.back(), true);
  }
}

Verdict check_created(const Call& call, const std::vector<Plain>&, const Plain& got) {
  return exactly(got, call.values);
}

std::string text_of_created(const Call& call, const std::vector<std::string>&) {
  // What is borrowed lives on.
  const bool borrows = call.which == 1 && call.values.type != bool_;
  // Empty braces could be options as well.
  const std::string its_shape = (call.values.shape.empty() ? "kn::Shape" : "") + listed(call.values.shape);
  return (borrows ? "kn::borrow(*new " : "kn::asarray(") + values_text(call.values) + ", " + its_shape + ")";
}

// filled: `which` is full, arange or eye, `low` eye's diagonal.

class Filling : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
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
    return std::move(calls_);
  }
};

Array fill(const Call& call, const std::vector<Operand>& sources) {
  if (call.which == 0) return full(call.shape, sources[0].scalar(), {call.type});
  if (call.which == 1) return arange(call.shape[0], {call.type});
  return eye(call.shape[0], call.shape[1], {.k = call.low, .dtype = call.type});
}

Verdict check_filled(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  Plain want(call.type, call.shape);
  const std::int64_t columns = call.shape.size() == 2 ? call.shape[1] : 1;
  const Plain value = converted(call.which == 0 ? sources[0] : Weak{}.plain(), call.type);
  const auto integer = [&](std::int64_t i) { return converted(Weak{Weak::integer, i, 0}.plain(), call.type); };
  for (std::size_t i = 0; i < want.count(); ++i) {
    const auto number = static_cast<std::int64_t>(i);
    switch (call.which) {
      case 0: want.copy_element(i, value, 0); break;
      case 1: want.copy_element(i, integer(number), 0); break;
      default: want.copy_element(i, integer(number % columns - number / columns == call.low), 0);
    }
  }
  return exactly(got, want);
}

std::string text_of_filled(const Call& call, const std::vector<std::string>& sources) {
  const std::string type = ".dtype = " + constant_of(call.type) + "})";
  if (call.which == 0) return "kn::full(" + listed(call.shape) + ", " + sources[0] + ", {" + type;
  if (call.which == 1) return "kn::arange(" + std::to_string(call.shape[0]) + ", {" + type;
  return "kn::eye(" + std::to_string(call.shape[0]) + ", " + std::to_string(call.shape[1]) +
         ", {.k = " + std::to_string(call.low) + ", " + type;
}

// random: `which` is uniform, normal or integers.

class Drawing : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
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
    return std::move(calls_);
  }
};

Array draw(const Call& call, const std::vector<Operand>&) {
  koine::random::Generator generator(call.seed, call.counter);
  if (call.which == 0) return generator.uniform(call.shape, {.dtype = call.type});
  if (call.which == 1) return generator.normal(call.shape, {.dtype = call.type});
  return generator.integers(call.low, call.high, call.shape, {.dtype = call.type});
}

Verdict check_drawn(const Call& call, const std::vector<Plain>&, const Plain& got) {
  if (const std::string wrong = unlike(got, call.type, call.shape); !wrong.empty()) return {wrong};
  Plain want(call.type, call.shape);
  std::string wrong;
  with_type(call.type, [&]<class T>(Tag<T>) {
    const std::uint64_t first = test::first_draw<T>(call.counter);
    for (std::size_t i = 0; i < want.count(); ++i) {
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        want.put(i, test::integer<T>(first + i, call.seed, call.low, call.high));
      } else if constexpr (test::is_real_float<T>) {
        if (call.which == 0) {
          want.put(i, test::uniform<T>(first + i, call.seed, test::Format<T>::digits));
          continue;
        }
        // The bounds of the generator's own tests.
        constexpr long double bound = std::is_same_v<T, double>      ? 2e-15L
                                      : std::is_same_v<T, float>     ? 1e-6L
                                      : std::is_same_v<T, float16_t> ? 0x1p-9L
                                                                     : 0x1p-6L;
        const long double number = test::normal<T>(first + i, call.seed);
        want.put(i, got.at<T>(i));
        if (wrong.empty() && !(std::abs(test::widened(got.at<T>(i)) - number) <= bound))
          wrong = "element " + std::to_string(i) + " is " + element_text(got, i) + ", expected " + test::shown(number);
      }
    }
  });
  return {wrong.empty() ? difference(got, want) : wrong};
}

std::string text_of_drawn(const Call& call, const std::vector<std::string>&) {
  const std::string generator =
      "kn::random::Generator(" + std::to_string(call.seed) + ", " + std::to_string(call.counter) + ")";
  const std::string end = listed(call.shape) + ", {.dtype = " + constant_of(call.type) + "})";
  if (call.which == 2)
    return generator + ".integers(" + std::to_string(call.low) + ", " + std::to_string(call.high) + ", " + end;
  return generator + (call.which == 0 ? ".uniform(" : ".normal(") + end;
}

// linspace: `which` 1 leaves its end out.

class Dividing : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    call_.type = type(step_.p[0]);
    if (is_complex(call_.type) || is_bool(call_.type)) call_.type = float32;
    call_.shape = {step_.p[1] % 70};
    call_.which = step_.p[2] % 2;
    const auto end = [&](std::uint8_t value) {
      const Weak scalar = fitting(new_scalar(step_.p[3] % 2, value), call_.type);
      return std::isfinite(scalar.value.real()) ? scalar : one;
    };
    put({end(step_.p[4]), end(step_.p[5])});
    return std::move(calls_);
  }
};

Array divide(const Call& call, const std::vector<Operand>& sources) {
  return linspace(sources[0].scalar(), sources[1].scalar(), call.shape[0],
                  {.dtype = call.type, .endpoint = call.which == 0});
}

Verdict check_divided(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  if (const std::string wrong = unlike(got, call.type, call.shape); !wrong.empty()) return {wrong};
  const auto end = [&](std::size_t i) { return converted(sources[i], float64).at<double>(0); };
  const long double from = end(0), to = end(1), count = static_cast<long double>(got.count());
  Verdict verdict;
  with_type(call.type, [&]<class T>(Tag<T>) {
    if constexpr (!test::is_complex_float<T>) {
      // Without double precision it is computed in single, whatever the type.
      using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;
      for (std::size_t i = 0; i < got.count() && verdict.wrong.empty(); ++i) {
        const auto number = static_cast<long double>(i), gaps = call.which == 0 ? count - 1 : count;
        const bool last = call.which == 0 && i > 0 && number == gaps;
        const long double want = last ? to : gaps > 0 ? from + (to - from) * number / gaps : from;
        const long double error = last || i == 0 ? 0 : 4 * test::epsilon<Computed>() * (std::abs(from) + std::abs(to));
        const long double value = static_cast<long double>(test::widened(got.at<T>(i)));
        bool right = false;
        if constexpr (std::is_integral_v<T>) {
          right = value == std::floor(want - error) || value == std::floor(want + error);
        } else {
          right = within<T>(value, want, error);
        }
        if (!right)
          verdict.wrong =
              "element " + std::to_string(i) + " is " + element_text(got, i) + ", expected " + test::shown(want);
      }
    }
  });
  return verdict;
}

std::string text_of_divided(const Call& call, const std::vector<std::string>& sources) {
  return "kn::linspace(" + together(sources) + ", " + std::to_string(call.shape[0]) +
         ", {.dtype = " + constant_of(call.type) + (call.which == 0 ? "})" : ", .endpoint = false})");
}

// meshgrid: `which` of its results, `typed` for "ij".

class Spanning : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    std::vector<Call::Source> sources;
    const std::uint8_t variables[] = {step_.a, step_.b, step_.c};
    std::int64_t count = 1;
    for (std::size_t i = 0; i <= step_.p[0] % 3u; ++i) {
      const Call::Source source = x(variables[i]);
      count *= face(source).shape.elements();
      if (count > most_elements / 4) break;
      sources.push_back(flat(i, source));
    }
    call_.typed = step_.p[1] % 2;
    if (!sources.empty()) {
      call_.which = step_.p[2] % sources.size();
      put(std::move(sources));
    }
    return std::move(calls_);
  }
};

Array span_grid(const Call& call, const std::vector<Operand>& sources) {
  return meshgrid(arrays(sources), {.indexing = call.typed ? "ij" : "xy"})[call.which];
}

Verdict check_grid(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  const std::size_t count = sources.size();
  const auto axis_of = [&](std::size_t k) { return !call.typed && count >= 2 && k < 2 ? 1 - k : k; };
  Shape shape = Shape::filled(count, 1);
  for (std::size_t k = 0; k < count; ++k) shape[axis_of(k)] = sources[k].shape[0];
  return exactly(
      got, gathered(sources[call.which], shape, [&](const Shape& position) { return position[axis_of(call.which)]; }));
}

std::string text_of_grid(const Call& call, const std::vector<std::string>& sources) {
  return "kn::meshgrid({" + together(sources) + "}, {.indexing = \"" + (call.typed ? "ij" : "xy") + "\"})[" +
         std::to_string(call.which) + "]";
}

}  // namespace

const Family creating = {
    .resolve = resolved<Creating>, .check = check_created, .text = text_of_created, .perform = create};
const Family filling = {resolved<Filling>, fill, check_filled, text_of_filled};
const Family drawing = {resolved<Drawing>, draw, check_drawn, text_of_drawn};
const Family dividing = {resolved<Dividing>, divide, check_divided, text_of_divided};
const Family spanning = {resolved<Spanning>, span_grid, check_grid, text_of_grid};

}  // namespace koine::fuzz
