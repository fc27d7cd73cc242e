// SPDX-License-Identifier: Apache-2.0
// What each kind of call should give: exact values for all that moves values about, bounds for what computes them.
#include "check.hpp"

#include <algorithm>
#include <cmath>

#include "families.hpp"
#include "support/judge.hpp"
#include "support/random_reference.hpp"

namespace koine::fuzz {

Verdict check_row(std::size_t row, DType computed, const Plain& got, const Plain& x1, const Plain* x2) {
  return with_type(computed, [&]<class C>(Tag<C>) { return check_row<C>(row, got, x1, x2); });
}

std::string unlike(const Plain& got, DType type, const Shape& shape) {
  if (got.type != type) return "the type is " + std::string(name(got.type)) + ", expected " + std::string(name(type));
  if (got.shape != shape) return "the shape is " + to_string(got.shape) + ", expected " + to_string(shape);
  return "";
}

Verdict exactly(const Plain& got, const Plain& want, bool zeros_equal) {
  const std::string wrong = unlike(got, want.type, want.shape);
  return {wrong.empty() ? difference(got, want, zeros_equal) : wrong};
}

namespace {

class Judge {
 public:
  Judge(const Call& call, const Values& before, const Plain& got) : call_(call), before_(before), got_(got) {}

  Verdict verdict() {
    if (call_.refused) return {exactly(target()).wrong, before_[call_.target].loose};
    Verdict result = judge();
    if (call_.changes()) {
      result.loose = result.loose || before_[call_.target].loose;
    }
    for (const Call::Source& source : call_.sources) {
      if (const auto* x = std::get_if<std::size_t>(&source)) result.loose = result.loose || before_[*x].loose;
    }
    return result;
  }

 private:
  Plain operand(std::size_t i) const {
    if (const auto* weak = std::get_if<Weak>(&call_.sources[i])) return weak->plain();
    return before_[std::get<std::size_t>(call_.sources[i])].plain;
  }
  const Plain& target() const { return before_[call_.target].plain; }

  std::string unlike(DType type, const Shape& shape) const { return fuzz::unlike(got_, type, shape); }
  Verdict exactly(const Plain& want) const { return fuzz::exactly(got_, want); }

  Verdict judge() {
    switch (call_.kind) {
      case Kind::create: return exactly(call_.values);
      case Kind::filled: return exactly(filled());
      case Kind::random: return drawn();
      case Kind::elementwise: return element_wise(call_.which, got_, operands());
      case Kind::update: return updated();
      case Kind::astype: return cast();
      case Kind::subscript: return exactly(part(operand(0), call_.part));
      case Kind::permute: return exactly(reordered());
      case Kind::reshape: return exactly(reshaped());
      case Kind::broadcast: return exactly(broadcast(operand(0), call_.shape));
      case Kind::join: return exactly(joined());
      case Kind::reduce: return check_reduction(call_, operand(0), got_);
      case Kind::matmul: {
        const DType type = *common_type(call_.sources, faces(before_));
        return check_product(type, converted(operand(0), type), converted(operand(1), type), got_);
      }
      case Kind::take: return exactly(taken());
      case Kind::where: return exactly(chosen());
      case Kind::assign: return exactly(assigned());
      case Kind::triangle: return exactly(triangle());
      case Kind::clip: return clipped();
      case Kind::linspace: return divided();
      case Kind::meshgrid: return exactly(grid());
      case Kind::unstack: return exactly(slab());
      case Kind::copy:
      case Kind::move: return exactly(operand(0));
      default:
        if (const auto check = family_of(call_.kind).check) return check(call_, operands(), got_);
        return {};
    }
  }

  std::vector<Plain> operands() const {
    std::vector<Plain> result;
    for (std::size_t i = 0; i < call_.sources.size(); ++i) result.push_back(operand(i));
    return result;
  }

  static Shape common_shape(const std::vector<Plain>& operands) {
    Shape shape;
    for (const Plain& x : operands) {
      const Shape so_far = shape;
      broadcasts(so_far, x.shape, &shape);
    }
    return shape;
  }

  Verdict element_wise(std::size_t index, const Plain& got, std::vector<Plain> x) const {
    const Row& row = rows()[index];
    DType computed = bool_;
    if (!row.logical) {
      const auto common = call_.kind == Kind::update ? promoted_all(x) : common_type(call_.sources, faces(before_));
      computed = *row.computes(*common);
    }
    const Shape shape = common_shape(x);
    if (got.shape != shape) return {"the shape is " + to_string(got.shape) + ", expected " + to_string(shape)};
    const bool truths = std::any_of(x.begin(), x.end(), [](const Plain& each) { return each.type == DType::bool_; });
    for (Plain& each : x) each = broadcast(converted(each, computed), shape);
    Verdict result = check_row(index, computed, got, x[0], x.size() == 2 ? &x[1] : nullptr);
    // Of 0 and 1 a compiler may work out a function by itself, by its own approximation: NVIDIA's does for tanh.
    result.loose = truths && computed != bool_ && !is_integer(computed);
    return result;
  }

