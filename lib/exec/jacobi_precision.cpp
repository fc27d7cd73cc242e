// SPDX-License-Identifier: Apache-2.0
// Launching kernels/jacobi_precision.cl.
#include "exec/jacobi_precision.hpp"

#include "exec/kernel_run.hpp"
#include "graph/infer.hpp"
#include "runtime/launch.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace koine::exec {
namespace {

// Rows of a tile of a product of complex matrices, and the work-items that compute it.
constexpr std::uint64_t tile_rows = 32, tile_group = 64;
// Sweeps in float64 cost little beside products of such matrices, of which there are many. No row of tuning: the two
// ways round differently.
constexpr std::uint64_t few_rows = 64;
// Turns at once double the digits, so few of them do, or more would not.
constexpr int most_turns = 7;
// Sums of tangents whose squares are rounding.
constexpr float nothing = 0x1p-27F;

struct PrecisionSpec {
  DType type;

  template <class Visit>
  void visit(Visit& v) const {
    v.define("KN_COMPLEX", is_complex(type));
  }
};

std::uint64_t real_bytes(DType type) { return size_of(graph::real_part(type)); }

}  // namespace

JacobiPrecision::JacobiPrecision(Programs& programs, runtime::Queue& queue, DType type, std::uint64_t rows,
                                 const std::vector<std::uint64_t>& stacks, std::string_view function)
    : queue_(queue), type_(type), rows_(rows), function_(function) {
  const auto kernel = [&](std::string_view entry) {
    return programs.kernel_of_file("jacobi_precision", PrecisionSpec{type}, entry);
  };
  narrow_ = kernel("jacobi_narrow");
  widen_ = kernel("jacobi_widen");
  as_orthonormal_ = kernel("jacobi_as_orthonormal");
  tangents_ = kernel("jacobi_tangents");
  damp_ = kernel("jacobi_damp");
  turn_at_once_ = kernel("jacobi_turn_at_once");
  if (is_complex(type)) {
    multiply_ = kernel("jacobi_multiply");
    return;
  }
  const auto n = static_cast<std::int64_t>(rows);
  for (const std::uint64_t count : stacks) {
    MatmulProblem p;
    p.dtype = type;
    p.m = p.n = p.k = n;
    p.batch = {static_cast<std::int64_t>(count)};
    p.a = p.b = {0, n, 1, {n * n}};
    plain_[count] = prepare_product(programs, queue, p);
    p.b = {0, 1, n, {n * n}};
    adjoint_[count] = prepare_product(programs, queue, p);
  }
}

runtime::BufferRef JacobiPrecision::allocate(std::uint64_t count) const {
  return queue_.allocate(count * rows_ * rows_ * size_of(type_), function_);
}

void JacobiPrecision::multiply(std::uint64_t count, const runtime::Buffer& a, const runtime::Buffer& b,
                               runtime::Buffer& to, Side side) const {
  if (!multiply_) return (side == Side::adjoint ? adjoint_ : plain_).at(count)({a, b, to});
  const std::uint64_t tiles = rows_ / tile_rows;
  runtime::Launch launch(queue_, multiply_);
  launch.in(a).in(b).out(to).value(rows_).value(std::uint32_t{side == Side::adjoint});
  launch.run({count * tiles * tiles * tile_group}, {tile_group});
}

void JacobiPrecision::turn_in_single(const Stage& stage, std::uint64_t count, const runtime::Buffer& values,
                                     const runtime::Buffer& limits, const Single& single,
                                     const runtime::Buffer& turns) const {
  const std::uint64_t items = count * rows_ * group_size;
  {
    runtime::Launch launch(queue_, narrow_);
    launch.in(values).in(limits).out(*single.values).out(*single.turns).out(*single.limits).value(rows_);
    launch.value(stage.limit).value(stage.last).run({items}, {group_size});
  }
  single.sweep(stage.sweeps);
  runtime::Launch launch(queue_, widen_);
  launch.in(*single.turns).out(turns).value(rows_).run({items}, {group_size});
}

JacobiPrecision::Turned JacobiPrecision::turn(const Matrices& matrices, const Single& single) const {
  const std::uint64_t count = matrices.count, all_rows = count * rows_, items = all_rows * group_size;
  const runtime::Buffer& limits = *matrices.limits;
  runtime::BufferRef turns = matrices.room ? matrices.room : allocate(count), next = allocate(count);
  const runtime::BufferRef values = allocate(count), gram = allocate(count), product = allocate(count),
                           sums = queue_.allocate(all_rows * real_bytes(type_), function_),
                           most = queue_.allocate(count * sizeof(std::uint32_t), function_);
  const auto turn_turns = [&](const runtime::Buffer& by) {
    multiply(count, by, *turns, *next, Side::plain);
    std::swap(turns, next);
  };
  const auto take_products = [&] {
    multiply(count, *turns, *matrices.values, *product, Side::plain);
    multiply(count, *product, *turns, *next, Side::adjoint);
    multiply(count, *turns, *turns, *gram, Side::adjoint);
    runtime::Launch launch(queue_, as_orthonormal_);
    launch.in(*next).in(*gram).out(*values).value(rows_).run({items}, {group_size});
  };
  const auto turn_at_once = [&](bool by_tangents) {
    runtime::Launch launch(queue_, turn_at_once_);
    launch.out(*gram).in(*product).in(*next).value(rows_).value(std::uint32_t{by_tangents}).run({items}, {group_size});
  };

  const auto tangents_at_once = [&] {
    queue_.fill_zero(*most, 0, most->size(), function_);
    {
      runtime::Launch launch(queue_, tangents_);
      launch.in(*values).in(*gram).in(limits).out(*product).out(*sums).out(*most).value(rows_);
      launch.run({items}, {group_size});
    }
    runtime::Launch launch(queue_, damp_);
    launch.out(*product).in(*sums).value(rows_).run({items}, {group_size});
  };

  // Float32 turns what is above its own epsilon, until the matrix is nearly diagonal; ...
  turn_in_single({0x1p29F, 0x1p42F, 5}, count, *matrices.values, limits, single, *turns);
  if (rows_ > few_rows) {
    // ... and, from a matrix without the rounding of these turns, what is too much for turns at once.
    take_products();
    turn_in_single({0x1p20F, 0x1p34F, 1}, count, *values, limits, single, *product);
    turn_turns(*product);
    std::vector<std::uint32_t> largest(count);
    float before = 0;
    for (int turn = 0; turn < most_turns; ++turn) {
      take_products();
      tangents_at_once();
      multiply(count, *product, *product, *next, Side::plain);
      turn_at_once(true);
      turn_turns(*gram);
      queue_.peek(*most, 0, largest.data(), most->size(), function_);
      const float now = std::bit_cast<float>(*std::ranges::max_element(largest));
      if (now < nothing) return {values, turns, true};
      // Some eigenvalues are too close, or were not known to be equal in the first turns.
      if (turn > 1 && now > 0.75F * before) break;
      before = now;
    }
  }
  // What the vectors lack beside orthonormal ones vanishes.
  for (int pass = rows_ > few_rows ? 0 : 1; pass < 3; ++pass) {
    multiply(count, *turns, *turns, *gram, Side::adjoint);
    turn_at_once(false);
    turn_turns(*gram);
  }
  take_products();
  return {values, turns, false};
}

}  // namespace koine::exec
