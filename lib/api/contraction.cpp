// SPDX-License-Identifier: Apache-2.0
// Contractions: a matrix product of each pair where it is one, a product and a sum in one kernel where it is not.
#include "api/contraction.hpp"

#include "api/build.hpp"

#include <koine/elementwise.hpp>
#include <koine/linalg.hpp>
#include <koine/manipulation.hpp>
#include <koine/statistics.hpp>
#include <koine/types.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

namespace koine::api {
namespace {

bool has(const Labels& labels, int label) { return std::find(labels.begin(), labels.end(), label) != labels.end(); }

Labels joined(std::initializer_list<const Labels*> lists) {
  Labels all;
  for (const Labels* list : lists) all.insert(all.end(), list->begin(), list->end());
  return all;
}

std::int64_t size_of_axis(const Factor& factor, int label) {
  for (std::size_t axis = 0; axis < factor.labels.size(); ++axis) {
    if (factor.labels[axis] == label) return factor.array.shape()[axis];
  }
  return 1;
}

Shape sizes(const Factor& factor, const Labels& labels) {
  Shape shape;
  for (const int label : labels) shape.push_back(size_of_axis(factor, label));
  return shape;
}

/// The factor with its axes in the order of `labels`; those that it lacks have size 1.
Array arranged(const Factor& factor, const Labels& labels) {
  std::vector<std::size_t> order;
  for (const int label : labels) {
    const auto at = std::find(factor.labels.begin(), factor.labels.end(), label);
    if (at != factor.labels.end()) order.push_back(static_cast<std::size_t>(at - factor.labels.begin()));
  }
  const bool in_place = std::is_sorted(order.begin(), order.end());
  return reshape(in_place ? factor.array : permuted(factor.array, order), sizes(factor, labels));
}

/// Each label once, as the diagonal of its axes, and none of size 1.
Factor plain(const Factor& factor) {
  Factor result;
  graph::ViewMap map;
  map.start = Shape::filled(factor.labels.size(), 0);
  Shape shape;
  for (std::size_t axis = 0; axis < factor.labels.size(); ++axis) {
    const int label = factor.labels[axis];
    if (factor.array.shape()[axis] == 1) continue;
    const auto at = std::find(result.labels.begin(), result.labels.end(), label);
    if (at != result.labels.end()) {
      map.diagonals.push_back({static_cast<std::size_t>(at - result.labels.begin()), axis});
      continue;
    }
    result.labels.push_back(label);
    shape.push_back(factor.array.shape()[axis]);
    map.source.push_back(static_cast<std::int64_t>(axis));
    map.step.push_back(1);
  }
  result.array = result.labels == factor.labels ? factor.array : view(factor.array.node(), shape, map);
  return result;
}

/// The factor summed over the labels that are not in `needed`.
Factor summed(Factor factor, const Labels& needed) {
  std::vector<std::int64_t> axes;
  Labels left;
  for (std::size_t axis = 0; axis < factor.labels.size(); ++axis) {
    if (has(needed, factor.labels[axis])) {
      left.push_back(factor.labels[axis]);
    } else {
      axes.push_back(static_cast<std::int64_t>(axis));
    }
  }
  if (axes.empty()) return factor;
  // A half type's sum stays in the wide type: it is a part of what is rounded in the end.
  const DType type = graph::accumulation_type(factor.array.dtype());
  return {sum(factor.array, {.axis = axes, .dtype = type}), std::move(left)};
}

/// How the labels of two factors meet. Those of only one of them are all needed.
struct Meeting {
  Labels batch;          // of both, and of the product
  Labels depth;          // of both, and summed over
  Labels rows, columns;  // of one, and of the product
};

Meeting meet(const Factor& a, const Factor& b, const Labels& needed) {
  Meeting result;
  // What both have in the order of the larger one, which is then less often copied into another.
  const bool first = a.array.size() >= b.array.size();
  for (const int label : first ? a.labels : b.labels) {
    if (!has(first ? b.labels : a.labels, label)) continue;
    (has(needed, label) ? result.batch : result.depth).push_back(label);
  }
  for (const int label : a.labels) {
    if (!has(b.labels, label)) result.rows.push_back(label);
  }
  for (const int label : b.labels) {
    if (!has(a.labels, label)) result.columns.push_back(label);
  }
  return result;
}

/// Factors of one type, or of a half type and its wide one, which the product has then.
Factor product(const Factor& a, const Factor& b, const Labels& needed) {
  const Meeting m = meet(a, b, needed);
  Labels labels = joined({&m.batch, &m.rows, &m.columns});
  if (m.depth.empty()) return {arranged(a, labels) * arranged(b, labels), std::move(labels)};
  const DType wide = graph::accumulation_type(a.array.dtype());
  const DType type = a.array.dtype() == b.array.dtype() ? a.array.dtype() : wide;
  if (m.rows.empty() && m.columns.empty()) {
    // Each element is used once: nothing that a matrix product could save.
    const Labels order = joined({&m.batch, &m.depth});
    const auto widened = [&](const Factor& factor) { return astype(arranged(factor, order), wide); };
    const Array total = summed({widened(a) * widened(b), order}, m.batch).array;
    return {astype(total, type), std::move(labels)};
  }
  const Shape batch = sizes(a, m.batch), rows = sizes(a, m.rows), columns = sizes(b, m.columns);
  const std::int64_t depth = sizes(a, m.depth).elements();
  const auto matrices = [&](const Factor& factor, const Labels& order, std::int64_t height, std::int64_t width) {
    Shape shape = batch;
    shape.push_back(height);
    shape.push_back(width);
    return reshape(arranged(factor, order), shape);
  };
  const Array left = matrices(a, joined({&m.batch, &m.rows, &m.depth}), rows.elements(), depth);
  const Array right = matrices(b, joined({&m.batch, &m.depth, &m.columns}), depth, columns.elements());
  Shape shape = batch;
  for (const Shape* part : {&rows, &columns}) {
    for (const std::int64_t size : *part) shape.push_back(size);
  }
  return {reshape(matmul(left, right), shape), std::move(labels)};
}

/// The factors that are left, and the pairs of them that may be multiplied next.
class Contraction {
 public:
  Contraction(std::vector<Factor> factors, const Labels& result)
      : result_(result), slots_(factors.size()), turns_(factors.size()) {
    for (std::size_t slot = 0; slot < factors.size(); ++slot) put(slot, plain(factors[slot]));
    for (std::size_t slot = 0; slot < factors.size(); ++slot) {
      Factor factor = take(slot);
      Labels needed = needed_of(factor);
      put(slot, summed(std::move(factor), needed));
    }
  }