  /// An assignment keeps the type, and the resolver saw to it that it can.
  std::optional<DType> promoted_all(const std::vector<Plain>&) const { return target().type; }

  Verdict updated() {
    if (const std::string wrong = unlike(target().type, target().shape); !wrong.empty()) return {wrong};
    const std::size_t row = row_of(updates[call_.which].name);
    if (!call_.part_of) return element_wise(row, got_, {target(), operand(0)});
    Plain now = part(got_, call_.part), was = part(target(), call_.part);
    const Plain whole = replaced(target(), call_.part, now);
    Plain by = broadcast(operand(0), now.shape);
    if (const auto last = last_of_each(); last.size() < now.count()) {
      for (Plain* each : {&now, &was, &by}) {
        *each =
            gathered(*each, {std::ssize(last)}, [&](const Shape& at) { return last[static_cast<std::size_t>(at[0])]; });
      }
    }
    Verdict inside = element_wise(row, now, {was, by});
    if (inside.wrong.empty()) inside.wrong = difference(got_, whole);
    return inside;
  }

  /// Of the positions in a part those whose element does not come again: of an element named twice the last value
  /// stays.
  std::vector<std::size_t> last_of_each() const {
    const std::vector<std::int64_t> numbers = select(call_.part, target().shape, operands()).numbers;
    std::vector<bool> seen(target().count());
    std::vector<std::size_t> last;
    for (std::size_t i = numbers.size(); i-- > 0;) {
      const auto number = static_cast<std::size_t>(numbers[i]);
      if (!seen[number]) last.push_back(i);
      seen[number] = true;
    }
    std::reverse(last.begin(), last.end());
    return last;
  }

  Plain filled() const {
    Plain result(call_.type, call_.shape);
    const std::int64_t columns = call_.shape.size() == 2 ? call_.shape[1] : 1;
    const Plain value = converted(call_.which == 0 ? operand(0) : Weak{}.plain(), call_.type);
    const auto integer = [&](std::int64_t i) { return converted(Weak{Weak::integer, i, 0}.plain(), call_.type); };
    for (std::size_t i = 0; i < result.count(); ++i) {
      const auto number = static_cast<std::int64_t>(i);
      switch (call_.which) {
        case 0: result.copy_element(i, value, 0); break;
        case 1: result.copy_element(i, integer(number), 0); break;
        default: result.copy_element(i, integer(number % columns - number / columns == call_.low), 0);
      }
    }
    return result;
  }

  Verdict drawn() const {
    if (const std::string wrong = unlike(call_.type, call_.shape); !wrong.empty()) return {wrong};
    Plain want(call_.type, call_.shape);
    std::string wrong;
    with_type(call_.type, [&]<class T>(Tag<T>) {
      const std::uint64_t first = test::first_draw<T>(call_.counter);
      for (std::size_t i = 0; i < want.count(); ++i) {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
          want.put(i, test::integer<T>(first + i, call_.seed, call_.low, call_.high));
        } else if constexpr (test::is_real_float<T>) {
          if (call_.which == 0) {
            want.put(i, test::uniform<T>(first + i, call_.seed, test::Format<T>::digits));
            continue;
          }
          // The bounds of the generator's own tests.
          constexpr long double bound = std::is_same_v<T, double>      ? 2e-15L
                                        : std::is_same_v<T, float>     ? 1e-6L
                                        : std::is_same_v<T, float16_t> ? 0x1p-9L
                                                                       : 0x1p-6L;
          const long double number = test::normal<T>(first + i, call_.seed);
          want.put(i, got_.at<T>(i));
          if (wrong.empty() && !(std::abs(test::widened(got_.at<T>(i)) - number) <= bound))
            wrong =
                "element " + std::to_string(i) + " is " + element_text(got_, i) + ", expected " + test::shown(number);
        }
      }
    });
    return {wrong.empty() ? difference(got_, want) : wrong};
  }

  Verdict cast() const {
    std::size_t undefined = 0;
    Plain want = converted(operand(0), call_.type, &undefined);
    Verdict verdict{unlike(want.type, want.shape), undefined > 0};
    if (!verdict.wrong.empty()) return verdict;
    if (undefined == 0) return exactly(want);
    // What is undefined is whatever it is; the rest must be right.
    const Plain x = operand(0);
    for (std::size_t i = 0; i < want.count(); ++i) {
      std::size_t here = 0;
      converted(gathered(x, {}, [&](const Shape&) { return i; }), call_.type, &here);
      if (here) want.copy_element(i, got_, i);
    }
    verdict.wrong = difference(got_, want);
    return verdict;
  }

