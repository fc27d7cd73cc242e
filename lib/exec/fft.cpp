// SPDX-License-Identifier: Apache-2.0
// Launching kernels/fft.cl.
#include "exec/families.hpp"
#include "exec/fft_host.hpp"
#include "exec/fft_plan.hpp"
#include "exec/kernel_parameters.hpp"
#include "exec/kernel_run.hpp"
#include "graph/infer.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>

namespace koine::exec {
namespace {

using graph::FftKind;
using runtime::BufferRef;

struct FftSpec {
  bool wide, cpu, narrow;  // float64; 32-bit numbers count elements

  template <class Visit>
  void visit(Visit& v) const {
    v.define("KN_DOUBLE", wide);
    v.define("KN_CPU", cpu);
    v.define("KN_INDEX", std::string_view(narrow ? "uint" : ""));
  }
};

constexpr std::uint64_t side_by_side = 16;  // lines that fill whole sectors of memory

std::uint64_t number(std::int64_t value) { return static_cast<std::uint64_t>(value); }

class FftKernels {
 public:
  FftKernels(Programs& programs, runtime::Queue& queue, const graph::Node& node)
      : queue_(queue),
        node_(node),
        info_(node.get<graph::Op::fft>()),
        wide_(size_of(graph::real_part(node.dtype)) == sizeof(double)),
        plan_(fft_plan(info_.n, wide_)),
        outer_(LinesOfAxis(node.inputs[0]->shape, info_.axis).outer),
        inner_(LinesOfAxis(node.inputs[0]->shape, info_.axis).inner) {
    const std::uint64_t have = number(node.inputs[0]->shape[info_.axis]), rows = outer_ * inner_;
    const std::uint64_t most = std::max({rows * have, rows * number(plan_->length), rows * number(info_.n)});
    kernel_ = programs.kernel_of_file("fft", FftSpec{wide_, queue.traits().cpu_loops(), most < std::uint64_t{1} << 31},
                                      "fft_lines");
  }

  BufferRef run() const {
    const graph::Node& x = *node_.inputs[0];
    const std::uint64_t length = number(plan_->length), complex = 2 * size_of(graph::real_part(node_.dtype));
    const BufferRef tables = fft_tables(queue_, info_.n, wide_, *plan_, function_of(node_));
    const BufferRef out = queue_.allocate(number(node_.shape.elements()) * size_of(node_.dtype), function_of(node_));
    BufferRef one, two;  // between steps, and between the transforms of a convolution
    if (plan_->steps.size() > 1) one = queue_.allocate(outer_ * inner_ * length * complex, function_of(node_));
    if (plan_->convolved) two = queue_.allocate(outer_ * inner_ * length * complex, function_of(node_));
    wide_ ? run<parameters::kn_fft<double>>(x, *tables, one.get(), two.get(), *out)
          : run<parameters::kn_fft<float>>(x, *tables, one.get(), two.get(), *out);
    return out;
  }

 private:
  template <class D>
  void run(const graph::Node& x, const runtime::Buffer& tables, const runtime::Buffer* one, const runtime::Buffer* two,
           const runtime::Buffer& out) const {
    const std::uint64_t have = number(x.shape[info_.axis]), n = number(info_.n);
    D d{};
    d.inner = inner_;
    // The transform of what is given, ...
    D first = d;
    first.in_offset = number(x.layout.offset) * (is_complex(x.dtype) ? 2 : 1);
    first.in_kind = info_.kind == FftKind::half_to_real ? 2 : info_.kind == FftKind::real_to_half ? 1 : 0;
    first.in_pitch = have * inner_;
    first.in_end = std::min(have, n) * inner_;
    first.whole = n;
    first.half_end = std::min(have, n / 2 + 1);
    first.swap_in = info_.inverse;
    first.keep = number(node_.shape[info_.axis]);
    first.out_kind = info_.kind == FftKind::half_to_real ? 1 : 0;
    first.swap_out = info_.inverse;
    first.scale = static_cast<decltype(d.scale)>(info_.scale);
    if (!plan_->convolved) return run_steps(first, *x.storage, tables, one, out);
    // ... or of its product with a chirp, which the filter is multiplied with, and an inverse one.
    D last = first;
    last.in_offset = 0;
    last.in_kind = 0;
    last.in_pitch = last.in_end = number(plan_->length) * inner_;
    last.swap_in = last.swap_out = 1;
    last.swap_after = info_.inverse;
    last.store_factors = plan_->chirp;
    last.has_store_factors = 1;
    first.load_factors = plan_->chirp;
    first.store_factors = plan_->filter;
    first.has_load_factors = first.has_store_factors = 1;
    first.swap_out = 0;
    first.keep = number(plan_->length);
    first.out_kind = 0;
    first.scale = 1;
    run_steps(first, *x.storage, tables, one, *two);
    run_steps(last, *two, tables, one, out);
  }

