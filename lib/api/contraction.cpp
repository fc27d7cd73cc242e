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
  result.array = result.labels == factor.labels ? factor.array : view(factor.array.node(), shape, std::move(map));
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
  return {sum(factor.array, {.axis = axes, .dtype = factor.array.dtype()}), std::move(left)};
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

Factor product(const Factor& a, const Factor& b, const Labels& needed) {
  const Meeting m = meet(a, b, needed);
  Labels labels = joined({&m.batch, &m.rows, &m.columns});
  if (m.depth.empty()) return {arranged(a, labels) * arranged(b, labels), std::move(labels)};
  const DType type = a.array.dtype(), wide = graph::accumulation_type(type);
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

/// What is needed of the factors beside `a` and `b`: the labels of the others and of the result.
Labels needed_beside(const std::vector<Factor>& factors, std::size_t a, std::size_t b, const Labels& result) {
  Labels needed = result;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (i != a && i != b) needed = joined({&needed, &factors[i].labels});
  }
  return needed;
}

/// The pair to multiply next.
std::pair<std::size_t, std::size_t> next_pair(const std::vector<Factor>& factors, const Labels& result) {
  std::pair<std::size_t, std::size_t> best;
  std::pair<bool, double> least;  // whether nothing is shared; elements more than before
  bool any = false;
  for (std::size_t b = 1; b < factors.size(); ++b) {
    for (std::size_t a = 0; a < b; ++a) {
      const Meeting m = meet(factors[a], factors[b], needed_beside(factors, a, b, result));
      double size = 1;
      for (const std::int64_t each : sizes(factors[a], joined({&m.batch, &m.rows}))) size *= static_cast<double>(each);
      for (const std::int64_t each : sizes(factors[b], m.columns)) size *= static_cast<double>(each);
      const double before = static_cast<double>(factors[a].array.size()) + static_cast<double>(factors[b].array.size());
      const std::pair cost{m.batch.empty() && m.depth.empty(), size - before};
      if (any && !(cost < least)) continue;
      any = true;
      least = cost;
      best = {a, b};
    }
  }
  return best;
}

}  // namespace

Array contract(std::vector<Factor> factors, const Labels& result) {
  for (Factor& factor : factors) factor = plain(factor);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    factors[i] = summed(std::move(factors[i]), needed_beside(factors, i, i, result));
  }
  while (factors.size() > 1) {
    const auto [a, b] = next_pair(factors, result);
    factors[a] = product(factors[a], factors[b], needed_beside(factors, a, b, result));
    factors.erase(factors.begin() + static_cast<std::ptrdiff_t>(b));
  }
  return arranged(factors[0], result);
}

}  // namespace koine::api
