// SPDX-License-Identifier: Apache-2.0
// Submitting pending work once there is much of it: in a loop at the same place of its body each time, so that the same
// programs serve again.
#include "exec/evaluate.hpp"
#include "runtime/context.hpp"

#include "base/hash.hpp"
#include "base/watch.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

namespace koine::exec {
namespace {

using graph::Node;
using graph::NodeRef;

// Of more connected pending nodes than these the older half is submitted: larger kernels compile slowly and gain
// nothing.
constexpr std::uint64_t most_nodes = 1024;
// The share of the device's memory that pending work may keep alive, and the one that its values may take when it is
// submitted.
constexpr std::uint64_t memory_share = 8, value_share = 4;
// Values with fewer nodes behind them need not be looked after.
constexpr std::uint64_t few_nodes = 64;
// Nodes by which one place of a loop's body is told from another.
constexpr std::size_t surroundings = 64;

std::uint64_t most_bytes(const Node& node) { return node.place.traits->memory / memory_share; }

std::uint64_t bytes_of(const Node& node) {
  return static_cast<std::uint64_t>(node.shape.elements()) * size_of(node.dtype);
}

/// Pending values that a thread built on a device, with much work behind them. What shares that work is submitted
/// together, or it would be done again.
class Recent {
 public:
  explicit Recent(const runtime::Context* context) : context_(context) {}

  /// Of this thread. Null once its objects have been destroyed: those of the whole process may still compute then.
  static Recent* on(const runtime::Context* context) {
    static thread_local bool ended = false;
    struct All {
      std::vector<Recent> each;
      ~All() { ended = true; }
    };
    if (ended) return nullptr;
    thread_local All all;
    for (Recent& recent : all.each) {
      if (recent.context_ == context) return &recent;
    }
    return &all.each.emplace_back(context);
  }

  void add(const NodeRef& value) {
    // Once all have been computed this begins anew: steps that build the same are then cut the same.
    if (!values_.empty()) {
      const NodeRef last = values_.back().lock();
      if ((!last || last->is_ready()) && held().empty()) begin();
    }
    if (values_.size() >= room_) {
      held();
      // Of many independent values the oldest are let go of: what they share may be computed again.
      if (values_.size() > most_values) values_.erase(values_.begin(), values_.end() - most_values);
      room_ = std::max(most_values / 2, 2 * values_.size());
    }
    values_.push_back(value);
    ++built_;
  }
  /// Whether it is time to look at what is pending, now that this node has been built.
  bool is_due(const Node& node) {
    if (next_bytes_ == 0) next_bytes_ = node.pending.taken + most_bytes(node);
    return built_ >= next_look_ || node.pending.taken > next_bytes_;
  }
  /// Of what a look has found: the weight and the bytes of the largest groups, the weight of all, and what of it is
  /// done now. The next look comes soon after the largest group may have passed its limit if what is built is as heavy
  /// as what has been since the last look, and late enough for looking to cost little beside building.
  void looked(const Node& node, std::uint64_t largest, std::uint64_t bytes, std::uint64_t all, std::uint64_t done) {
    const std::uint64_t room = most_nodes - std::min(largest, most_nodes);
    const std::uint64_t gained = std::max(all, left_ + built_ + 1) - left_;
    next_look_ = std::max(few_nodes / 2 + room * built_ / gained, (all - done) / 8);
    built_ = 0;
    left_ = all - done;
    next_bytes_ = node.pending.taken + most_bytes(node) - std::min(bytes, most_bytes(node));
  }

  /// The values that are pending and held by somebody who may ask for them; the others are forgotten.
  std::vector<NodeRef> held() {
    std::vector<NodeRef> found;
    std::erase_if(values_, [&](const std::weak_ptr<Node>& value) {
      NodeRef node = value.lock();
      if (!node || node->is_ready() || node.use_count() - 1 <= node->consumers.load(std::memory_order_relaxed)) {
        return true;
      }
      found.push_back(std::move(node));
      return false;
    });
    return found;
  }

 private:
  static constexpr std::size_t most_values = 256;

  void begin() {
    built_ = left_ = next_bytes_ = 0;
    next_look_ = few_nodes;
  }

  const runtime::Context* context_;
  std::vector<std::weak_ptr<Node>> values_;
  std::size_t room_ = most_values / 2;
  std::uint64_t built_ = 0, next_look_ = few_nodes;  // in values of this thread
  std::uint64_t left_ = 0;                           // in weight, after the last look
  std::uint64_t next_bytes_ = 0;                     // in bytes that the process' nodes have taken
};

/// Pending work, seen under the evaluation mutex: the nodes behind some values, in groups that share none.
class PendingWork {
 public:
  explicit PendingWork(const std::vector<NodeRef>& values) : epoch_(graph::next_epoch()) {
    for (const NodeRef& value : values) visit(value);
  }

