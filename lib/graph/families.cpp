// SPDX-License-Identifier: Apache-2.0
// The table of families, made of families.def and of what the types of their attributes say.
#include "graph/families.hpp"

namespace koine::graph {
namespace {

template <Op op>
std::string_view function_name(const Node& node) {
  using Info = AttributesOf<op>;
  if constexpr (requires(const Info& info) { info.function(); }) {
    return node.get<op>().function();
  } else {
    return name(op);
  }
}

template <Op op>
constexpr Family record(std::string_view name) {
  return {name, role(op), function_name<op>};
}

constexpr Family families[] = {
#define KN_INLINE(name, ...) record<Op::name>(#name),
#define KN_FAMILY(name, ...) record<Op::name>(#name),
#include "graph/families.def"
};

}  // namespace

const Family& family(Op op) {
  const int index = static_cast<int>(in_table(op) ? Op::elementwise : op) - table_size;
  return families[index];
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
  if (role == Role::source || role == Role::memory || role == Role::movement) return "eval";
  return family(node.op).function(node);
}

}  // namespace koine::graph
