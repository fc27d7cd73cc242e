// SPDX-License-Identifier: Apache-2.0
// A greedy choice by what programs show for the kernels they cost.
#include "collect.hpp"

#include <set>
#include <string>

#include "run.hpp"

namespace koine::fuzz {
namespace {

struct Shown {
  std::uint64_t seed;
  std::set<std::string> features;
  std::size_t calls = 0;
};

/// The class of a type, as kernels see it.
std::string class_of(DType type) {
  if (is_bool(type)) return "bool";
  if (is_integer(type)) return is_signed_integer(type) ? "signed" : "unsigned";
  if (is_complex(type)) return "complex";
  return size_of(type) == 2 ? "small" : "float";
}

Shown shown_by(std::uint64_t seed, const std::vector<Step>& steps) {
  Shown shown{seed, {}};
  Machine machine;
  const Setting setting = Machine::setting();
  for (const Step& step : steps) {
    const int times = repeats(step, machine.faces());
    if (times > 2) shown.features.insert("repeated " + std::to_string(times));
    for (const Call& call : resolve(step, machine.faces(), setting)) {
      if (call.kind == Kind::eval || call.kind == Kind::read) continue;
      const Faces before = machine.faces();
      machine.apply(call);
      const DType type = call.sources.empty() || std::holds_alternative<Weak>(call.sources[0])
                             ? machine.faces()[call.target].type
                             : before[std::get<std::size_t>(call.sources[0])].type;
      const std::string name =
          std::to_string(static_cast<int>(call.kind)) + (call.refused ? " refused" : "." + std::to_string(call.which));
      shown.features.insert(name);
      shown.features.insert(name + (call.part_of ? " part" : "") + (call.keepdims ? " kept" : ""));
      shown.features.insert(name + " of " + class_of(type));
      shown.features.insert(std::to_string(static_cast<int>(call.kind)) + " of " + std::string(koine::name(type)));
      shown.features.insert("axes " + std::to_string(machine.faces()[call.target].shape.size()));
      ++shown.calls;
    }
  }
  return shown;
}

}  // namespace

std::vector<std::uint64_t> collected(const std::function<Bytes(std::uint64_t)>& program_of, std::uint64_t first,
                                     std::size_t count, std::size_t most_calls) {
  std::vector<Shown> programs;
  // Far apart, as neighbours are alike.
  for (std::uint64_t seed = first; programs.size() < count; seed += 101) {
    programs.push_back(shown_by(seed, decode(program_of(seed))));
  }
  std::set<std::string> covered;
  std::vector<std::uint64_t> chosen;
  for (std::size_t calls = 0;;) {
    const Shown* best = nullptr;
    double most = 0;
    for (const Shown& each : programs) {
      std::size_t news = 0;
      for (const std::string& feature : each.features) news += !covered.contains(feature);
      const double worth = static_cast<double>(news) / static_cast<double>(each.calls + 4);
      if (calls + each.calls <= most_calls && worth > most) best = &each, most = worth;
    }
    if (best == nullptr) return chosen;
    covered.insert(best->features.begin(), best->features.end());
    calls += best->calls;
    chosen.push_back(best->seed);
  }
}

}  // namespace koine::fuzz