  struct Group {
    std::size_t number;  // of the group that it has become a part of
    std::uint64_t weight = 0;
    std::uint64_t bytes = 0;  // of memory that it alone keeps alive
  };
  const Group& largest() const {
    return *std::max_element(groups_.begin(), groups_.end(), [](auto& a, auto& b) { return a.weight < b.weight; });
  }
  const Group& with_most_bytes() const {
    return *std::max_element(groups_.begin(), groups_.end(), [](auto& a, auto& b) { return a.bytes < b.bytes; });
  }
  std::uint64_t weight() const {
    return std::accumulate(groups_.begin(), groups_.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const Group& group) { return sum + group.weight; });
  }
  /// The weight of the group that is the largest once `done` of the one that is the largest now are done.
  std::uint64_t largest_after(std::uint64_t done) const {
    const Group& now = largest();
    std::uint64_t left = now.weight - std::min(now.weight, done);
    for (const Group& group : groups_) {
      if (&group != &now) left = std::max(left, group.weight);
    }
    return left;
  }
  /// In the order in which they were built.
  std::vector<const NodeRef*> nodes_of(const Group& group) {
    std::vector<const NodeRef*> nodes;
    nodes.reserve(members_.size());
    const auto built = [](const NodeRef* node) { return (*node)->pending.built; };
    std::uint64_t first = ~std::uint64_t{0}, last = 0;
    for (const Member& member : members_) {
      if (find(member.group) != group.number) continue;
      nodes.push_back(member.node);
      first = std::min(first, built(member.node));
      last = std::max(last, built(member.node));
    }
    if (nodes.empty() || last - first >= places_for_each * nodes.size()) {
      std::sort(nodes.begin(), nodes.end(), [&](const NodeRef* a, const NodeRef* b) { return built(a) < built(b); });
      return nodes;
    }
    // No two are built at one time, so that each has a place of its own.
    std::vector<const NodeRef*> places(static_cast<std::size_t>(last - first + 1), nullptr);
    for (const NodeRef* node : nodes) places[static_cast<std::size_t>(built(node) - first)] = node;
    std::copy_if(places.begin(), places.end(), nodes.begin(), [](const NodeRef* node) { return node != nullptr; });
    return nodes;
  }

  /// A node counts with the constants that it reads.
  static std::uint64_t weight_of(const Node& node) {
    return 1 + static_cast<std::uint64_t>(std::count_if(node.inputs.begin(), node.inputs.end(),
                                                        [](const NodeRef& n) { return graph::is_source(n->op); }));
  }

 private:
  struct Member {
    const NodeRef* node;
    std::size_t group;
  };
  static constexpr std::uint64_t places_for_each = 16;

  std::size_t find(std::size_t group) {
    while (groups_[group].number != group) group = groups_[group].number = groups_[groups_[group].number].number;
    return group;
  }

  void visit(const NodeRef& value) {
    std::size_t group = groups_.size();
    groups_.push_back({group});
    stack_.push_back(&value);
    while (!stack_.empty()) {
      const NodeRef& node = *stack_.back();
      stack_.pop_back();
      if (node->is_ready()) {
        const bool kept = node.use_count() <= node->consumers.load(std::memory_order_relaxed);
        if (std::exchange(node->epoch, epoch_) != epoch_ && kept) groups_[group].bytes += bytes_of(*node);
      } else if (graph::is_source(node->op)) {
        ++groups_[group].weight;
      } else if (node->epoch != epoch_) {
        node->epoch = epoch_;
        node->slot = static_cast<std::int32_t>(members_.size());
        members_.push_back({&node, group});
        ++groups_[group].weight;
        for (const NodeRef& input : node->inputs) stack_.push_back(&input);
      } else if (const std::size_t other = find(members_[static_cast<std::size_t>(node->slot)].group); other != group) {
        groups_[other].weight += std::exchange(groups_[group].weight, 0);
        groups_[other].bytes += std::exchange(groups_[group].bytes, 0);
        group = groups_[group].number = other;
      }
    }
  }