  Plain part(const Plain& x, const Part& part) const {
    const Selection selection = select(part, x.shape, operands());
    std::size_t next = 0;
    return gathered(x, selection.shape, [&](const Shape&) { return selection.numbers[next++]; });
  }
  Plain replaced(const Plain& x, const Part& part, const Plain& by) const {
    Plain result = x;
    const Selection selection = select(part, x.shape, operands());
    for (std::size_t i = 0; i < selection.numbers.size(); ++i) {
      result.copy_element(static_cast<std::size_t>(selection.numbers[i]), by, i);
    }
    return result;
  }

  Plain assigned() const {
    const Shape shape = shape_of(call_.part, target().shape, operands());
    if (call_.part_of) return replaced(target(), call_.part, part(target(), call_.other));
    return replaced(target(), call_.part, broadcast(converted(operand(0), target().type), shape));
  }

  Plain reordered() const {
    const Plain x = operand(0);
    const std::size_t axes = x.shape.size();
    Shape shape = x.shape;
    std::vector<std::size_t> from(axes);
    std::vector<bool> flipped(axes);
    for (std::size_t i = 0; i < axes; ++i) from[i] = i;
    if (call_.which == 0) {
      for (std::size_t i = 0; i < axes; ++i) from[i] = static_cast<std::size_t>(call_.axes[i]);
    } else if (call_.which == 1) {
      std::swap(from[axes - 1], from[axes - 2]);
    } else {
      for (std::size_t i = 0; i < axes; ++i) flipped[i] = call_.every_axis;
      for (const std::int64_t axis : call_.axes) flipped[static_cast<std::size_t>(axis)] = true;
    }
    for (std::size_t i = 0; i < axes; ++i) shape[i] = x.shape[from[i]];
    return gathered(x, shape, [&](const Shape& position) {
      Shape source = x.shape;
      for (std::size_t i = 0; i < axes; ++i) source[from[i]] = flipped[i] ? shape[i] - 1 - position[i] : position[i];
      std::int64_t number = 0;
      for (std::size_t i = 0; i < axes; ++i) number = number * x.shape[i] + source[i];
      return number;
    });
  }

  Plain reshaped() const {
    Plain result = operand(0);
    const std::int64_t count = result.shape.elements();
    if (call_.which == 0) {
      result.shape = call_.shape;
      if (result.shape.back() == -1) {
        result.shape[result.shape.size() - 1] = 1;
        result.shape[result.shape.size() - 1] = count / result.shape.elements();
      }
    } else if (call_.which == 1) {
      result.shape.insert(static_cast<std::size_t>(call_.axes[0]), 1);
    } else {
      for (std::size_t i = call_.axes.size(); i-- > 0;) result.shape.erase(static_cast<std::size_t>(call_.axes[i]));
    }
    return result;
  }

  Plain joined() const {
    const DType type = *common_type(call_.sources, faces(before_));
    std::vector<Plain> parts = operands();
    std::size_t axis = call_.every_axis ? 0 : static_cast<std::size_t>(call_.axes[0]);
    std::int64_t along = 0;
    for (Plain& each : parts) {
      each = converted(each, type);
      if (call_.which == 2) each.shape = {each.shape.elements()};
      if (call_.which == 1) each.shape.insert(axis, 1);
      along += each.shape[axis];
    }
    Shape shape = parts[0].shape;
    shape[axis] = along;
    Plain result(type, shape);
    std::int64_t inner = 1, outer = 1;
    for (std::size_t i = 0; i < shape.size(); ++i) (i < axis ? outer : inner) *= i == axis ? 1 : shape[i];
    std::size_t next = 0;
    for (std::int64_t o = 0; o < outer; ++o) {
      for (const Plain& each : parts) {
        const std::int64_t run = each.shape[axis] * inner;
        for (std::int64_t i = 0; i < run; ++i) result.copy_element(next++, each, static_cast<std::size_t>(o * run + i));
      }
    }
    return result;
  }

  Plain taken() const {
    const Plain x = operand(0), positions = converted(operand(1), int64);
    const std::size_t axis = call_.every_axis ? 0 : static_cast<std::size_t>(call_.axes[0]);
    const Shape source = call_.every_axis ? Shape{x.shape.elements()} : x.shape;
    Shape shape;
    for (std::size_t i = 0; i < axis; ++i) shape.push_back(source[i]);
    for (const std::int64_t size : positions.shape) shape.push_back(size);
    for (std::size_t i = axis + 1; i < source.size(); ++i) shape.push_back(source[i]);
    const std::size_t picked = positions.shape.size();
    return gathered(x, shape, [&](const Shape& position) {
      std::int64_t which = 0, number = 0;
      for (std::size_t i = 0; i < picked; ++i) which = which * positions.shape[i] + position[axis + i];
      std::int64_t at = positions.at<std::int64_t>(static_cast<std::size_t>(which));
      if (at < 0) at += source[axis];
      for (std::size_t i = 0; i < source.size(); ++i) {
        const std::int64_t p = i < axis ? position[i] : i == axis ? at : position[i - 1 + picked];
        number = number * source[i] + p;
      }
      return number;
    });
  }

