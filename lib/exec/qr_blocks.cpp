// SPDX-License-Identifier: Apache-2.0
// Launching kernels/qr_panel.cl, qr_spread.cl and qr_blocks.cl: QR factorisations on cards by wide panels of narrow
// ones.
#include "exec/factor_blocks.hpp"

#include "exec/kernel_parameters.hpp"
#include "exec/kernel_run.hpp"
#include "exec/panels.hpp"
#include "runtime/launch.hpp"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace koine::exec {
namespace {

// Columns of a wide panel, KN_WIDE_PANEL of qr_blocks.cl: products of what is left are as deep.
constexpr std::int64_t wide_columns = 128;

std::uint64_t number(std::int64_t value) { return static_cast<std::uint64_t>(value); }

/// Memory of a stack of m x n matrices: `turned` has their columns one after the other, and becomes R; `vectors` those
/// of reflections, `triangles` the triangles of wide panels.
struct Reflected {
  std::int64_t matrices, m, n, pivots;
  runtime::BufferRef turned, vectors, triangles;

  std::int64_t step() const { return m * n; }
  std::int64_t vector_step() const { return m * pivots; }
  std::int64_t triangle_step() const {
    return static_cast<std::int64_t>(blocks_over(pivots, wide_columns)) * wide_columns * wide_columns;
  }
};

/// What factorises a narrow panel.
struct Panel {
  runtime::KernelRef kernel;
  std::size_t items = 0;
  Spread spread;
};

Panel prepare_panel(Programs& programs, runtime::Queue& queue, DType type, std::int64_t matrices, std::int64_t rows) {
  const Spread spread = spread_over(programs, queue, type, matrices, rows);
  if (spread.rows == 0) {
    const PanelSpec spec = panel_spec(type, rows);
    return {programs.kernel_of_file("qr_panel", spec, "qr_panel"), number(spec.group), spread};
  }
  return {programs.kernel_of_file("qr_spread", SpreadSpec{type, spread.rows, Warps(queue.traits())}, "qr_spread"),
          Spread::items, spread};
}

/// The kernels of a wide panel.
class WidePanels {
 public:
  WidePanels(Programs& programs, runtime::Queue& queue, DType type, const Reflected& shape)
      : queue_(queue),
        size_(size_of(type)),
        updates_(programs, queue, type),
        dots_(factor_kernel(programs, queue, "qr_blocks", type, "qr_dots")),
        join_(factor_kernel(programs, queue, "qr_blocks", type, "qr_join")),
        widen_(factor_kernel(programs, queue, "qr_blocks", type, "qr_widen")) {
    for (std::int64_t first = 0; first < shape.pivots; first += panel_columns) {
      panels_.push_back(prepare_panel(programs, queue, type, shape.matrices, shape.m - first));
    }
  }

  /// The reflections of columns `first` to `last`.
  void factorise(const Reflected& x, std::int64_t first, std::int64_t last) const {
    for (std::int64_t narrow = first; narrow < last; narrow += panel_columns) {
      reflect(x, first, narrow, std::min(narrow + panel_columns, last));
      if (last - first > panel_columns) share(x, first, narrow, std::min(narrow + panel_columns, last), last);
    }
    if (last - first <= panel_columns) return;
    parameters::kn_qr_blocks d = parameters_of(x, first, first, last, last);
    d.others = number(last - first);
    runtime::Launch launch(queue_, widen_);
    launch.out(*x.triangles).value(d).run({number(x.matrices) * group_size}, {group_size});
  }

 private:
  static parameters::kn_qr_blocks parameters_of(const Reflected& x, std::int64_t first, std::int64_t narrow,
                                                std::int64_t end, std::int64_t last) {
    constexpr std::int64_t chunk = 128, most_parts = 32;
    const std::int64_t rows = x.m - narrow;
    const std::int64_t each =
        std::max<std::int64_t>(chunk, static_cast<std::int64_t>(blocks_over(rows, most_parts * chunk)) * chunk);
    return {number(rows),
            number(end - narrow),
            number(narrow - first),
            number(last - first - (end - narrow)),
            number(x.m),
            number(first * x.m + narrow),
            number(x.step()),
            number(first * x.m + narrow),
            number(narrow * x.m + narrow),
            number(x.vector_step()),
            blocks_over(rows, each),
            number(each),
            number(first * wide_columns),
            number(wide_columns),
            number(x.triangle_step())};
  }

