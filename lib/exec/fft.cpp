// SPDX-License-Identifier: Apache-2.0
// Launching kernels/fft.cl and fft_cpu.cl.
#include "device/warps.hpp"
#include "exec/donate.hpp"
#include "exec/families.hpp"
#include "exec/fft_host.hpp"
#include "exec/fft_plan.hpp"
#include "exec/kernel_parameters.hpp"
#include "exec/kernel_run.hpp"
#include "exec/matmul_epilogue.hpp"
#include "graph/families.hpp"
#include "graph/infer.hpp"
#include "runtime/kernel_sources.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <numbers>
#include <optional>
#include <vector>

namespace koine::exec {
namespace {

using codegen::Either;
using graph::FftKind;
using runtime::BufferRef;

/// What both kernels are compiled for: float64, numbers of 32 bits that count elements, and what lines are read and
/// written (kernels/common/fft.clh).
struct FftSpec {
  bool wide, narrow;
  int in_kind, out_kind;
  bool load_factors, store_factors, cut_in, cut_out;
  const Epilogue *lead, *finish;  // code that makes the input, and what is stored

  template <class Visit>
  void visit(Visit& v) const {
    v.define("KN_DOUBLE", wide);
    v.define("KN_INDEX", Either{narrow, "uint", "ulong"});
    v.define("KN_IN_KIND", in_kind);
    v.define("KN_OUT_KIND", out_kind);
  }
};

struct FftCpuSpec : FftSpec {
  bool far;  // lines lie in global memory, for local memory is too small

  template <class Visit>
  void visit(Visit& v) const {
    FftSpec::visit(v);
    v.define("KN_CPU", true);
    v.define("KN_FAR", far);
  }
};

constexpr std::array<const char*, 7> radix_names = {"KN_RADIX_0", "KN_RADIX_1", "KN_RADIX_2", "KN_RADIX_3",
                                                    "KN_RADIX_4", "KN_RADIX_5", "KN_RADIX_6"};

struct FftGroupSpec : FftSpec {
  int length, each, items, pitch;  // pitch: from one line to the next in local memory
  bool first, last, unscaled;      // steps; results are multiplied by 1
  std::optional<int> swap;         // whether parts change places, where that is alike at both ends
  bool column, beside, padded;     // lines lie side by side; only their results do; kernels/fft.cl
  bool split, convolved;           // parts go through local memory one by one; two transforms with a filter between
  bool few_registers;              // so that more groups run side by side
  std::array<std::optional<int>, radix_names.size()> radices;

