// SPDX-License-Identifier: Apache-2.0
// Array: its node, and evaluation.
#include "api/build.hpp"
#include "base/first_use.hpp"
#include "exec/evaluate.hpp"
#include "runtime/context.hpp"

#include <koine/array.hpp>
#include <koine/creation.hpp>

#include <vector>

namespace koine {

Array::Array() = default;

const graph::NodeRef& Array::node() const {
  if (node_) return node_;
  // Shared by all arrays without a value, so that no thread ever writes to node_ while another reads it.
  static constinit base::FirstUse<const Array> empty;
  return empty.get([] { return zeros({0}); }).node_;
}

const Array& Array::eval() const {
  const graph::NodeRef& own = node();
  if (!own->is_ready()) {
    exec::evaluate(own);
    exec::queue_of(*own).flush();
  }
  return *this;
}

void eval(const std::vector<Array>& arrays) {
  std::vector<const Array*> list;
  for (const Array& x : arrays) list.push_back(&x);
  detail::eval_all(list);
}

void detail::eval_all(std::span<const Array* const> arrays) {
  std::vector<graph::NodeRef> roots;
  for (const Array* array : arrays) roots.push_back(array->node());
  exec::evaluate(roots);
  for (const graph::NodeRef& root : roots) exec::queue_of(*root).flush();
}

void synchronize(Device device) {
  if (runtime::Context* context = runtime::Context::existing(device.record())) context->finish();
}

void synchronize() {
  for (const Device& device : devices()) synchronize(device);
}

}  // namespace koine