  void reflect(const Reflected& x, std::int64_t first, std::int64_t narrow, std::int64_t end) const {
    const Panel& panel = panels_[number(narrow / panel_columns)];
    const auto [words, when] = panel.spread.told(queue_, *x.turned);
    runtime::Launch launch(queue_, panel.kernel);
    launch.out(*x.turned).out(*x.vectors).out(*x.triangles);
    if (panel.spread.rows > 0) launch.out(words);
    launch.value(parameters::kn_qr_panel{number(x.m - narrow), number(end - narrow), number(narrow * x.m + narrow),
                                         number(x.m), number(x.step()), number(x.vector_step()),
                                         number(first * wide_columns + (narrow - first) * (wide_columns + 1)),
                                         number(wide_columns), number(x.triangle_step()), panel.spread.groups, when});
    launch.run({number(x.matrices) * panel.spread.groups * panel.items}, {panel.items});
  }

  /// What a narrow panel has to do with the other columns.
  void share(const Reflected& x, std::int64_t first, std::int64_t narrow, std::int64_t end, std::int64_t last) const {
    constexpr std::int64_t columns_of_join = 8;
    const parameters::kn_qr_blocks d = parameters_of(x, first, narrow, end, last);
    const std::int64_t others = last - first - (end - narrow), behind = last - end, width = end - narrow;
    const runtime::BufferRef dots =
                                 queue_.allocate(number(x.matrices) * d.parts * d.others * panel_columns * size_, "qr"),
                             turned = queue_.allocate(number(x.matrices * behind * width) * size_, "qr");
    {
      runtime::Launch launch(queue_, dots_);
      launch.in(*x.turned).in(*x.vectors).out(*dots).value(d);
      launch.run({number(x.matrices) * d.parts * blocks_over(others, panel_columns) * group_size}, {group_size});
    }
    {
      runtime::Launch launch(queue_, join_);
      launch.in(*dots).out(*x.triangles).out(*turned).value(d);
      launch.run({number(x.matrices) * blocks_over(others, columns_of_join) * group_size}, {group_size});
    }
    updates_.update({*turned, 0, width, 1, behind * width},
                    {*x.vectors, narrow * x.m + narrow, x.m, 1, x.vector_step()},
                    {*x.turned, end * x.m + narrow, x.m, 1, x.step()}, x.matrices, behind, x.m - narrow, width);
  }

  runtime::Queue& queue_;
  std::size_t size_;
  BlockKernels updates_;
  runtime::KernelRef dots_, join_, widen_;
  std::vector<Panel> panels_;
};

/// A product and what it is taken times a triangle, and with vectors from a part of a matrix.
struct Applied {
  MatmulWork dots, joined;
  DeepUpdate update;
  std::int64_t width, others;
};

/// Of a part C of a matrix, `others` columns wide, from whose left a wide panel's reflections are taken: C becomes
/// C - V (T (V^T C)). Where they are taken from the right, the rows of C are the columns of this part, and the products
/// are the same with rows and columns exchanged: C becomes C - ((C V) T) V^T.
Applied prepare_applied(Programs& programs, runtime::Queue& queue, DType type, const Reflected& x, std::int64_t first,
                        std::int64_t last, bool from_left, const MatmulOperand& part, std::int64_t others) {
  const std::int64_t width = last - first, rows = x.m - first;
  const auto turned = [](MatmulOperand operand) {
    std::swap(operand.row_stride, operand.column_stride);
    return operand;
  };
  const auto problem = [&](std::int64_t m, std::int64_t n, std::int64_t k, const MatmulOperand& a,
                           const MatmulOperand& b) {
    MatmulProblem p;
    p.dtype = type;
    p.batch = {x.matrices};
    p.k = k;
    std::tie(p.m, p.n) = from_left ? std::tuple(m, n) : std::tuple(n, m);
    p.a = from_left ? a : turned(b);
    p.b = from_left ? b : turned(a);
    return p;
  };
  const MatmulOperand vectors{first * x.m + first, 1, x.m, {x.vector_step()}};
  // From the right T stands behind, and is not turned; and so the products of vectors lie in rows of the panel's width.
  const MatmulOperand triangle{first * wide_columns, wide_columns, 1, {x.triangle_step()}};
  const MatmulOperand dots =
      from_left ? MatmulOperand{0, others, 1, {width * others}} : MatmulOperand{0, 1, width, {width * others}};
  return {
      prepare_product(programs, queue, problem(width, others, rows, turned(vectors), part)),
      prepare_product(programs, queue, problem(width, others, width, from_left ? triangle : turned(triangle), dots)),
      DeepUpdate(programs, queue, problem(rows, others, width, vectors, dots)), width, others};
}

}  // namespace

