// SPDX-License-Identifier: Apache-2.0
// One walk over the pending nodes behind a value.
#include "exec/reading.hpp"

#include <cstdint>
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

/// The nodes behind a value, inputs before what is made of them.
class Walk {
 public:
  explicit Walk(const NodeRef& value) : epoch_(graph::next_epoch()) {
    visit(value);
    for (const Met& met : met_) {
      for (const NodeRef& input : (*met.ref)->inputs) ++at(*input).references;
    }
  }

  Met& at(const Node& node) { return met_[static_cast<std::size_t>(node.slot)]; }
  std::vector<Met>& order() { return met_; }

 private:
  void visit(const NodeRef& value) {
    std::vector<std::pair<const NodeRef*, bool>> stack{{&value, false}};
    while (!stack.empty()) {
      auto& [ref, entered] = stack.back();
      Node& node = **ref;
      if (entered) {
        node.slot = static_cast<std::int32_t>(met_.size());
        met_.push_back({ref});
        stack.pop_back();
      } else if (std::exchange(node.epoch, epoch_) == epoch_) {
        stack.pop_back();
      } else {
        entered = true;
        for (const NodeRef& input : node.inputs) stack.emplace_back(&input, false);
      }
    }
  }

  std::uint64_t epoch_;
  std::vector<Met> met_;
};

}  // namespace

Reading reading_of(const NodeRef& value, const NodeRef& target, const graph::Layout& part) {
  const auto& storage = target->storage;
  Walk walk(value);
  Reading result;
  for (auto met = walk.order().rbegin(); met != walk.order().rend(); ++met) {
    const Node& node = **met->ref;
    const bool by_element = met->by_element && graph::is_elementwise(node.op);
    for (const NodeRef& input : node.inputs) walk.at(*input).by_element &= by_element;
  }
  bool target_met = false;
  long holders = 0;  // of the memory: leaves behind the value
  for (Met& met : walk.order()) {
    const Node* const node = met.ref->get();
    if (node->is_ready()) {
      met.reads = node->storage == storage;
      const bool in_place = met.by_element && node->dtype == target->dtype && node->layout == part;
      result.elsewhere = result.elsewhere || (met.reads && !in_place);
      holders += met.reads ? 1 : 0;
    } else {
      for (const NodeRef& input : node->inputs) met.reads = met.reads || walk.at(*input).reads;
    }
    if (!met.reads) continue;
    result.any = true;
    target_met = target_met || node == target.get();
    const long others = node == value.get() || node == target.get() ? 1 : 0;
    const bool held = met.ref->use_count() > met.references + others;
    if (node == value.get()) {
      result.held = held;
    } else {
      result.alone = result.alone && !held;
    }
  }
  if (!target_met) result.alone = result.alone && target.use_count() == 1;
  result.alone = result.alone && storage.use_count() <= holders + (target_met ? 0 : 1);
  return result;
}

}  // namespace koine::exec
