// SPDX-License-Identifier: Apache-2.0
// One walk over the pending nodes behind a value.
#include "exec/reading.hpp"

#include <unordered_map>
#include <utility>
#include <vector>

namespace koine::exec {

using graph::Node;
using graph::NodeRef;

namespace {

struct Met {
  const NodeRef* ref;
  long references = 0;     // of nodes behind the value
  bool by_element = true;  // element i goes into element i of the value alone
  bool reads = false;      // the memory
};

class Walk {
 public:
  explicit Walk(const NodeRef& value) {
    std::vector<std::pair<const NodeRef*, bool>> stack{{&value, false}};
    while (!stack.empty()) {
      const auto [ref, entered] = stack.back();
      stack.pop_back();
      if (entered) {
        order_.push_back(ref->get());
      } else if (met_.try_emplace(ref->get(), Met{ref}).second) {
        stack.emplace_back(ref, true);
        for (const NodeRef& input : (*ref)->inputs) stack.emplace_back(&input, false);
      }
    }
    for (const Node* node : order_) {
      for (const NodeRef& input : node->inputs) ++at(input.get()).references;
    }
  }

  Met& at(const Node* node) { return met_.find(node)->second; }
  /// Inputs before what is made of them.
  const std::vector<const Node*>& order() const { return order_; }

 private:
  std::unordered_map<const Node*, Met> met_;
  std::vector<const Node*> order_;
};

}  // namespace

Reading reading_of(const NodeRef& value, const NodeRef& target, const graph::Layout& part) {
  const auto& storage = target->storage;
  Walk walk(value);
  Reading result;
  for (auto node = walk.order().rbegin(); node != walk.order().rend(); ++node) {
    const bool by_element = walk.at(*node).by_element && graph::is_elementwise((*node)->op);
    for (const NodeRef& input : (*node)->inputs) walk.at(input.get()).by_element &= by_element;
  }
  bool target_met = false;
  long holders = 0;  // of the memory: leaves behind the value
  for (const Node* node : walk.order()) {
    Met& met = walk.at(node);
    if (node->is_ready()) {
      met.reads = node->storage == storage;
      const bool in_place = met.by_element && node->dtype == target->dtype && node->layout == part;
      result.elsewhere = result.elsewhere || (met.reads && !in_place);
      holders += met.reads ? 1 : 0;
    } else {
      for (const NodeRef& input : node->inputs) met.reads = met.reads || walk.at(input.get()).reads;
    }
    if (!met.reads) continue;
    result.any = true;
    target_met = target_met || node == target.get();
    const long others = node == value.get() || node == target.get() ? 1 : 0;
    result.alone = result.alone && met.ref->use_count() <= met.references + others;
  }
  if (!target_met) result.alone = result.alone && target.use_count() == 1;
  result.alone = result.alone && storage.use_count() <= holders + (target_met ? 0 : 1);
  return result;
}

}  // namespace koine::exec
