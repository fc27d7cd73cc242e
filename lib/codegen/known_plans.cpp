// SPDX-License-Identifier: Apache-2.0
// Keeping plans.
#include "codegen/known_plans.hpp"

#include <algorithm>
#include <utility>

namespace koine::codegen {

const KnownPlan* KnownPlans::find(std::uint64_t hash, const Structure& structure) {
  const auto found = plans_.find(hash);
  if (found == plans_.end() || found->second->structure != structure) return nullptr;
  found->second->used = ++clock_;
  return found->second.get();
}

bool KnownPlans::comes_again(std::uint64_t hash) { return std::exchange(seen_[hash % seen_.size()], hash) == hash; }

void KnownPlans::keep(std::uint64_t hash, std::unique_ptr<KnownPlan> plan) {
  auto& slot = plans_[hash];
  if (slot) nodes_ -= slot->nodes;  // of another structure with this hash
  nodes_ += plan->nodes;
  plan->used = ++clock_;
  slot = std::move(plan);
  while (nodes_ > most_nodes && plans_.size() > 1) {
    const auto oldest = std::min_element(plans_.begin(), plans_.end(),
                                         [](const auto& a, const auto& b) { return a.second->used < b.second->used; });
    nodes_ -= oldest->second->nodes;
    plans_.erase(oldest);
  }
}

}  // namespace koine::codegen
