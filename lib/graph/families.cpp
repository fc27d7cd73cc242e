// SPDX-License-Identifier: Apache-2.0
// The table of families, made of families.def and of what the types of their attributes say.
#include "graph/families.hpp"

#include "graph/infer.hpp"

namespace koine::graph {
namespace {

template <class Info>
concept NamesFunction = requires(const Info& info) {
  info.function();
};
template <class Info>
concept GivesResults = requires(const Info& info) {
  info.results({});
};

template <Op op>
std::string_view function_name(const Node& node) {
  if constexpr (NamesFunction<AttributesOf<op>>) {
    return node.get<op>().function();
  } else {
    return name(op);
  }
}

template <Op op>
constexpr Family record(std::string_view name, int cost = 0) {
  Family result{name, role(op), cost, function_name<op>, nullptr};
  if constexpr (GivesResults<AttributesOf<op>>) {
    result.results = [](const Attributes& attributes, std::span<const NodeRef> inputs) {
      return attributes_of<op>(attributes).results(inputs);
    };
  }
  return result;
}

constexpr Family families[] = {
#define KN_INLINE(name, role, attributes, cost) record<Op::name>(#name, cost),
#define KN_FAMILY(name, ...) record<Op::name>(#name),
#include "graph/families.def"
};

}  // namespace

const Family& family(Op op) {
  const int index = static_cast<int>(in_table(op) ? Op::elementwise : op) - table_size;
  return families[index];
}

std::vector<ResultType> SortInfo::results(std::span<const NodeRef> inputs) const {
  return {{inputs[0]->dtype, inputs[0]->shape}, {DType::int64, inputs[0]->shape}};
}

std::vector<ResultType> TopkInfo::results(std::span<const NodeRef> inputs) const {
  Shape shape = inputs[0]->shape;
  shape[shape.size() - 1] = k;
  return {{inputs[0]->dtype, shape}, {DType::int64, shape}};
}

std::vector<ResultType> EighInfo::results(std::span<const NodeRef> inputs) const {
  Shape values = inputs[0]->shape;
  values.erase(values.size() - 1);
  return {{real_part(inputs[0]->dtype), values}, {inputs[0]->dtype, inputs[0]->shape}};
}

std::vector<ResultType> EigInfo::results(std::span<const NodeRef> inputs) const {
  Shape values = inputs[0]->shape;
  values.erase(values.size() - 1);
  const DType type = complex_of(real_part(inputs[0]->dtype));
  return {{type, values}, {type, inputs[0]->shape}};
}

std::vector<ResultType> SchurInfo::results(std::span<const NodeRef> inputs) const {
  return {{inputs[0]->dtype, inputs[0]->shape}, {inputs[0]->dtype, inputs[0]->shape}};
}

std::vector<ResultType> SvdInfo::results(std::span<const NodeRef> inputs) const {
  const Shape& all = inputs[0]->shape;
  const std::size_t last = all.size() - 1;
  Shape values = all, left = all, right = all;
  values.erase(last);
  left[last] = all[last - 1];
  if (full) right[last - 1] = all[last];
  std::vector<ResultType> results{{real_part(inputs[0]->dtype), values}};
  if (vectors) results.insert(results.end(), {{inputs[0]->dtype, left}, {inputs[0]->dtype, right}});
  return results;
}

namespace {

/// The shape of a stack of matrices with other rows and columns.
Shape with_matrices(Shape shape, std::int64_t rows, std::int64_t columns) {
  shape[shape.size() - 2] = rows;
  shape[shape.size() - 1] = columns;
  return shape;
}

}  // namespace

std::vector<ResultType> LuInfo::results(std::span<const NodeRef> inputs) const {
  Shape rows = inputs[0]->shape;
  rows.erase(rows.size() - 1);
  Shape stack = rows;
  stack.erase(stack.size() - 1);
  return {{inputs[0]->dtype, inputs[0]->shape}, {DType::int64, rows}, {DType::int64, stack}};
}

std::vector<ResultType> LdlInfo::results(std::span<const NodeRef> inputs) const {
  Shape rows = inputs[0]->shape;
  rows.erase(rows.size() - 1);
  return {{inputs[0]->dtype, inputs[0]->shape}, {inputs[0]->dtype, inputs[0]->shape}, {DType::int64, rows}};
}

std::vector<ResultType> HouseholderInfo::results(std::span<const NodeRef> inputs) const {
  const DType type = inputs[0]->dtype;
  const Shape& shape = inputs[0]->shape;
  const std::int64_t n = shape.back();
  return {{type, shape}, {type, with_matrices(shape, n, n)}, {type, with_matrices(shape, n, n)}};
}

std::vector<ResultType> QrInfo::results(std::span<const NodeRef> inputs) const {
  const DType type = inputs[0]->dtype;
  const Shape& shape = inputs[0]->shape;
  return {{type, with_matrices(shape, shape[shape.size() - 2], columns)},
          {type, with_matrices(shape, columns, shape.back())}};
}

std::string_view RandomInfo::function() const {
  switch (kind) {
    case RandomKind::uniform: return "uniform";
    case RandomKind::normal: return "normal";
    case RandomKind::integers: return "integers";
    case RandomKind::exponential: return "exponential";
    case RandomKind::gamma: return "gamma";
    case RandomKind::poisson: return "poisson";
    case RandomKind::binomial: break;
  }
  return "binomial";
}

std::string_view function_of(const Node& node) {
  if (in_table(node.op)) return name(node.op);
  // A cast to its own type is a copy, which is made where memory has to be one's own or in order.
  const bool copy = node.op == Op::cast && node.inputs.size() == 1 && node.inputs[0]->dtype == node.dtype;
  if (node.op == Op::cast) return copy ? "eval" : "astype";
  const Role role = graph::role(node.op);
  if (role == Role::result && !node.inputs.empty()) return function_of(*node.inputs[0]);
  if (role == Role::result || role == Role::source || role == Role::memory || role == Role::movement) return "eval";
  return family(node.op).function(node);
}

}  // namespace koine::graph
