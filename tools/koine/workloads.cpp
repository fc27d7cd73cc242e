// SPDX-License-Identifier: Apache-2.0
// A function for each parameter, under its name: one without does not compile.
#include "workloads.hpp"

#include <koine/koine.hpp>

#include <algorithm>
#include <bit>
#include <memory>
#include <stdexcept>
#include <string>

namespace koine::tool {

namespace {

using Workloads = std::vector<Workload>;

/// Makes arrays, and workloads of what is computed from them.
struct Maker {
  bool quick;
  random::Generator generator{1};

  /// Elements that keep a device busy.
  std::int64_t many() const {
    const std::uint64_t enough = std::uint64_t{1} << (default_device().type() == DeviceType::cpu ? 22 : 26);
    // A workload holds up to six arrays of so many, some of them of 64 bits.
    const std::uint64_t most = std::bit_floor(default_device().memory() / 64);
    return static_cast<std::int64_t>(std::min(enough, most) / (quick ? 16 : 1));
  }
  Array numbers(const Shape& shape, DType type = float32) { return generator.normal(shape).astype(type).eval(); }
  Array integers(std::int64_t below, std::int64_t count) { return generator.integers(0, below, {count}).eval(); }

  Workload chain(const Shape& shape, DType type = float32) {
    return workload_of([x = numbers(shape, type), y = numbers(shape, type)] { return x * y + 1; });
  }
  Workload sums(const Shape& shape) {
    return workload_of([x = numbers(shape)] { return sum(x, {.axis = -1}); });
  }
  Workload running_sums(const Shape& shape, std::int64_t axis) {
    return workload_of([x = numbers(shape), axis] { return cumulative_sum(x, {.axis = axis}); });
  }
  Workload shares(const Shape& shape) {
    return workload_of([x = numbers(shape)] { return softmax(x, {.axis = -1}); });
  }
  Workload draws(std::int64_t count) {
    return workload_of([count] { return random::Generator(1).uniform({count}); });
  }
  Workload picks(std::int64_t count) {
    return workload_of([x = numbers({1 << 16}), at = integers(1 << 16, count)] { return take(x, at); });
  }
  Workload sorts(const Shape& shape) {
    return workload_of([x = numbers(shape)] { return sort(x, {.axis = -1}); });
  }
  Workload medians(const Shape& shape) {
    return workload_of([x = numbers(shape)] { return median(x, {.axis = -1}); });
  }
  Workload histograms(std::int64_t count, std::int64_t bins) {
    return workload_of([x = numbers({count}), bins] { return histogram(x, {.bins = bins}).counts; });
  }
  Workload spectra(const Shape& shape) {
    return workload_of([x = numbers(shape)] { return linalg::eigvals(x); });
  }
  Workload groups(std::int64_t count, std::int64_t ids) {
    return workload_of(
        [x = numbers({count}), at = integers(ids, count), ids] { return segment_sum(x, at, {.count = ids}); });
  }
  Workload extremes(std::int64_t count, std::int64_t ids) {
    return workload_of(
        [x = numbers({count}), at = integers(ids, count), ids] { return segment_max(x, at, {.count = ids}); });
  }
  /// More than a CPU's threads find without kernels.
  Workload topk_of(std::int64_t count) {
    return workload_of([x = numbers({count})] { return topk(x, 100'000).values; });
  }
  Workload product(std::int64_t n, DType type = float32, const std::string& precision = "float32") {
    return workload_of([x = numbers({n, n}, type), y = numbers({n, n}, type), precision] {
      return matmul(x, y, {.precision = precision});
    });
  }
  static Workload transfer(std::int64_t bytes) {
    return [values = std::make_shared<std::vector<float>>(static_cast<std::size_t>(bytes) / sizeof(float), 1.0f)] {
      asarray(*values).copy_to(*values);
    };
  }
};

/// Workloads by the names of parameters.
namespace of_parameter {

Workloads items_per_core(Maker& m) { return {m.chain({m.many()}), m.picks(m.many()), m.sums({m.many() / 64, 64})}; }
Workloads items_per_unit(Maker& m) { return {m.picks(m.many()), m.groups(m.many() / 4, 1 << 18)}; }

Workloads elements_per_item(Maker& m) { return {m.extremes(1 << 15, 1 << 15), m.extremes(1 << 18, 1 << 18)}; }
Workloads thread_work(Maker& m) {
  return {m.product(32), m.product(64), m.product(128), m.topk_of(1 << 15), m.sums({1 << 17})};
}

Workloads elementwise_vector_bytes(Maker& m) {
  return {m.chain({m.many()}), m.chain({m.many()}, float16),
          workload_of([x = m.numbers({m.many() / 4})] { return tanh(x); })};
}
Workloads elementwise_elements_per_item(Maker& m) {
  return {m.chain({1 << 12}), m.chain({1 << 15}), m.chain({1 << 18})};
}
Workloads elementwise_segment(Maker& m) {
  return {m.chain({m.many()}),
          workload_of([x = m.numbers({m.many() / 8192, 8192})] { return x(all, slice(1, none)) * 2; })};
}
Workloads elementwise_scalars_per_item(Maker& m) {
  return {workload_of([x = m.numbers({m.many() / 4096, 8192})] { return x(all, slice(none, none, 2)) + 1; })};
}
Workloads elementwise_deep_lanes(Maker& m) {
  const Array x = m.numbers({m.many() / 4096, 4096}), y = m.numbers({4096, m.many() / 4096});
  return {workload_of([=] { return x.T() + 1; }), workload_of([=] { return x + y.T(); })};
}
Workloads elementwise_unaligned_loads(Maker& m) {
  const auto shifted = [](const Array& x, std::int64_t loads) {
    Array sum = x(all, slice(0, 4096));
    for (std::int64_t k = 1; k <= loads; ++k) sum = sum + x(all, slice(4 * k + 1, 4 * k + 4097));
    return sum;
  };
  const Array x = m.numbers({m.many() / 4096, 4160});
  return {workload_of([=] { return shifted(x, 2); }), workload_of([=] { return shifted(x, 4); }),
          workload_of([=] { return shifted(x, 8); })};
}

Workloads host_step_work(Maker& m) { return {m.chain({64}), m.chain({2000}), m.sums({1000}), m.shares({20, 20})}; }

Workloads reduce_elements_per_item(Maker& m) { return {m.sums({1 << 15}), m.sums({1 << 18}), m.sums({1000, 100})}; }
Workloads scan_elements_per_item(Maker& m) {
  return {m.running_sums({1 << 15}, 0), m.running_sums({1 << 18}, 0), m.running_sums({1000, 100}, 1)};
}
Workloads scan_columns(Maker& m) {
  return {m.running_sums({m.many() / 8, 8}, 0), m.running_sums({m.many() / 24, 24}, 0),
          m.running_sums({m.many() / 96, 96}, 0)};
}
Workloads rows_elements_per_item(Maker& m) { return {m.shares({1000, 64}), m.shares({64, 1000})}; }

Workloads random_numbers_per_item(Maker& m) { return {m.draws(1 << 14), m.draws(1 << 17)}; }
Workloads random_items_per_unit(Maker& m) { return {m.draws(m.many())}; }
Workloads take_elements_per_item(Maker& m) { return {m.picks(1 << 14), m.picks(1 << 17)}; }

Workloads sort_elements_per_item(Maker& m) { return {m.sorts({2000, 50}), m.sorts({1 << 17})}; }
Workloads sort_longest_row(Maker& m) { return {m.sorts({1 << 13}), m.sorts({1 << 14}), m.sorts({1 << 16})}; }
Workloads sort_blocks_per_core(Maker& m) { return {m.sorts({m.many() / 4}), m.medians({m.many() / 4})}; }
Workloads sort_blocks_per_unit(Maker& m) { return {m.sorts({m.many() / 4}), m.medians({m.many() / 4})}; }
Workloads sort_elements_per_block(Maker& m) {
  return {m.sorts({1 << 18}), m.sorts({1 << 21}), m.topk_of(m.many() / 4)};
}
Workloads sort_tile_elements(Maker& m) { return {m.sorts({m.many() / 4}), m.sorts({m.many() / 4096, 500})}; }

Workloads select_elements_per_block(Maker& m) { return {m.medians({1 << 17}), m.medians({m.many() / 4})}; }

Workloads histogram_elements_per_item(Maker& m) { return {m.histograms(1 << 15, 100), m.histograms(1 << 18, 100)}; }
Workloads histogram_groups_per_unit(Maker& m) { return {m.histograms(m.many(), 100), m.histograms(m.many(), 2000)}; }

Workloads segment_values_per_item(Maker& m) { return {m.groups(1 << 15, 100), m.groups(1 << 18, 100)}; }
Workloads segment_local_bytes(Maker& m) {
  return {m.groups(m.many() / 4, 250), m.groups(m.many() / 4, 1000), m.groups(m.many() / 4, 2000)};
}
Workloads segment_values_at_once(Maker& m) { return {m.groups(1 << 12, 100), m.groups(1 << 14, 100)}; }
Workloads segment_groups_per_unit(Maker& m) { return {m.groups(m.many(), 100)}; }
Workloads segment_local_bytes_per_unit(Maker& m) { return {m.groups(m.many(), 500), m.groups(m.many(), 2000)}; }
Workloads segment_values_per_launch(Maker& m) {
  return {m.groups(1 << 15, 1 << 14), m.groups(1 << 17, 1 << 14), m.groups(1 << 19, 1 << 14)};
}
Workloads segment_sorted_groups(Maker& m) {
  return {m.groups(m.many() / 4, 1 << 21), m.groups(m.many() / 4, 1 << 22), m.groups(m.many() / 4, 1 << 23)};
}

Workloads matmul_cache_bytes(Maker& m) { return {m.product(m.quick ? 256 : 512), m.product(m.quick ? 400 : 1000)}; }
Workloads matmul_large_tiles_per_unit(Maker& m) { return {m.product(512), m.product(1024), m.product(2048)}; }
Workloads matmul_line_cost(Maker& m) { return {m.product(700), m.product(1000), m.product(2048), m.product(3000)}; }
Workloads matmul_unit_tile_cost(Maker& m) {
  Workloads all{m.product(1000, float16),  m.product(2048, float16),         m.product(3000, float16),
                m.product(4096, bfloat16), m.product(1000, float32, "tf32"), m.product(2048, float32, "tf32")};
  if (default_device().has_fp64()) all.insert(all.end(), {m.product(1000, float64), m.product(2048, float64)});
  return all;
}

Workloads spectra_groups_per_unit(Maker& m) {
  return {m.spectra({m.quick ? 256 : 2048, 8, 8}), m.spectra({m.quick ? 64 : 512, 32, 32})};
}

Workloads transfer_staged_bytes(Maker&) {
  return {Maker::transfer(2 << 20), Maker::transfer(6 << 20), Maker::transfer(16 << 20)};
}
Workloads transfer_slot_bytes(Maker& m) {
  return {Maker::transfer(32 << 20), Maker::transfer(m.quick ? 64 << 20 : 256 << 20)};
}

}  // namespace of_parameter

struct ParameterRow {
  std::string_view parameter;
  Workloads (*make)(Maker&);
};

constexpr ParameterRow rows[] = {
#define KN_PARAMETER(name, standard, lowest, highest, values, loops, text) {#name, of_parameter::name},
#include "tuning/parameters.def"
#undef KN_PARAMETER
};

}  // namespace

std::vector<Workload> workloads_of(std::string_view parameter, bool quick) {
  Maker maker{quick};
  for (const ParameterRow& row : rows) {
    if (row.parameter == parameter) return row.make(maker);
  }
  throw std::invalid_argument("there is no parameter " + std::string(parameter));
}

}  // namespace koine::tool
