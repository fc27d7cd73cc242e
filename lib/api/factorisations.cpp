// SPDX-License-Identifier: Apache-2.0
// Cutting factorisations into those of at most `block` columns, for which there are kernels, and products.
#include "api/factorisations.hpp"

#include "api/build.hpp"
#include "api/choices.hpp"
#include "api/matrices.hpp"
#include "exec/factor_blocks.hpp"
#include "exec/factor_host.hpp"
#include "exec/small_factors.hpp"

#include <koine/creation.hpp>
#include <koine/elementwise.hpp>
#include <koine/indexing.hpp>
#include <koine/linalg.hpp>
#include <koine/manipulation.hpp>
#include <koine/matmul_precision.hpp>
#include <koine/types.hpp>

#include <algorithm>
#include <limits>

namespace koine::api {
namespace {

// Columns that kernels take: KN_BLOCK and KN_PANEL. Changing them changes results, and so does how many columns are
// reflected at once in what is left.
constexpr std::int64_t block = 64, panel = 32, wide_panel = 128;

bool by_lapack(const Array& x) {
  return exec::factors_on_host(chosen_place(x.node()->place), std::max(x.shape(-2), x.shape(-1)));
}

/// The most columns that are not cut.
std::int64_t most_columns(const Array& x, bool in_blocks) {
  return in_blocks || by_lapack(x) ? std::numeric_limits<std::int64_t>::max() : block;
}
std::int64_t most_columns(const Array& x) {
  return most_columns(x, exec::factors_in_blocks(chosen_place(x.node()->place), x.dtype()));
}

/// The first of two parts: blocks, about a half.
std::int64_t half_of(std::int64_t size) { return ((size + 1) / 2 + block - 1) / block * block; }

/// Rows and columns of each matrix, from the first to before the last ones.
Array part(const Array& x, std::int64_t first_row, std::int64_t last_row, std::int64_t first_column,
           std::int64_t last_column) {
  return x(ellipsis, slice(first_row, last_row), slice(first_column, last_column));
}
Array rows_of(const Array& x, std::int64_t first, std::int64_t last) { return part(x, first, last, 0, x.shape(-1)); }
Array columns_of(const Array& x, std::int64_t first, std::int64_t last) { return part(x, 0, x.shape(-2), first, last); }

Shape matrices_like(const Array& x, std::int64_t rows, std::int64_t columns) {
  Shape shape = x.shape();
  shape[shape.size() - 2] = rows;
  shape[shape.size() - 1] = columns;
  return shape;
}
Array zeros_like(const Array& x, std::int64_t rows, std::int64_t columns) {
  return broadcast_to(zeros({}, {.dtype = x.dtype(), .device = x.device()}), matrices_like(x, rows, columns));
}
Array eye_like(const Array& x, std::int64_t rows, std::int64_t columns) {
  return broadcast_to(eye(rows, columns, {.dtype = x.dtype(), .device = x.device()}), matrices_like(x, rows, columns));
}

/// In full precision, whatever is chosen for other products.
Array product(const Array& x1, const Array& x2) { return matmul(x1, x2, {.precision = "float32"}); }

Array beside(const Array& left, const Array& right) { return concat({left, right}, -1); }
Array above(const Array& top, const Array& bottom) { return concat({top, bottom}, -2); }

}  // namespace

Array cholesky_factor(const Array& x, std::int64_t first) {
  const std::int64_t n = x.shape(-1);
  if (x.size() == 0) return zeros_like(x, n, n);
  if (n <= most_columns(x)) {
    return pending(graph::Op::cholesky, x.dtype(), x.shape(), {in_order(x.node())},
                   graph::make_attributes<graph::Op::cholesky>({first}));
  }
  const std::int64_t h = half_of(n);
  const Array l11 = cholesky_factor(part(x, 0, h, 0, h), first);
  const Array u12 = solved_triangle(l11, adjoint(part(x, h, n, 0, h)), {.function = "cholesky"}, first);
  const Array l21 = adjoint(u12);
  const Array l22 = cholesky_factor(part(x, h, n, h, n) - product(l21, u12), first + h);
  return above(beside(l11, zeros_like(x, h, n - h)), beside(l21, l22));
}

Array rows_in(const Array& x, const Array& order) {
  return take_along_axis(x, broadcast_to(expand_dims(order, -1), x.shape()), -2);
}

LuFactors lu_factors(const Array& x) {
  const std::int64_t m = x.shape(-2), n = x.shape(-1);
  const std::int64_t most = most_columns(x, exec::panels_in_blocks(chosen_place(x.node()->place), x.dtype(), m));
  if (x.size() == 0) {
    Shape rows = x.shape();
    rows.erase(rows.size() - 1);
    Shape stack = rows;
    stack.erase(stack.size() - 1);
    return {zeros_like(x, m, n), broadcast_to(arange(m, {.dtype = int64, .device = x.device()}), rows),
            zeros(stack, {.dtype = int64, .device = x.device()})};
  }
  const std::int64_t pivots = std::min(m, n), h = pivots > most ? half_of(pivots) : pivots;
  if (h == n || n <= most) {
    const std::vector<Array> all = results_of<graph::Op::lu>(x, {});
    return {all[0], all[1], all[2]};
  }
  const LuFactors left = lu_factors(columns_of(x, 0, h));
  const Array right = rows_in(columns_of(x, h, n), left.order), l11 = rows_of(left.factors, 0, h);
  const Array u12 = solved_triangle(l11, rows_of(right, 0, h), {.unit = true});
  if (h == m) return {beside(left.factors, u12), left.order, left.exchanges};
  const Array l21 = rows_of(left.factors, h, m);
  const LuFactors rest = lu_factors(rows_of(right, h, m) - product(l21, u12));
  const auto lower = left.order(ellipsis, slice(h, m));
  return {above(beside(l11, u12), beside(rows_in(l21, rest.order), rest.factors)),
          concat({left.order(ellipsis, slice(0, h)), take_along_axis(lower, rest.order, -1)}, -1),
          left.exchanges + rest.exchanges};
}

Array solved_triangle(const Array& a, const Array& b, const Triangle& triangle, std::int64_t first) {
  const std::int64_t n = b.shape(-2), k = b.shape(-1);
  if (b.size() == 0) return zeros_like(b, n, k);
  if (n <= most_columns(a)) {
    const graph::TriangularInfo info{triangle.upper, triangle.unit, triangle.function, first};
    return pending(graph::Op::solve_triangular, b.dtype(), b.shape(), {in_order(a.node()), in_order(b.node())},
                   graph::make_attributes<graph::Op::solve_triangular>(info));
  }
  const std::int64_t h = half_of(n);
  const Array a11 = part(a, 0, h, 0, h), a22 = part(a, h, n, h, n), b1 = rows_of(b, 0, h), b2 = rows_of(b, h, n);
  if (triangle.upper) {
    const Array x2 = solved_triangle(a22, b2, triangle, first + h);
    return above(solved_triangle(a11, b1 - product(part(a, 0, h, h, n), x2), triangle, first), x2);
  }
  const Array x1 = solved_triangle(a11, b1, triangle, first);
  return above(x1, solved_triangle(a22, b2 - product(part(a, h, n, 0, h), x1), triangle, first + h));
}

Array triangles_for(const Array& matrices, const Array& right) {
  const std::int64_t n = matrices.shape(-1);
  if (matrices.size() == n * n) return reshape(matrices, {n, n});
  return broadcast_to(matrices, matrices_like(right, n, n));
}

namespace {

/// Whether equations with so many right sides are a step of their own.
bool solves_as_whole(const Array& matrices, std::int64_t columns) {
  if (matrices.size() == 0 || columns == 0) return false;
  const std::int64_t n = matrices.shape(-1);
  return by_lapack(matrices) ||
         exec::fits_small_groups(chosen_place(matrices.node()->place), matrices.dtype(), n, n + columns);
}

/// X of matrices X = right sides, or their inverses where there are none.
Array solved_as_whole(std::initializer_list<graph::NodeRef> inputs, const Shape& shape, const char* function) {
  return pending(graph::Op::solve, (*inputs.begin())->dtype, shape, inputs,
                 graph::make_attributes<graph::Op::solve>({function}));
}

}  // namespace

Array solved(const Array& matrices, const Array& right, const char* function) {
  // One matrix for many right sides is factorised once.
  if (solves_as_whole(matrices, right.shape(-1)) &&
      matrices.shape() == matrices_like(right, matrices.shape(-1), matrices.shape(-1))) {
    return solved_as_whole({in_order(matrices.node()), in_order(right.node())}, right.shape(), function);
  }
  const LuFactors lu = lu_factors(matrices);
  const Array triangles = triangles_for(lu.factors, right);
  const Array between = solved_triangle(triangles, rows_in(right, lu.order), {.unit = true});
  return solved_triangle(triangles, between, {.upper = true, .function = function});
}

Array inverses(const Array& matrices, const char* function) {
  if (solves_as_whole(matrices, matrices.shape(-1)))
    return solved_as_whole({in_order(matrices.node())}, matrices.shape(), function);
  return solved(matrices, eye_like(matrices, matrices.shape(-1), matrices.shape(-1)), function);
}

namespace {

/// I - V T V^H, by whose adjoint a matrix becomes R above zeros.
struct Reflections {
  Array v, t, r;
  /// The adjoint times x.
  Array of(const Array& x) const { return x - product(v, product(adjoint(t), product(adjoint(v), x))); }
};

/// Those of x, which has no fewer rows than columns, out of those of panels.
Reflections reflections_of(const Array& x) {
  const std::int64_t m = x.shape(-2), n = x.shape(-1);
  if (n <= panel) {
    const std::vector<Array> made = results_of<graph::Op::householder>(x, {});
    return {made[0], made[1], made[2]};
  }
  const std::int64_t h = ((n + 1) / 2 + panel - 1) / panel * panel;
  const Reflections left = reflections_of(columns_of(x, 0, h));
  const Array others = left.of(columns_of(x, h, n));
  const Reflections right = reflections_of(rows_of(others, h, m));
  const Array between = product(product(adjoint(rows_of(left.v, h, m)), right.v), right.t);
  const Array below = zeros_like(x, n - h, h);
  return {beside(left.v, above(zeros_like(x, h, n - h), right.v)),
          above(beside(left.t, -product(left.t, between)), beside(below, right.t)),
          above(beside(left.r, rows_of(others, 0, h)), beside(below, right.r))};
}

}  // namespace

QrFactors qr_factors(const Array& x, bool complete) {
  const std::int64_t m = x.shape(-2), n = x.shape(-1), k = std::min(m, n), columns = complete ? m : k;
  if (x.size() == 0) return {eye_like(x, m, columns), zeros_like(x, columns, n)};
  const graph::Place place = chosen_place(x.node()->place);
  if (by_lapack(x) || exec::reflects_in_small_groups(place, x.dtype(), m, n) ||
      exec::panels_in_blocks(place, x.dtype(), m)) {
    const std::vector<Array> factors = results_of<graph::Op::qr>(x, {columns});
    return {factors[0], factors[1]};
  }
  std::vector<Reflections> all;
  std::vector<Array> rows;  // of R
  Array left = x;           // from row and column `first` on
  for (std::int64_t first = 0; first < k; first += wide_panel) {
    const std::int64_t count = std::min(wide_panel, k - first);
    all.push_back(reflections_of(columns_of(left, 0, count)));
    Array top = all.back().r;
    if (first + count < n) {
      const Array turned = all.back().of(columns_of(left, count, n - first));
      top = beside(top, rows_of(turned, 0, count));
      left = rows_of(turned, count, m - first);
    }
    rows.push_back(first == 0 ? top : beside(zeros_like(x, count, first), top));
  }
  if (columns > k) rows.push_back(zeros_like(x, columns - k, n));
  Array q;
  for (std::size_t i = all.size(); i-- > 0;) {
    const Reflections& each = all[i];
    const std::int64_t first = static_cast<std::int64_t>(i) * wide_panel, count = each.v.shape(-1);
    const bool last = i + 1 == all.size();
    q = last ? eye_like(x, m - first, columns - first)
             : above(eye_like(x, count, columns - first), beside(zeros_like(x, m - first - count, count), q));
    q = q - product(each.v, product(each.t, product(adjoint(each.v), q)));
  }
  return {q, rows.size() == 1 ? rows[0] : concat(rows, -2)};
}

}  // namespace koine::api
