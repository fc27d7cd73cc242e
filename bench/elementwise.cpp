// SPDX-License-Identifier: Apache-2.0
// Large element-wise kernels beside hand-written ones.
#include "bench.hpp"

#include <bit>
#include <memory>

namespace koine::bench {

namespace {

/// c = expression(a, b) in float32 as one writes it for the device: on a GPU one float4 for each work-item, on a CPU a
/// contiguous chunk in float16 vectors for each.
class HandWrittenMap {
 public:
  HandWrittenMap(const std::string& expression, const Array& a, const Array& b)
      : kernel_(source(expression)), a_(a), b_(b), result_(uniform(a.shape())) {
    const auto vectors = static_cast<std::uint64_t>(a.size() / (on_cpu() ? 16 : 4));
    const auto items = on_cpu() ? 8 * static_cast<std::uint64_t>(default_device().compute_units()) : vectors;
    const std::uint64_t chunk = (vectors + items - 1) / items;
    kernel_.set(0, a_);
    kernel_.set(1, b_);
    kernel_.set(2, result_);
    kernel_.set(3, static_cast<cl_ulong>(vectors));
    kernel_.set(4, static_cast<cl_ulong>(chunk));
    local_ = on_cpu() ? 1 : 256;
    global_ = (items + local_ - 1) / local_ * local_;
  }

  void run() {
    kernel_.launch(global_, local_);
    kernel_.finish();
  }

 private:
  static std::string source(const std::string& expression) {
    if (!on_cpu()) {
      return "__kernel void k(__global const float4* pa, __global const float4* pb, __global float4* pc, ulong n, "
             "ulong chunk) {\n  const ulong i = get_global_id(0);\n  if (i >= n) return;\n"
             "  const float4 a = pa[i], b = pb[i];\n  pc[i] = " +
             expression + ";\n}\n";
    }
    return "__kernel void k(__global const float* pa, __global const float* pb, __global float* pc, ulong n, "
           "ulong chunk) {\n  ulong i = get_global_id(0) * chunk;\n  const ulong end = min(i + chunk, n);\n"
           "  for (; i < end; ++i) {\n    const float16 a = vload16(i, pa), b = vload16(i, pb);\n"
           "    vstore16(" +
           expression + ", i, pc);\n  }\n}\n";
  }

  HandWritten kernel_;
  Array a_, b_, result_;
  std::size_t global_, local_;
};

void add_pair(const std::string& work, std::int64_t n, const std::string& expression,
              const std::function<Array(const Array&, const Array&)>& function) {
  const double bytes = 3.0 * 4 * static_cast<double>(n);
  const std::string name = "elementwise/" + work + " 2^" + std::to_string(std::bit_width(std::uint64_t(n)) - 1);
  add(
      name + "/koine",
      [=] {
        const Array a = uniform({n}), b = uniform({n});
        return [=] {
          const Array c = function(a, b);
          c.eval();
          finish();
        };
      },
      bytes);
  add(
      name + "/hand-written",
      [=] {
        auto map = std::make_shared<HandWrittenMap>(expression, uniform({n}), uniform({n}));
        return [=] { map->run(); };
      },
      bytes);
}

}  // namespace

void add_elementwise() {
  const std::int64_t n = std::int64_t{1} << (on_cpu() ? 24 : 28);
  add_pair("add", n, "a + b", [](const Array& a, const Array& b) { return a + b; });
  add_pair("exp(-a*a)*b+1", n, "exp(-a * a) * b + 1.0f",
           [](const Array& a, const Array& b) { return exp(-a * a) * b + 1.0; });
}

}  // namespace koine::bench
