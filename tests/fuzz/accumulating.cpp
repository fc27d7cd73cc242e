// SPDX-License-Identifier: Apache-2.0
// x.at(part).add(y), multiply, max and min, for the parts that scatter makes: where positions come again, every value
// counts, in the order that the device likes.
//
// A call's `which` is the way of so_far.hpp. Its first source is the value, the others are the part's arrays.
#include <algorithm>

#include "families.hpp"
#include "print.hpp"
#include "resolution.hpp"
#include "so_far.hpp"

namespace koine::fuzz {
namespace {

constexpr std::string_view names[] = {"add", "multiply", "max", "min"};

std::vector<Call> resolve_accumulation(const Step& step, const Faces& faces, const Setting& setting) {
  Step scatter = step;
  scatter.kind = Kind::scatter;
  std::vector<Call> calls = resolve(scatter, faces, setting);
  if (calls.empty()) return calls;
  Call& call = calls.back();
  call.kind = Kind::accumulate;
  call.which = step.repeat % std::size(names);
  if (is_complex(faces[call.target].type)) call.which %= largest;
  return calls;
}

void accumulate(State& state, const Call& call, const std::vector<Operand>& sources) {
  koine::Update part(state.x[call.target], indices(call.part, sources));
  switch (call.which) {
    case sums: return std::move(part).add(sources[0]);
    case products: return std::move(part).multiply(sources[0]);
    case largest: return std::move(part).max(sources[0]);
    default: return std::move(part).min(sources[0]);
  }
}

Verdict check_accumulated(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  const Plain& target = sources.back();
  if (const std::string wrong = unlike(got, target.type, target.shape); !wrong.empty()) return {wrong};
  const Selection selection = select(call.part, target.shape, sources);
  const Plain values = broadcast(converted(sources[0], target.type), selection.shape);
  auto way = static_cast<Combining>(call.which);
  if (is_bool(target.type) && way < largest) way = way == sums ? largest : smallest;  // or, and
  Plain want = target;
  std::string wrong;
  with_type(target.type, [&]<class T>(Tag<T>) {
    std::vector<std::optional<SoFar<T>>> found(target.count());
    for (std::size_t i = 0; i < selection.numbers.size(); ++i) {
      const auto number = static_cast<std::size_t>(selection.numbers[i]);
      if (!found[number]) {
        found[number].emplace(way);
        found[number]->add(target.at<T>(number));
      }
      found[number]->add(values.at<T>(i));
    }
    for (std::size_t number = 0; number < found.size() && wrong.empty(); ++number) {
      if (!found[number]) continue;
      want.copy_element(number, got, number);
      std::string words;
      if (!found[number]->met_by(got.at<T>(number), &words))
        wrong = "at(...)." + std::string(names[call.which]) + ": element " + std::to_string(number) + " is " +
                element_text(got, number) + ", expected " + words;
    }
  });
  return {wrong.empty() ? difference(got, want) : wrong};
}

std::string text_of_accumulation(const Call& call, const std::vector<std::string>& sources) {
  return sources.back() + ".at(" + fuzz::text(call.part, sources) + ")." + std::string(names[call.which]) + "(" +
         sources[0] + ")";
}

}  // namespace

const Family accumulating = {.resolve = resolve_accumulation,
                             .check = check_accumulated,
                             .text = text_of_accumulation,
                             .perform = accumulate,
                             .effect = Effect::changes};

}  // namespace koine::fuzz