  Factor run() {
    multiply_alike();
    for (std::size_t b = 0; b < slots_.size(); ++b) add_pairs(b, b);
    while (!pairs_.empty()) {
      const Pair pair = pairs_.top();
      pairs_.pop();
      if (pair.a_turn != turns_[pair.a] || pair.b_turn != turns_[pair.b]) continue;
      multiply(pair.a, pair.b);
      add_pairs(pair.a, slots_.size());
    }
    return multiply_apart();
  }

 private:
  /// Two factors that have a label in common, a before b. It stays as good as it is while both are there: a product of
  /// others keeps every label that somebody else has.
  struct Pair {
    double growth;  // elements more than before
    std::size_t b, a, b_turn, a_turn;

    friend bool operator>(const Pair& x, const Pair& y) {
      return std::tie(x.growth, x.b, x.a) > std::tie(y.growth, y.b, y.a);
    }
  };

  void put(std::size_t slot, Factor factor) {
    for (const int label : factor.labels) holders_[label].insert(slot);
    slots_[slot] = std::move(factor);
  }

  Factor take(std::size_t slot) {
    Factor factor = std::move(*slots_[slot]);
    slots_[slot].reset();
    ++turns_[slot];
    for (const int label : factor.labels) holders_[label].erase(slot);
    return factor;
  }