  template <class D>
  void run_steps(const D& whole, const runtime::Buffer& from, const runtime::Buffer& tables,
                 const runtime::Buffer* between, const runtime::Buffer& to) const {
    for (const FftStep& step : plan_->steps) {
      const bool is_first = &step == &plan_->steps.front(), is_last = &step == &plan_->steps.back();
      D d = whole;
      d.n = static_cast<std::uint32_t>(step.n);
      d.stride = number(step.after) * inner_;
      d.lines = outer_ * number(step.before) * d.stride;
      d.before = number(step.before);
      d.turned = number(step.turned);
      d.radices = step.radices;
      d.roots = step.roots;
      d.order = step.order;
      d.low = step.low;
      d.high = step.high;
      d.low_bits = step.low_bits;
      d.column = d.stride > 1;
      d.last = is_last;
      if (!is_first) {
        d.in_offset = 0;
        d.in_kind = 0;
        d.in_pitch = d.in_end = d.n * d.stride;
        d.swap_in = d.has_load_factors = 0;
      }
      launch(d, is_first ? from : *between, tables, is_last ? to : *between);
    }
  }

  template <class D>
  void launch(D& d, const runtime::Buffer& from, const runtime::Buffer& tables, const runtime::Buffer& to) const {
    const bool cpu = queue_.traits().cpu_loops();
    const auto most = static_cast<std::uint64_t>(longest_line(wide_)), fit = most / d.n;
    // Half of the memory, so that a unit of the device has two groups at least, but whole sectors.
    const std::uint64_t each = std::max({std::uint64_t{1}, fit / 2, std::min(fit, d.column ? side_by_side : 1)});
    d.each = static_cast<std::uint32_t>(std::min(each, d.lines));
    const std::uint64_t groups = (d.lines + d.each - 1) / d.each;
    const std::size_t local = cpu ? 1 : std::min<std::size_t>(group_size, kernel_->max_group());
    runtime::Launch launch(queue_, kernel_);
    launch.in(from).in(tables).in(tables).out(to).local(std::uint64_t{d.each} * d.n * 2 * sizeof(d.scale));
    launch.value(d).run({groups * local}, {local});
  }

  runtime::Queue& queue_;
  const graph::Node& node_;
  const graph::FftInfo& info_;
  const bool wide_;
  const std::shared_ptr<const FftPlan> plan_;
  const std::uint64_t outer_, inner_;  // lines one after another, and side by side
  runtime::KernelRef kernel_;
};

}  // namespace

// The input is in row-major order.
Work prepare_fft(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  std::function<BufferRef()> run;
  if (node.shape.elements() == 0) {
    run = [&queue, &node] { return queue.allocate(0, function_of(node)); };
  } else if (host_transforms(queue, node)) {
    run = prepare_fft_on_host(programs, queue, node);
  } else {
    run = [work = std::make_shared<const FftKernels>(programs, queue, node)] { return work->run(); };
  }
  return [&node, run = std::move(run)] { graph::fulfil(node, run(), graph::row_major(node.shape)); };
}

}  // namespace koine::exec
