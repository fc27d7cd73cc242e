// SPDX-License-Identifier: Apache-2.0
// Launching kernels/jacobi.cl.
#include "exec/jacobi.hpp"

#include "base/rounding.hpp"
#include "exec/kernel_parameters.hpp"
#include "exec/kernel_run.hpp"
#include "graph/infer.hpp"
#include "runtime/launch.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace koine::exec {
namespace {

// Lanes of a sum, which decide its order; what a row takes is a multiple of it.
constexpr std::uint64_t lanes = 16;
// What every device has for a group, less what the sums of 256 work-items take.
constexpr std::uint64_t local_bytes = 32768;

struct JacobiSpec {
  DType type;
  bool cpu, local;

  template <class Visit>
  void visit(Visit& v) const {
    v.define("KN_DOUBLE", size_of(graph::real_part(type)) == 8);
    v.define("KN_COMPLEX", is_complex(type));
    v.define("KN_CPU", cpu);
    v.define("KN_LOCAL", local);
  }
};

/// Rows are multiples of `lanes`.
std::uint64_t row_of(std::uint64_t elements) { return base::round_up(elements, lanes); }

std::uint64_t parts_of(const SpectraProblem& p) { return is_complex(p.type) ? 2 : 1; }

std::uint64_t turns_of(const SpectraProblem& p) { return p.hermitian || p.vectors ? row_of(p.rows) : 0; }

/// Real numbers that a matrix takes while it is worked on.
std::uint64_t room_of(const SpectraProblem& p) {
  const std::uint64_t parts = parts_of(p), row = row_of(p.columns), turns = turns_of(p);
  return parts * (p.kept * row + p.rows * turns) + (p.hermitian ? 2 * turns : (2 + parts) * p.kept + row);
}

}  // namespace

bool Jacobi::is_local(const runtime::Queue& queue, const SpectraProblem& problem) {
  const std::uint64_t real = size_of(graph::real_part(problem.type));
  return !queue.traits().cpu_loops() &&
         room_of(problem) * real + (2 + parts_of(problem)) * group_size * real <= local_bytes;
}

Jacobi::Jacobi(Programs& programs, runtime::Queue& queue, const SpectraProblem& problem)
    : queue_(queue),
      problem_(problem),
      local_(is_local(queue, problem)),
      row_(row_of(problem.columns)),
      turns_(turns_of(problem)),
      room_(room_of(problem)) {
  kernel_ = programs.kernel_of_file("jacobi", JacobiSpec{problem.type, queue.traits().cpu_loops(), local_},
                                    problem.hermitian ? "jacobi_eigh" : "jacobi_svd");
}

void Jacobi::run(const SpectraMemory& memory, std::shared_ptr<runtime::Fault> fault) const {
  const SpectraProblem& p = problem_;
  const std::uint64_t units = queue_.traits().compute_units, bytes = size_of(graph::real_part(p.type));
  const bool cpu = queue_.traits().cpu_loops();
  // Rooms in global memory are as many as groups.
  const std::uint64_t groups = cpu      ? std::min(p.batch, units)
                               : local_ ? p.batch
                                        : std::min(p.batch, groups_at_once(queue_.traits()));
  runtime::BufferRef room;
  if (!local_) room = queue_.allocate(groups * room_ * bytes, p.function);
  const parameters::kn_jacobi d{.batch = p.batch,
                                .rows = p.rows,
                                .columns = p.columns,
                                .offset = memory.offset,
                                .kept = p.kept,
                                .row = row_,
                                .turns = turns_,
                                .room = room_,
                                .vectors = p.vectors,
                                .sweeps = most_sweeps()};
  const auto or_values = [&](const runtime::BufferRef& buffer) -> const runtime::Buffer& {
    return buffer ? *buffer : *memory.values;
  };
  runtime::Launch launch(queue_, kernel_);
  launch.in(memory.from).out(*memory.values);
  if (!p.hermitian) launch.out(or_values(memory.left));
  launch.out(or_values(memory.right));
  local_ ? launch.local(room_ * bytes) : launch.out(*room);
  launch.fault(std::move(fault)).value(d);
  if (cpu) return launch.run({groups}, {1});
  // Few sizes of groups: drivers of CPUs compile for each.
  const std::uint64_t pairs = std::bit_ceil(std::clamp<std::uint64_t>((p.rows + 1) / 2, 2, group_size / lanes));
  const std::uint64_t local = std::min<std::uint64_t>(pairs * lanes, kernel_->max_group() / lanes * lanes);
  launch.run({groups * local}, {local});
}

}  // namespace koine::exec
