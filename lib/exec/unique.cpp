// SPDX-License-Identifier: Apache-2.0
// Launching kernels/unique.cl.
#include "exec/unique.hpp"

#include "exec/evaluate.hpp"
#include "exec/kernel_parameters.hpp"
#include "exec/kernel_run.hpp"
#include "exec/sort.hpp"

namespace koine::exec {
namespace {

using graph::NodeRef;
using runtime::BufferRef;

struct UniqueSpec {
  SortSpec sort;
  bool inverse, counts;

  template <class Visit>
  void visit(Visit& v) const {
    sort.visit(v);
    v.define("KN_INVERSE", inverse);
    v.define("KN_COUNTS", counts);
  }
};

}  // namespace

std::optional<Unique> unique_at_once(const NodeRef& x, UniqueWanted wanted, std::string_view function) {
  runtime::Queue& queue = queue_of(*x);
  const auto elements = static_cast<std::uint64_t>(x->shape.elements());
  const std::uint64_t each = sort_tile_each(queue.traits(), size_of(x->dtype));
  if (queue.traits().cpu_loops() || elements == 0 || elements > group_size * each) return std::nullopt;
  const runtime::Context::InUse in_use(queue.context(), function);
  const NodeRef stored = row_major(x);
  const auto memory = [&](bool is_wanted, DType type) {
    return is_wanted ? queue.allocate(elements * size_of(type), function) : nullptr;
  };
  const BufferRef groups = queue.allocate(sizeof(std::int64_t), function), values = memory(true, x->dtype);
  const BufferRef positions = memory(wanted.positions, DType::int64), inverse = memory(wanted.inverse, DType::int64),
                  counts = memory(wanted.counts, DType::int64);
  evaluated(queue.context(), [&](Programs& programs) {
    SortSpec sort{{x->dtype}, true, wanted.positions, wanted.positions || wanted.inverse};
    sort.each = static_cast<int>(each);
    const UniqueSpec spec{sort, wanted.inverse, wanted.counts};
    const runtime::KernelRef kernel = programs.kernel_of_file("unique", spec, "unique");
    programs.complete();
    runtime::Launch launch(queue, kernel);
    launch.in(*stored->storage).out(*groups).out(*values);
    for (const BufferRef& other : {positions, inverse, counts}) {
      if (other) launch.out(*other);
    }
    launch.value(parameters::kn_unique{static_cast<std::uint64_t>(stored->layout.offset), elements});
    launch.run({group_size}, {group_size});
  });
  std::int64_t count = 0;
  queue.read(*groups, 0, &count, sizeof count, function);
  const auto leaf = [&](const BufferRef& buffer, DType type, std::int64_t size) {
    return buffer ? graph::make_leaf(type, graph::row_major({size}), buffer, x->place) : nullptr;
  };
  return Unique{leaf(values, x->dtype, count), leaf(positions, DType::int64, count),
                leaf(inverse, DType::int64, x->shape.elements()), leaf(counts, DType::int64, count)};
}

}  // namespace koine::exec