  /// Whether more than `own` factors have the label, or the result.
  bool needed(int label, std::size_t own) const { return holders_.at(label).size() > own || has(result_, label); }

  /// Those of a taken factor's labels that are still needed.
  Labels needed_of(const Factor& factor) const {
    Labels labels;
    std::copy_if(factor.labels.begin(), factor.labels.end(), std::back_inserter(labels),
                 [&](int label) { return needed(label, 0); });
    return labels;
  }

  /// The product takes the slot of the first.
  void multiply(std::size_t first, std::size_t second) {
    const Factor a = take(first), b = take(second);
    const Labels of_a = needed_of(a), of_b = needed_of(b);
    put(first, product(a, b, joined({&of_a, &of_b})));
  }

  /// Factors of the same labels, until there are two at the most: no product is larger than what it replaces.
  void multiply_alike() {
    std::map<Labels, std::queue<std::size_t>> alike;
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      Labels labels = slots_[slot]->labels;
      std::sort(labels.begin(), labels.end());
      alike[std::move(labels)].push(slot);
    }
    for (auto& [labels, slots] : alike) {
      while (slots.size() > 2) {
        const std::size_t first = slots.front();
        slots.pop();
        multiply(first, slots.front());
        slots.pop();
        slots.push(first);
      }
    }
  }

  /// The pairs of the factor at `slot` and those before `end` that it shares a label with.
  void add_pairs(std::size_t slot, std::size_t end) {
    if (!slots_[slot]) return;
    std::set<std::size_t> others;
    for (const int label : slots_[slot]->labels) {
      const std::set<std::size_t>& holders = holders_[label];
      others.insert(holders.begin(), holders.lower_bound(end));
    }
    others.erase(slot);
    for (const std::size_t other : others) {
      const auto [a, b] = std::minmax(slot, other);
      pairs_.push({growth(*slots_[a], *slots_[b]), b, a, turns_[b], turns_[a]});
    }
  }

  double growth(const Factor& a, const Factor& b) const {
    const auto before = static_cast<double>(a.array.size()), more = static_cast<double>(b.array.size());
    double size = before;
    for (std::size_t axis = 0; axis < a.labels.size(); ++axis) {
      const int label = a.labels[axis];
      if (has(b.labels, label) && !needed(label, 2)) size /= static_cast<double>(a.array.shape()[axis]);
    }
    for (std::size_t axis = 0; axis < b.labels.size(); ++axis) {
      if (!has(a.labels, b.labels[axis])) size *= static_cast<double>(b.array.shape()[axis]);
    }
    return size - before - more;
  }

  /// The product of what is left, which has no labels in common: the two smallest first.
  Factor multiply_apart() {
    using Sized = std::tuple<std::int64_t, std::size_t, std::size_t>;  // elements, number, slot
    std::priority_queue<Sized, std::vector<Sized>, std::greater<>> left;
    std::size_t number = 0;
    const auto add = [&](std::size_t slot) { left.emplace(slots_[slot]->array.size(), number++, slot); };
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      if (slots_[slot]) add(slot);
    }
    while (true) {
      const std::size_t first = std::get<2>(left.top());
      left.pop();
      if (left.empty()) return take(first);
      const std::size_t second = std::get<2>(left.top());
      left.pop();
      multiply(std::min(first, second), std::max(first, second));
      add(std::min(first, second));
    }
  }

  const Labels& result_;
  std::vector<std::optional<Factor>> slots_;
  std::vector<std::size_t> turns_;                // how often the factor of a slot has gone
  std::map<int, std::set<std::size_t>> holders_;  // the slots of the factors that have a label
  std::priority_queue<Pair, std::vector<Pair>, std::greater<>> pairs_;
};

}  // namespace

Array contract(std::vector<Factor> factors, const Labels& result) {
  const DType type = factors.front().array.dtype();
  Factor product = Contraction(std::move(factors), result).run();
  product.array = astype(product.array, type);
  return arranged(product, result);
}

}  // namespace koine::api
