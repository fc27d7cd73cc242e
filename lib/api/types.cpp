// SPDX-License-Identifier: Apache-2.0
// Conversion between types and devices, and promotion as functions.
#include "api/build.hpp"
#include "api/choices.hpp"
#include "exec/evaluate.hpp"
#include "runtime/context.hpp"

#include <koine/error.hpp>
#include <koine/types.hpp>

#include <algorithm>

namespace koine {

Array astype(const Array& x, DType dtype, const AstypeOptions& options) {
  const base::NamedCall call("astype");
  const Array source = options.device ? to_device(x, *options.device) : x;
  if (source.dtype() == dtype) return source;
  if (is_complex(source.dtype()) && !is_complex(dtype) && !is_bool(dtype)) {
    throw DTypeError("[astype] " + std::string(name(source.dtype())) + " does not convert to " +
                     std::string(name(dtype)) + "; take real(x), imag(x) or abs(x)");
  }
  const graph::Place place = api::chosen_place(source.node()->place);
  api::require_type(place, dtype, "astype");
  return api::pending(graph::make_cast(source.node(), dtype, place));
}

Array to_device(const Array& x, Device device) {
  const graph::Place place = api::place_of(device);
  if (x.node()->place == place) return x;
  api::require_type(place, x.dtype(), "to_device");
  const graph::NodeRef source = exec::row_major(x.node());
  const auto bytes = static_cast<std::uint64_t>(x.nbytes());
  auto node = graph::make_leaf(x.dtype(), graph::row_major(x.shape()), nullptr, place);
  runtime::Queue& queue = exec::queue_of(*node);
  node->storage = queue.allocate(bytes, "to_device");
  queue.fetch(*node->storage, 0, exec::queue_of(*source), *source->storage,
              static_cast<std::uint64_t>(source->layout.offset) * size_of(x.dtype()), bytes, "to_device");
  return Array(std::move(node));
}

bool can_cast(DType from, DType to) {
  try {
    return graph::promote(from, to, "can_cast") == to;
  } catch (const DTypeError&) {
    return false;
  }
}

bool can_cast(const Array& from, DType to) { return can_cast(from.dtype(), to); }

DType result_type(std::initializer_list<TypeOperand> operands) {
  std::optional<DType> type;
  for (const TypeOperand& operand : operands) {
    if (const auto* own = std::get_if<DType>(&operand.value())) {
      type = type ? graph::promote(*type, *own, "result_type") : *own;
    }
  }
  if (!type) throw ValueError("[result_type] got no array and no type; scalars alone are weak and have none");
  std::vector<Scalar> scalars;
  for (const TypeOperand& operand : operands) {
    if (const auto* scalar = std::get_if<Scalar>(&operand.value())) scalars.push_back(*scalar);
  }
  // The highest kind first: beside it the others have to fit no integer type.
  std::stable_sort(scalars.begin(), scalars.end(),
                   [](const Scalar& a, const Scalar& b) { return a.kind() > b.kind(); });
  for (const Scalar& scalar : scalars) type = graph::promote(*type, scalar, default_dtype(), "result_type");
  return *type;
}

}  // namespace koine
