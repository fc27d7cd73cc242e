// SPDX-License-Identifier: Apache-2.0
// What changes an array, or parts of it: x(part) = y, x op= y, and x.at(part).add(y) and its like.
//
// Behind the sources of a call there is what its target held before.
#include <algorithm>

#include "create.hpp"
#include "families.hpp"
#include "print.hpp"
#include "resolution.hpp"

namespace koine::fuzz {
namespace {

const Plain& target_of(const std::vector<Plain>& sources) { return sources.back(); }

Plain replaced(const Plain& x, const Part& part, const std::vector<Plain>& sources, const Plain& by) {
  Plain result = x;
  const Selection selection = select(part, x.shape, sources);
  for (std::size_t i = 0; i < selection.numbers.size(); ++i) {
    result.copy_element(static_cast<std::size_t>(selection.numbers[i]), by, i);
  }
  return result;
}

std::string written(const Part& part, const std::vector<std::string>& sources) {
  return sources.back() + "(" + fuzz::text(part, sources) + ")";
}

// assign: with `part_of` the value is the part `other` of the target itself; where `which` is 1 an array holds it, and
// is assigned twice, which differs from once if the first time changes it.

class Assigning : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    choose();
    return std::move(calls_);
  }

 private:
  void choose() {
    const Face target = face(call_.target);
    call_.part = part_of(target.shape, step_.p.data(), step_.p[5]);
    const Shape shape = shape_of(call_.part, target.shape);
    if (step_.c % 4 == 2) {
      call_.part_of = true;
      call_.which = step_.c >> 3 & 1;
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
};

void assign(State& state, const Call& call, const std::vector<Operand>& sources) {
  Array& target = state.x[call.target];
  if (call.part_of && call.which == 1) {
    const Array held = Subscript(target, indices(call.other));
    for (int time = 0; time < 2; ++time) Subscript(target, indices(call.part)) = held;
  } else if (call.part_of) {
    Subscript(target, indices(call.part)) = Subscript(target, indices(call.other));
  } else {
    Subscript(target, indices(call.part, sources)) = sources[0];
  }
}

Verdict check_assigned(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  const Plain& target = target_of(sources);
  const Shape shape = shape_of(call.part, target.shape, sources);
  const Plain value =
      call.part_of ? part(target, call.other, {}) : broadcast(converted(sources[0], target.type), shape);
  return exactly(got, replaced(target, call.part, sources, value));
}

std::string text_of_assigned(const Call& call, const std::vector<std::string>& sources) {
  if (call.part_of && call.which == 1) {
    const std::string store = written(call.part, sources) + " = held; ";
    return "{ const kn::Array held = " + written(call.other, sources) + "; " + store + store + "}";
  }
  return written(call.part, sources) + " = " + (call.part_of ? written(call.other, sources) : sources[0]);
}

// update: `which` is the operator's row; with `part_of` only a part changes.

class Updating : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    choose();
    return std::move(calls_);
  }

 private:
  void choose() {
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
};

template <class Target>
void update(Target&& x, std::size_t which, const Operand& y) {
  switch (which) {
    case 0: std::forward<Target>(x) += y; break;
    case 1: std::forward<Target>(x) -= y; break;
    case 2: std::forward<Target>(x) *= y; break;
    case 3: std::forward<Target>(x) /= y; break;
    case 4: std::forward<Target>(x) %= y; break;
    case 5: std::forward<Target>(x) &= y; break;
    case 6: std::forward<Target>(x) |= y; break;
    case 7: std::forward<Target>(x) ^= y; break;
    case 8: std::forward<Target>(x) <<= y; break;
    default: std::forward<Target>(x) >>= y;
  }
}

void update_target(State& state, const Call& call, const std::vector<Operand>& sources) {
  Array& target = state.x[call.target];
  if (call.part_of) {
    update(Subscript(target, indices(call.part, sources)), call.which, sources[0]);
  } else {
    update(target, call.which, sources[0]);
  }
}

/// Of the positions in a part those whose element does not come again: of an element named twice the last value stays.
std::vector<std::size_t> last_of_each(const Call& call, const std::vector<Plain>& sources) {
  const Plain& target = target_of(sources);
  const std::vector<std::int64_t> numbers = select(call.part, target.shape, sources).numbers;
  std::vector<bool> seen(target.count());
  std::vector<std::size_t> last;
  for (std::size_t i = numbers.size(); i-- > 0;) {
    const auto number = static_cast<std::size_t>(numbers[i]);
    if (!seen[number]) last.push_back(i);
    seen[number] = true;
  }
  std::reverse(last.begin(), last.end());
  return last;
}

/// An update keeps the type, and the resolver saw to it that it can.
Verdict check_updated(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  const Plain& target = target_of(sources);
  if (const std::string wrong = unlike(got, target.type, target.shape); !wrong.empty()) return {wrong};
  const std::size_t row = row_of(updates[call.which].name);
  if (!call.part_of) return check_elementwise(row, target.type, got, {target, sources[0]});
  Plain now = part(got, call.part, sources), was = part(target, call.part, sources);
  const Plain whole = replaced(target, call.part, sources, now);
  Plain by = broadcast(sources[0], now.shape);
  if (const auto last = last_of_each(call, sources); last.size() < now.count()) {
    for (Plain* each : {&now, &was, &by}) {
      *each =
          gathered(*each, {std::ssize(last)}, [&](const Shape& at) { return last[static_cast<std::size_t>(at[0])]; });
    }
  }
  Verdict inside = check_elementwise(row, target.type, now, {was, by});
  if (inside.wrong.empty()) inside.wrong = difference(got, whole);
  return inside;
}

std::string text_of_updated(const Call& call, const std::vector<std::string>& sources) {
  return (call.part_of ? written(call.part, sources) : sources.back()) + " " + std::string(updates[call.which].sign) +
         " " + sources[0];
}

}  // namespace

const Family assigning = {.resolve = resolved<Assigning>,
                          .check = check_assigned,
                          .text = text_of_assigned,
                          .perform = assign,
                          .effect = Effect::changes};
const Family updating = {.resolve = resolved<Updating>,
                         .check = check_updated,
                         .text = text_of_updated,
                         .perform = update_target,
                         .effect = Effect::changes};

}  // namespace koine::fuzz