  template <class Visit>
  void visit(Visit& v) const {
    FftSpec::visit(v);
    v.define("KN_HAS_LOAD_FACTORS", Either{load_factors, "true", "false"});
    v.define("KN_HAS_STORE_FACTORS", Either{store_factors, "true", "false"});
    v.define("KN_CUT_IN", Either{cut_in, "true", "false"});
    v.define("KN_CUT_OUT", Either{cut_out, "true", "false"});
    v.define("KN_LENGTH", length);
    v.define("KN_EACH", each);
    v.define("KN_ITEMS", items);
    v.define("KN_PITCH", pitch);
    v.define("KN_FIRST", first);
    v.define("KN_LAST", last);
    v.define("KN_UNSCALED", unscaled);
    v.define("KN_SWAP", swap);
    v.define("KN_COLUMN", column);
    v.define("KN_BESIDE", beside);
    v.define("KN_PADDED", padded);
    v.define("KN_SPLIT", split);
    v.define("KN_CONVOLVED", convolved);
    v.define("KN_FEW_REGISTERS", few_registers);
    for (std::size_t i = 0; i < radices.size(); ++i) v.define(radix_names[i], radices[i]);
  }
};

constexpr std::uint64_t whole_sectors = 128;  // bytes of lines side by side

std::uint64_t number(std::int64_t value) { return static_cast<std::uint64_t>(value); }

/// A launch's lines, and the kernel for them.
struct FftLines {
  runtime::KernelRef kernel;
  std::uint64_t lines, each, items, local;  // work-items of a group; bytes of its local memory
  bool far = false;                         // which lie in global memory instead
  const Epilogue *lead = nullptr, *finish = nullptr;
};

/// The kernel for cards, with the code around it.
runtime::KernelRef kernel_of(Programs& programs, const FftGroupSpec& spec, const graph::Node& node,
                             const DeviceTraits& traits) {
  const bool plain = !spec.lead && !spec.finish;
  const std::string limit = spec.few_registers ? " -cl-nv-maxrregcount=128" : "";
  std::string key = "fft";
  codegen::append_key(key, spec);
  for (const Epilogue* code : {spec.lead, spec.finish}) {
    key += code ? '1' : '0';
    if (code) code->append_to(key);
  }
  const auto text_of = [&] {
    if (plain) return Programs::text_of_file("fft", codegen::options_of(spec) + limit);
    const auto of = [](const Epilogue* code) { return code ? code->around_transform() : codegen::CodeOfTransform{}; };
    const DType result = spec.finish ? spec.finish->type() : node.dtype;
    const codegen::EpilogueText text =
        print_around_transform(of(spec.lead), of(spec.finish), graph::function_of(node), result, traits);
    std::string source = text.settings;
    for (const std::string_view module : text.modules) source += runtime::kernel_source(module);
    // The kernel is named by what it computes.
    source += text.definitions + codegen::defines_of(spec) + "#define fft_lines " + text.name + "\n";
    source += runtime::kernel_source("fft");
    return runtime::ProgramText{std::move(source), limit, text.name, "fft" + codegen::line_of(spec)};
  };
  return programs.kernel(key, text_of, plain ? "fft_lines" : "");
}

class FftKernels {
 public:
  FftKernels(Programs& programs, runtime::Queue& queue, const codegen::Step& step)
      : queue_(queue),
        node_(*step.node),
        lead_(step.body.outputs.empty() ? std::nullopt : Epilogue::of(step.body, queue.traits(), 0)),
        finish_(step.finish.outputs.empty() ? std::nullopt : Epilogue::of(step.finish, queue.traits())),
        stored_(finish_ ? *step.finish.outputs[0].node : *step.node),
        info_(node_.get<graph::Op::fft>()),
        outer_(LinesOfAxis(node_.inputs[0]->shape, info_.axis).outer),
        inner_(LinesOfAxis(node_.inputs[0]->shape, info_.axis).inner),
        shape_{info_.n, size_of(graph::real_part(node_.dtype)) == sizeof(double), inner_ > 1},
        plan_(fft_plan(shape_)) {
    const std::int64_t have = node_.inputs[0]->shape[info_.axis], keep = node_.shape[info_.axis];
    const std::uint64_t most = outer_ * inner_ * number(std::max({have, plan_->length, info_.n}));
    FftSpec spec{};
    spec.lead = lead_ ? &*lead_ : nullptr;
    spec.finish = finish_ ? &*finish_ : nullptr;
    spec.wide = shape_.wide;
    // Eighths of a transform are counted, too.
    spec.narrow = most < std::uint64_t{1} << 31 && plan_->length < std::int64_t{1} << 28;
    spec.in_kind = info_.kind == FftKind::half_to_real ? 2 : info_.kind == FftKind::real_to_half ? 1 : 0;
    spec.out_kind = info_.kind == FftKind::half_to_real ? 1 : 0;
    spec.cut_in = std::min(have, info_.n) < plan_->length;
    spec.cut_out = keep < plan_->length;
    if (!plan_->convolved) {
      prepare(programs, first_, spec);
      return;
    }
    if (at_once()) {
      spec.load_factors = spec.store_factors = spec.cut_in = spec.cut_out = true;
      prepare(programs, first_, spec);
      return;
    }
    FftSpec first = spec, second = spec;
    first.load_factors = first.store_factors = second.store_factors = true;
    first.out_kind = second.in_kind = 0;
    first.cut_out = second.cut_in = false;
    first.finish = second.lead = nullptr;
    prepare(programs, first_, first);
    prepare(programs, second_, second);
  }

