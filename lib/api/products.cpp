// SPDX-License-Identifier: Apache-2.0
// Products of two arrays, as contractions.
#include "api/build.hpp"
#include "api/contraction.hpp"

#include <koine/elementwise.hpp>
#include <koine/error.hpp>
#include <koine/linalg.hpp>
#include <koine/manipulation.hpp>
#include <koine/types.hpp>

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

namespace koine {
namespace {

using api::Factor;
using api::Labels;

Labels counted(std::size_t count, int first) {
  Labels labels(count);
  std::iota(labels.begin(), labels.end(), first);
  return labels;
}

std::pair<Array, Array> converted(const Array& x1, const Array& x2, DType type) {
  return {astype(x1, type), astype(x2, type)};
}

/// Both with the type that sums of their products have.
std::pair<Array, Array> summable(const Array& x1, const Array& x2, std::string_view function) {
  return converted(x1, x2, api::product_type(function, {x1, x2}));
}

std::vector<std::size_t> axes_in_order(const Shape& axes, const Shape& shape) {
  graph::normal_axes(std::vector(axes.begin(), axes.end()), shape, "tensordot");  // refuses an axis named twice
  std::vector<std::size_t> result;
  for (const std::int64_t axis : axes) result.push_back(graph::normal_axis(axis, shape, "tensordot"));
  return result;
}

}  // namespace

Array tensordot(const Array& x1, const Array& x2, const TensordotOptions& options) {
  const base::NamedCall call("tensordot");
  const auto [a, b] = summable(x1, x2, "tensordot");
  const TensordotAxes& axes = options.axes;
  const std::size_t axes1 = a.shape().size(), axes2 = b.shape().size();
  std::vector<std::size_t> first, second;
  if (axes.listed()) {
    if (axes.first().size() != axes.second().size()) {
      throw ValueError("[tensordot] names the axes " + to_string(axes.first()) + " of x1 and " +
                       to_string(axes.second()) + " of x2; they must be as many");
    }
    first = axes_in_order(axes.first(), a.shape());
    second = axes_in_order(axes.second(), b.shape());
  } else {
    const auto most = static_cast<std::int64_t>(std::min(axes1, axes2));
    if (axes.count() < 0 || axes.count() > most) {
      throw ValueError("[tensordot] cannot sum over " + std::to_string(axes.count()) + " axes of shapes " +
                       to_string(x1.shape()) + " and " + to_string(x2.shape()) + "; it can be 0 to " +
                       std::to_string(most));
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(axes.count()); ++i) {
      first.push_back(axes1 - static_cast<std::size_t>(axes.count()) + i);
      second.push_back(i);
    }
  }
  Labels labels1 = counted(axes1, 0), labels2 = counted(axes2, static_cast<int>(axes1));
  Labels result = labels1;
  result.insert(result.end(), labels2.begin(), labels2.end());
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (a.shape()[first[i]] != b.shape()[second[i]]) {
      throw ShapeError("[tensordot] axis " + std::to_string(first[i]) + " of shape " + to_string(a.shape()) +
                       " does not meet axis " + std::to_string(second[i]) + " of shape " + to_string(b.shape()) +
                       ": their sizes differ");
    }
    std::erase(result, labels1[first[i]]);
    std::erase(result, labels2[second[i]]);
    labels2[second[i]] = labels1[first[i]];
  }
  return api::contract({{a, std::move(labels1)}, {b, std::move(labels2)}}, result);
}

Array vecdot(const Array& x1, const Array& x2, const VecdotOptions& options) {
  const base::NamedCall call("vecdot");
  const auto [a, b] = summable(x1, x2, "vecdot");
  constexpr int along = -1;
  // The axes but the one, and their labels counted from the last.
  const auto parts = [&](const Array& x) {
    const std::size_t axis = graph::normal_axis(options.axis, x.shape(), "vecdot");
    Shape rest = x.shape();
    rest.erase(axis);
    Labels labels = counted(rest.size(), -1 - static_cast<int>(rest.size()));
    labels.insert(labels.begin() + static_cast<std::ptrdiff_t>(axis), along);
    return std::tuple(x.shape()[axis], std::move(rest), std::move(labels));
  };
  auto [size1, rest1, labels1] = parts(a);
  auto [size2, rest2, labels2] = parts(b);
  if (size1 != size2) {
    throw ShapeError("[vecdot] axis " + std::to_string(options.axis) + " of shapes " + to_string(a.shape()) + " and " +
                     to_string(b.shape()) + " has sizes " + std::to_string(size1) + " and " + std::to_string(size2) +
                     "; they must be equal");
  }
  const std::size_t axes = graph::broadcast_shapes(rest1, rest2, "vecdot").size();
  return api::contract({{is_complex(a.dtype()) ? conj(a) : a, std::move(labels1)}, {b, std::move(labels2)}},
                       counted(axes, -1 - static_cast<int>(axes)));
}

Array outer(const Array& x1, const Array& x2) {
  const base::NamedCall call("outer");
  const auto [a, b] = converted(x1, x2, api::common_type("outer", {x1, x2}));
  if (a.ndim() != 1 || b.ndim() != 1) {
    throw ShapeError("[outer] shapes " + to_string(a.shape()) + " and " + to_string(b.shape()) +
                     " must have one axis each; reshape to {-1} flattens");
  }
  graph::check_sizes({a.size(), b.size()}, "outer");
  return api::contract({{a, {0}}, {b, {1}}}, {0, 1});
}

Array kron(const Array& x1, const Array& x2) {
  const base::NamedCall call("kron");
  const auto [a, b] = converted(x1, x2, api::common_type("kron", {x1, x2}));
  const auto axes = static_cast<int>(std::max(a.ndim(), b.ndim()));
  Shape all = a.shape();
  for (const std::int64_t size : b.shape()) all.push_back(size);
  graph::check_sizes(all, "kron");
  const auto labels = [&](const Array& x, int which) {
    Labels list;
    for (int axis = axes - static_cast<int>(x.ndim()); axis < axes; ++axis) list.push_back(2 * axis + which);
    return list;
  };
  const Array pairs =
      api::contract({{a, labels(a, 0)}, {b, labels(b, 1)}}, counted(2 * static_cast<std::size_t>(axes), 0));
  Shape shape;
  for (std::int64_t axis = 0; axis < axes; ++axis) shape.push_back(pairs.shape(2 * axis) * pairs.shape(2 * axis + 1));
  return reshape(pairs, shape);
}

}  // namespace koine
