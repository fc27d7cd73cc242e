// SPDX-License-Identifier: Apache-2.0
// Judges calls of every kind, and what more than one kind judges by.
#include "check.hpp"

#include "families.hpp"

namespace koine::fuzz {

std::string unlike(const Plain& got, DType type, const Shape& shape) {
  if (got.type != type) return "the type is " + std::string(name(got.type)) + ", expected " + std::string(name(type));
  if (got.shape != shape) return "the shape is " + to_string(got.shape) + ", expected " + to_string(shape);
  return "";
}

Verdict exactly(const Plain& got, const Plain& want, bool zeros_equal) {
  const std::string wrong = unlike(got, want.type, want.shape);
  return {wrong.empty() ? difference(got, want, zeros_equal) : wrong};
}

Shape common_shape(const std::vector<Plain>& operands) {
  Shape shape;
  for (const Plain& x : operands) {
    const Shape so_far = shape;
    broadcasts(so_far, x.shape, &shape);
  }
  return shape;
}

std::optional<DType> common_type(const Call& call, const std::vector<Plain>& operands, std::size_t first) {
  Faces faces;
  std::vector<Call::Source> sources;
  for (std::size_t i = first; i < call.sources.size(); ++i) {
    sources.push_back(call.sources[i]);
    if (const auto* x = std::get_if<std::size_t>(&call.sources[i])) faces[*x].type = operands[i].type;
  }
  return common_type(sources, faces);
}

Plain part(const Plain& x, const Part& part, const std::vector<Plain>& sources) {
  const Selection selection = select(part, x.shape, sources);
  std::size_t next = 0;
  return gathered(x, selection.shape, [&](const Shape&) { return selection.numbers[next++]; });
}

Judge judge_of(const Call& call, const Values& before) {
  const Value& target = before[call.target];
  if (call.refused)
    return [target](const Plain& got) { return Verdict{exactly(got, target.plain).wrong, target.loose, target.open}; };
  std::vector<Plain> sources;
  bool loose = call.changes() && target.loose, open = call.changes() && target.open;
  for (const Call::Source& source : call.sources) {
    const auto* x = std::get_if<std::size_t>(&source);
    sources.push_back(x ? before[*x].plain : std::get<Weak>(source).plain());
    loose = loose || (x && before[*x].loose);
    open = open || (x && before[*x].open);
  }
  if (call.changes()) sources.push_back(target.plain);
  return [=](const Plain& got) {
    Verdict verdict = family_of(call.kind).check(call, sources, got);
    verdict.loose = verdict.loose || loose;
    verdict.open = verdict.open || open;
    return verdict;
  };
}

}  // namespace koine::fuzz