  void run() const {
    const graph::Node& x = *node_.inputs[0];
    const std::uint64_t length = number(plan_->length), complex = 2 * size_of(graph::real_part(node_.dtype));
    const BufferRef tables = fft_tables(queue_, shape_, *plan_, function_of(node_));
    const BufferRef out = memory_of_results();
    BufferRef one, two;  // between steps, and between the transforms of a convolution
    if (plan_->steps.size() > 1) one = queue_.allocate(outer_ * inner_ * length * complex, function_of(node_));
    if (plan_->convolved && !at_once()) two = queue_.allocate(outer_ * inner_ * length * complex, function_of(node_));
    shape_.wide ? run<parameters::kn_fft<double>>(x, *tables, one.get(), two.get(), *out)
                : run<parameters::kn_fft<float>>(x, *tables, one.get(), two.get(), *out);
    graph::fulfil(stored_, out, graph::row_major(stored_.shape));
  }

 private:
  /// The input's own memory where that dies and each group of a single launch writes what it has read alone: of it and
  /// the results, caches then hold more.
  BufferRef memory_of_results() const {
    const graph::Node& x = *node_.inputs[0];
    const std::uint64_t bytes = number(stored_.shape.elements()) * size_of(stored_.dtype);
    const bool alike = x.shape == node_.shape && x.dtype == node_.dtype && x.dtype == stored_.dtype && !lead_;
    const FftLines& only = first_.front();
    // (In place of elements that are missing at the end of a column or of a group, first ones of others are read.)
    const bool whole = only.lines % only.each == 0 && !(plan_->convolved && inner_ > 1);
    const bool once = first_.size() == 1 && second_.empty() && whole;
    // An array is not overwritten where the kernel could still fail after it ran: the work would be tried again.
    const bool in_place = alike && once && !queue_.context().waits_after(*only.kernel);
    BufferRef own = in_place ? donated(node_, node_.inputs[0], bytes) : nullptr;
    return own ? own : queue_.allocate(bytes, function_of(node_));
  }

  /// Whether one kernel computes both transforms of a convolution.
  bool at_once() const { return plan_->convolved && plan_->steps.size() == 1 && !queue_.traits().cpu_loops(); }

  /// The kernels of all steps.
  void prepare(Programs& programs, std::vector<FftLines>& lines, const FftSpec& whole) {
    for (const FftStep& step : plan_->steps) {
      FftSpec spec = whole;
      if (&step != &plan_->steps.front())
        spec.in_kind = 0, spec.load_factors = spec.cut_in = false, spec.lead = nullptr;
      if (&step != &plan_->steps.back())
        spec.out_kind = 0, spec.store_factors = spec.cut_out = false, spec.finish = nullptr;
      lines.push_back(queue_.traits().cpu_loops() ? on_cpu(programs, spec, step) : of_group(programs, spec, step));
    }
  }

  std::uint64_t stride_of(const FftStep& step) const { return number(step.after) * inner_; }
  std::uint64_t lines_of(const FftStep& step) const { return outer_ * number(step.before) * stride_of(step); }
  std::uint64_t size_of_number() const { return shape_.wide ? 2 * sizeof(double) : 2 * sizeof(float); }

  /// Half of the local memory, so that a unit of the device has two groups at least, but whole sectors.
  std::uint64_t fit(const FftStep& step, bool beside) const {
    const auto all = number(elements_of_group(shape_.wide)), n = number(step.n);
    const std::uint64_t most = std::max(all / n, std::uint64_t{1});
    return std::max(beside ? std::min(most, whole_sectors / size_of_number()) : 1, most / 2);
  }

  FftLines on_cpu(Programs& programs, const FftSpec& spec, const FftStep& step) const {
    const std::uint64_t each = std::min(fit(step, stride_of(step) > 1), lines_of(step));
    const std::uint64_t local = each * number(step.n) * size_of_number();
    const bool far = local > queue_.traits().local_memory;
    return {
        programs.kernel_of_file("fft_cpu", FftCpuSpec{spec, far}, "fft_lines"), lines_of(step), each, 1, local, far};
  }