  Plain chosen() const {
    const std::vector<Plain> x = operands();
    const Shape shape = common_shape(x);
    const DType type = *common_type({call_.sources[1], call_.sources[2]}, faces(before_));
    const Plain condition = broadcast(converted(x[0], bool_), shape), yes = broadcast(converted(x[1], type), shape),
                no = broadcast(converted(x[2], type), shape);
    Plain result(type, shape);
    for (std::size_t i = 0; i < result.count(); ++i) result.copy_element(i, condition.at<bool>(i) ? yes : no, i);
    return result;
  }

  Plain triangle() const {
    const Plain x = operand(0), zero(x.type, {});
    Plain result = x;
    const std::int64_t rows = x.shape[x.shape.size() - 2], columns = x.shape.back();
    for (std::size_t i = 0; i < result.count(); ++i) {
      const auto number = static_cast<std::int64_t>(i);
      const std::int64_t diagonal = number % columns - number / columns % rows;
      if (call_.which == 0 ? diagonal > call_.low : diagonal < call_.low) result.copy_element(i, zero, 0);
    }
    return result;
  }

  Verdict clipped() const {
    const DType type = operand(0).type;
    const Shape shape = common_shape(operands());
    if (const std::string wrong = unlike(type, shape); !wrong.empty()) return {wrong};
    Plain want = broadcast(operand(0), shape);
    for (std::size_t k = 1; k < call_.sources.size(); ++k) {
      const bool lowest = k == 1 && call_.which & 1;
      const Plain bound = broadcast(converted(operand(k), type), shape);
      with_type(type, [&]<class T>(Tag<T>) {
        if constexpr (!test::is_complex_float<T>) {
          for (std::size_t i = 0; i < want.count(); ++i) {
            const auto x = test::widened(want.at<T>(i)), end = test::widened(bound.at<T>(i));
            if (x == x && (end != end || (lowest ? x < end : x > end))) want.copy_element(i, bound, i);
          }
        }
      });
    }
    return {difference(got_, want, true)};
  }

  Verdict divided() const {
    if (const std::string wrong = unlike(call_.type, call_.shape); !wrong.empty()) return {wrong};
    const auto end = [&](std::size_t i) { return converted(operand(i), float64).at<double>(0); };
    const long double from = end(0), to = end(1), count = static_cast<long double>(got_.count());
    Verdict verdict;
    with_type(call_.type, [&]<class T>(Tag<T>) {
      if constexpr (!test::is_complex_float<T>) {
        // Without double precision it is computed in single, whatever the type.
        using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;
        for (std::size_t i = 0; i < got_.count() && verdict.wrong.empty(); ++i) {
          const auto number = static_cast<long double>(i), gaps = call_.which == 0 ? count - 1 : count;
          const bool last = call_.which == 0 && i > 0 && number == gaps;
          const long double want = last ? to : gaps > 0 ? from + (to - from) * number / gaps : from;
          const long double error =
              last || i == 0 ? 0 : 4 * test::epsilon<Computed>() * (std::abs(from) + std::abs(to));
          const long double got = static_cast<long double>(test::widened(got_.at<T>(i)));
          bool right = false;
          if constexpr (std::is_integral_v<T>) {
            right = got == std::floor(want - error) || got == std::floor(want + error);
          } else {
            right = within<T>(got, want, error);
          }
          if (!right)
            verdict.wrong =
                "element " + std::to_string(i) + " is " + element_text(got_, i) + ", expected " + test::shown(want);
        }
      }
    });
    return verdict;
  }

  Plain grid() const {
    const std::size_t count = call_.sources.size();
    const auto axis_of = [&](std::size_t k) { return !call_.typed && count >= 2 && k < 2 ? 1 - k : k; };
    Shape shape = Shape::filled(count, 1);
    for (std::size_t k = 0; k < count; ++k) shape[axis_of(k)] = operand(k).shape[0];
    return gathered(operand(call_.which), shape, [&](const Shape& position) { return position[axis_of(call_.which)]; });
  }

  Plain slab() const {
    Part at(static_cast<std::size_t>(call_.axes[0]));
    at.push_back({Entry::position, static_cast<std::int64_t>(call_.which), {}, 1});
    return part(operand(0), at);
  }

  const Call& call_;
  const Values& before_;
  const Plain& got_;
};

}  // namespace

Verdict check(const Call& call, const Values& before, const Plain& got) { return Judge(call, before, got).verdict(); }

}  // namespace koine::fuzz
