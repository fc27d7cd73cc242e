// SPDX-License-Identifier: Apache-2.0
// What was decided of each node, for who looks at a plan.
#include "codegen/plan_state.hpp"

namespace koine::codegen {

std::vector<Note> Planner::notes() const {
  const State& s = *state_;
  std::vector<std::int32_t> positions(s.step_count, -1);  // of steps among those that run
  for (std::size_t k = 0; k < s.ordered.size(); ++k) {
    positions[static_cast<std::size_t>(s.ordered[k] - s.steps.data())] = static_cast<std::int32_t>(k);
  }
  for (std::size_t k = 0; k < s.step_count; ++k) {
    if (s.steps[k].joined >= 0) positions[k] = positions[static_cast<std::size_t>(s.steps[k].joined)];
  }
  const auto position = [&](std::int32_t step) { return positions[static_cast<std::size_t>(step)]; };
  std::vector<Note> notes;
  for (std::size_t i = 0; i < s.count; ++i) {
    const Info& info = s.infos[i];
    const Node& node = *info.node;
    if (info.stored()) {
      const bool in_kernel = s.steps[static_cast<std::size_t>(info.step)].family == Op::elementwise;
      const Why otherwise = info.copies                         ? Why::copied
                            : info.cut                          ? Why::parameters
                            : node.op != Op::take || !in_kernel ? Why::own_kernel
                                                                : Why::checked;
      notes.push_back({&node, position(info.step), info.why == Why::unstored ? otherwise : info.why});
      continue;
    }
    const auto first = static_cast<std::ptrdiff_t>(notes.size());
    if (info.finisher >= 0) notes.push_back({&node, position(info.finisher), Why::unstored});
    for (const Read& read : info.reads) {
      const auto same = [&](const Note& each) { return each.step == position(read.step); };
      if (std::any_of(notes.begin() + first, notes.end(), same)) continue;
      notes.push_back({&node, position(read.step), Why::unstored});
    }
  }
  return notes;
}

}  // namespace koine::codegen