  FftLines of_group(Programs& programs, const FftSpec& spec, const FftStep& step) const {
    const auto n = number(step.n), lines = lines_of(step);
    const bool column = stride_of(step) > 1, beside = !column && step.before > 1;
    // No more lines than there are, and fewer where units of the device would be idle.
    const std::uint64_t sector = std::max(std::uint64_t{1}, 32 / size_of_number());
    std::uint64_t each = std::bit_floor(fit(step, column || beside));
    // Of complex128 twice as many fit in halves, whose sectors lie side by side.
    if (shape_.wide && column && !plan_->convolved && each < whole_sectors / size_of_number()) each *= 2;
    while (each > 1 && each / 2 >= lines) each /= 2;
    while (each > (column || beside ? sector : 1) && lines / each < queue_.traits().compute_units) each /= 2;
    const auto largest = number(*std::max_element(step.radices.begin(), step.radices.end()));
    const std::uint64_t most = std::min<std::uint64_t>(group_size, queue_.traits().max_group);
    const std::uint64_t items = std::min(most, n / largest * each);
    const auto padded = [](std::uint64_t at) { return at + at / 16; };
    std::uint64_t pitch = padded(n) | 1, local = (column ? padded(n * each) : pitch * each) * size_of_number();
    // Lines in halves where they do not fit, and of complex128 where more groups than there are units of the device
    // would take much of their local memory.
    const std::uint64_t elements = number(elements_of_group(shape_.wide));
    const bool crowded = shape_.wide && lines / each > queue_.traits().compute_units;
    const bool split = n * each > (crowded ? elements / 2 : elements);
    if (split) local /= 2;
    const bool pad = local <= queue_.traits().local_memory;
    if (!pad) pitch = n, local = n * each * size_of_number() / (split ? 2 : 1);
    // NVIDIA's compiler takes some registers more than 128 for complex128, with which a quarter fewer groups run side
    // by side. Where each pass but the first is short, few or none of them are missed (with more passes of 16 they
    // are).
    const auto long_passes = std::count(step.radices.begin(), step.radices.end(), 16);
    const bool few = shape_.wide && !plan_->convolved && long_passes == 1 && has_warps(queue_.traits());
    FftGroupSpec group{spec,
                       static_cast<int>(n),
                       static_cast<int>(each),
                       static_cast<int>(items),
                       static_cast<int>(pitch),
                       step.before == 1,
                       step.after == 1,
                       step.after == 1 && !plan_->convolved && info_.scale == 1,
                       plan_->convolved ? std::nullopt : std::optional<int>(info_.inverse),
                       column,
                       beside,
                       pad,
                       split,
                       at_once(),
                       few,
                       {}};
    std::copy(step.radices.begin(), step.radices.end(), group.radices.begin());
    return {
        kernel_of(programs, group, node_, queue_.traits()), lines, each, items, local, false, spec.lead, spec.finish};
  }

  template <class D>
  void run(const graph::Node& x, const runtime::Buffer& tables, const runtime::Buffer* one, const runtime::Buffer* two,
           const runtime::Buffer& out) const {
    const std::uint64_t have = number(x.shape[info_.axis]), n = number(info_.n);
    D d{};
    d.inner = inner_;
    // The transform of what is given, ...
    D first = d;
    first.in_offset = lead_ ? 0 : number(x.layout.offset) * (is_complex(x.dtype) ? 2 : 1);
    first.in_pitch = have * inner_;
    first.in_end = std::min(have, n) * inner_;
    first.whole = n;
    first.half_end = std::min(have, n / 2 + 1);
    first.swap_in = info_.inverse;
    first.keep = number(node_.shape[info_.axis]);
    first.swap_out = info_.inverse;
    first.scale = static_cast<decltype(d.scale)>(info_.scale);
    // (Where there are no elements kernels still read one.)
    const runtime::Buffer& from = have == 0 || lead_ ? tables : *x.storage;
    if (!plan_->convolved) return run_steps(first, first_, from, tables, one, out);
    if (at_once()) {
      first.load_factors = first.store_factors = plan_->chirp;
      first.has_load_factors = first.has_store_factors = 1;
      first.filter = plan_->filter;
      first.swap_out = 1;
      first.swap_after = info_.inverse;
      return run_steps(first, first_, from, tables, one, out);
    }
    // ... or of its product with a chirp, which the filter is multiplied with, and an inverse one.
    D last = first;
    last.in_offset = 0;
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
    first.scale = 1;
    run_steps(first, first_, from, tables, one, *two);
    run_steps(last, second_, *two, tables, one, out);
  }