  std::uint64_t epoch_;
  std::vector<Member> members_;
  std::vector<Group> groups_;
  std::vector<const NodeRef*> stack_;
};

/// A hash of the nodes from each place of a range on, by what they are: equal where a loop's body begins anew.
std::vector<std::uint64_t> surroundings_of(const std::vector<const NodeRef*>& nodes, std::size_t first,
                                           std::size_t last, std::size_t length) {
  constexpr std::uint64_t base = 0x9e3779b97f4a7c15;
  std::uint64_t outermost = 1;
  for (std::size_t k = 0; k < length; ++k) outermost *= base;
  const std::size_t end = std::min(last + length, nodes.size());
  std::vector<std::uint64_t> own, result(last - first);
  own.reserve(end - first);
  for (std::size_t k = first; k < end; ++k) {
    const Node& node = **nodes[k];
    own.push_back(base::hash_combine(graph::hash_of(node.shape, static_cast<std::uint64_t>(node.op)),
                                     static_cast<std::uint64_t>(node.dtype)));
  }
  std::uint64_t hash = 0;
  for (std::size_t k = own.size(); k-- > 0;) {
    hash = hash * base + own[k];
    if (k + length < own.size()) hash -= own[k + length] * outermost;
    if (k < result.size()) result[k] = hash;
  }
  return result;
}

/// Values to store, and what is done with them.
struct Older {
  std::vector<NodeRef> values;
  std::uint64_t weight, nodes;
};

/// What to store of a group of `weight`, so that the older half of it is done: the values built before a place and
/// needed after it. Of the places about the middle it is the one where these are fewest bytes, as they are where a
/// loop's body begins; of equal ones the one whose surroundings hash lowest, which is the same place of the body
/// whenever this is asked.
Older older_half(const std::vector<const NodeRef*>& nodes, std::uint64_t weight) {
  const std::size_t count = nodes.size();
  for (std::size_t k = 0; k < count; ++k) (*nodes[k])->slot = static_cast<std::int32_t>(k);
  // Values that nothing reads are somebody's, and needed at the end.
  std::vector<std::size_t> last_reader(count, count);
  // The places about the middle begin after so many nodes, and end before so many.
  const std::uint64_t quarter = std::min(weight, most_nodes) / 4;
  std::uint64_t before = 0;
  std::size_t first = count, middle = count, last = count;
  for (std::size_t k = 0; k < count; ++k) {
    const Node& node = **nodes[k];
    for (const NodeRef& input : node.inputs) {
      if (!input->is_ready() && !graph::is_source(input->op)) last_reader[static_cast<std::size_t>(input->slot)] = k;
    }
    before += PendingWork::weight_of(node);
    if (before >= quarter) first = std::min(first, k + 1);
    if (before > 2 * quarter) middle = std::min(middle, k + 1);
    if (before > 3 * quarter) last = std::min(last, k + 1);
  }
  const Older all{{*nodes.back()}, weight, count};
  if (first >= last) return all;
  std::vector<std::uint64_t> bytes(count + 2, 0);  // at first what is more than at the place before
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint64_t own = bytes_of(**nodes[k]);
    bytes[k + 1] += own;
    bytes[last_reader[k] + 1] -= own;
  }
  std::partial_sum(bytes.begin(), bytes.end(), bytes.begin());
  const auto hashes = surroundings_of(nodes, first, last, std::min(surroundings, count / 4));
  std::size_t best = first;
  for (std::size_t cut = first + 1; cut < last; ++cut) {
    const auto order = [&](std::size_t k) { return std::pair(bytes[k], hashes[k - first]); };
    if (order(cut) < order(best) || (order(cut) == order(best) && cut < middle)) best = cut;
  }
  if (bytes[best] > (*nodes[0])->place.traits->memory / value_share) return all;
  Older older{{}, 0, best};
  for (std::size_t k = 0; k < best; ++k) {
    older.weight += PendingWork::weight_of(**nodes[k]);
    if (last_reader[k] >= best) older.values.push_back(*nodes[k]);
  }
  return older;
}

}  // namespace

void bound_pending(const NodeRef& root) {
  Node& node = *root;
  if (node.is_ready() || graph::is_source(node.op)) return;
  runtime::Context& context = *node.place.context;
  Recent* const recent = Recent::on(&context);
  const bool much = node.pending.nodes >= few_nodes || node.pending.bytes > most_bytes(node) / 4;
  if (recent && much) recent->add(root);
  const bool past = node.pending.nodes > most_nodes || node.pending.bytes > most_bytes(node);  // at the most
  if (recent ? !recent->is_due(node) : !past) return;
  context.check_usable("eval");
  for (bool more = true; more;) {
    std::vector<NodeRef> values = recent ? recent->held() : std::vector<NodeRef>();
    values.push_back(root);
    {
      const std::lock_guard lock(context.evaluation_mutex());
      if (node.is_ready()) return;
      PendingWork work(values);
      const PendingWork::Group &largest = work.largest(), &with_most_bytes = work.with_most_bytes();
      const bool too_long = largest.weight > most_nodes, too_large = with_most_bytes.bytes > most_bytes(node);
      Older done{{}, 0, 0};
      if (too_long || too_large) {
        const PendingWork::Group& group = too_long ? largest : with_most_bytes;
        done = older_half(work.nodes_of(group), group.weight);
      }
      const std::uint64_t left = work.largest_after(done.weight);
      if (recent) {
        recent->looked(node, left, with_most_bytes.bytes, work.weight(), done.weight);
      }
      if (done.nodes == 0) return;
      more = too_large || left > most_nodes;
      values = std::move(done.values);
    }
    const base::LongWait others_run;
    evaluate(values);
  }
}

}  // namespace koine::exec