std::function<void(const runtime::Buffer&, const runtime::Buffer&)> prepare_qr_blocks(Programs& programs,
                                                                                      runtime::Queue& queue,
                                                                                      const graph::Node& node) {
  const Stack stack(*node.inputs[0]);
  const std::int64_t columns = node.get<graph::Op::qr>().columns;
  const Reflected shape{stack.matrices, stack.m, stack.n, std::min(stack.m, stack.n), nullptr, nullptr, nullptr};
  const auto kernels = std::make_shared<WidePanels>(programs, queue, node.dtype, shape);
  const runtime::KernelRef eye = factor_kernel(programs, queue, "qr_blocks", node.dtype, "qr_eye");
  const Turn turn = prepare_turn(programs, queue, node.dtype);
  std::vector<Applied> behind, in_q;
  for (std::int64_t first = 0; first < shape.pivots; first += wide_columns) {
    const std::int64_t last = std::min(first + wide_columns, shape.pivots);
    const auto prepare = [&](bool from_left, const MatmulOperand& part, std::int64_t others) {
      return prepare_applied(programs, queue, node.dtype, shape, first, last, from_left, part, others);
    };
    // The columns behind are rows of `turned`.
    const MatmulOperand rest{last * shape.m + first, 1, shape.m, {shape.step()}};
    const MatmulOperand of_q{first * columns + first, columns, 1, {shape.m * columns}};
    if (last < shape.n) behind.push_back(prepare(false, rest, shape.n - last));
    in_q.push_back(prepare(true, of_q, columns - first));
  }
  return [=, &queue, &node](const runtime::Buffer& q, const runtime::Buffer& r) {
    const graph::Node& input = *node.inputs[0];
    const std::size_t size = size_of(node.dtype);
    const auto allocate = [&](std::int64_t each) { return queue.allocate(number(shape.matrices * each) * size, "qr"); };
    const auto zeros = [&](std::int64_t each) {
      runtime::BufferRef memory = allocate(each);
      queue.fill_zero(*memory, 0, number(shape.matrices * each) * size, "qr");
      return memory;
    };
    Reflected x = shape;
    x.turned = allocate(x.step());
    x.vectors = zeros(x.vector_step());
    x.triangles = zeros(x.triangle_step());
    turn(*input.storage, *x.turned, x.matrices, {input.layout.offset, x.m, x.n, x.n, x.step()});
    const auto apply = [&](const Applied& a, const runtime::Buffer& to, bool from_left, const StackPart& part) {
      const runtime::BufferRef dots = allocate(a.width * a.others), joined = allocate(a.width * a.others);
      const runtime::Buffer &v = *x.vectors, &t = *x.triangles;
      from_left ? a.dots({v, to, *dots}) : a.dots({to, v, *dots});
      from_left ? a.joined({t, *dots, *joined}) : a.joined({*dots, t, *joined});
      from_left ? a.update.run(v, *joined, part, "qr") : a.update.run(*joined, v, part, "qr");
    };
    for (std::int64_t first = 0; first < x.pivots; first += wide_columns) {
      const std::int64_t last = std::min(first + wide_columns, x.pivots);
      kernels->factorise(x, first, last);
      if (last == x.n) continue;
      apply(behind[number(first / wide_columns)], *x.turned, false, {*x.turned, last * x.m + first, x.m, 1, x.step()});
    }
    turn(*x.turned, r, x.matrices, {0, x.n, columns, x.m, x.step(), true});
    {
      runtime::Launch launch(queue, eye);
      launch.out(q).value(parameters::kn_qr_eye{number(x.m), number(columns)});
      launch.run({number(x.matrices * x.m) * blocks_over(columns, group_size) * group_size}, {group_size});
    }
    for (std::size_t i = in_q.size(); i-- > 0;) {
      const std::int64_t first = static_cast<std::int64_t>(i) * wide_columns;
      apply(in_q[i], q, true, {q, first * columns + first, columns, 1, x.m * columns});
    }
  };
}

}  // namespace koine::exec