  template <class D>
  void run_steps(const D& whole, const std::vector<FftLines>& lines, const runtime::Buffer& from,
                 const runtime::Buffer& tables, const runtime::Buffer* between, const runtime::Buffer& to) const {
    for (std::size_t i = 0; i < plan_->steps.size(); ++i) {
      const FftStep& step = plan_->steps[i];
      const bool is_first = i == 0, is_last = i + 1 == plan_->steps.size();
      D d = whole;
      d.n = static_cast<std::uint32_t>(step.n);
      d.after = number(step.after);
      d.stride = stride_of(step);
      d.lines = lines[i].lines;
      d.each = static_cast<std::uint32_t>(lines[i].each);
      d.before = number(step.before);
      d.turned = number(step.turned);
      for (std::size_t pass = 0; pass < step.radices.size(); ++pass)
        d.radices |= static_cast<std::uint64_t>(step.radices[pass]) << (8 * pass);
      d.roots = step.roots;
      d.order = step.order;
      d.column = d.stride > 1;
      d.last = is_last;
      const long double angle = std::numbers::pi_v<long double> / (4.0L * step.n * step.after);
      d.angle = static_cast<decltype(d.angle)>(angle);
      d.angle_low = static_cast<decltype(d.angle)>(angle - d.angle);
      if (!is_first) {
        d.in_offset = 0;
        d.in_pitch = d.in_end = d.n * d.stride;
        d.swap_in = d.has_load_factors = 0;
      }
      launch(d, lines[i], is_first ? from : *between, tables, is_last ? to : *between);
    }
  }

  template <class D>
  void launch(const D& d, const FftLines& lines, const runtime::Buffer& from, const runtime::Buffer& tables,
              const runtime::Buffer& to) const {
    const std::uint64_t groups = (lines.lines + lines.each - 1) / lines.each;
    runtime::Launch launch(queue_, lines.kernel);
    launch.in(from).in(tables);
    if (queue_.traits().cpu_loops()) launch.in(tables);
    launch.out(to);
    BufferRef work;
    if (lines.far) {
      work = queue_.allocate(groups * lines.local, function_of(node_));
      launch.out(*work);
    } else {
      launch.local(lines.local);
    }
    launch.value(d);
    for (const Epilogue* code : {lines.lead, lines.finish}) {
      if (code) code->add(launch);
    }
    launch.run({groups * lines.items}, {lines.items});
  }

  runtime::Queue& queue_;
  const graph::Node& node_;
  const std::optional<Epilogue> lead_, finish_;
  graph::Node& stored_;
  const graph::FftInfo& info_;
  const std::uint64_t outer_, inner_;  // lines one after another, and side by side
  const FftShape shape_;
  const std::shared_ptr<const FftPlan> plan_;
  std::vector<FftLines> first_, second_;  // of the transform, and of the second one of a convolution
};

}  // namespace

// The input is in row-major order.
Work prepare_fft(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  if (node.shape.elements() > 0 && !host_transforms(queue, node)) {
    return [work = std::make_shared<const FftKernels>(programs, queue, step)] { work->run(); };
  }
  std::function<BufferRef()> run;
  if (node.shape.elements() == 0) {
    run = [&queue, &node] { return queue.allocate(0, function_of(node)); };
  } else {
    run = prepare_fft_on_host(programs, queue, node);
  }
  return [&node, run = std::move(run)] { graph::fulfil(node, run(), graph::row_major(node.shape)); };
}

}  // namespace koine::exec
