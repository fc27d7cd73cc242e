// SPDX-License-Identifier: Apache-2.0
// Several reductions of one pending expression over the same axes: one kernel may have them all.
#include "families.hpp"
#include "resolution.hpp"
#include "so_far.hpp"

namespace koine::fuzz {
namespace {

class Folding : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    Call::Source source = real(1, lengthened(1, x(step_.a), step_.p[5]));
    if (face(source).shape.elements() == 0) return {};
    if (step_.p[4] & 3) {
      const Weak scalar = updating(Weak{step_.p[4] & 4 ? Weak::real : Weak::integer, 3, 0.75}, face(source).type);
      source = applied(1, step_.p[4] & 8 ? "multiply" : "add", {source, scalar}, face(source));
    }
    const auto axes = static_cast<std::int64_t>(face(source).shape.size());
    choose_axes(step_.p[1], axes, step_.p[2] & 1);
    call_.keepdims = step_.p[2] & 2;
    reduce(0, step_.p[0], source);
    reduce(2, step_.p[0] / 16u, source);
    const auto kind = kind_of(step_.p[3]);
    call_.kind = Kind::reduce;
    call_.which = static_cast<std::size_t>(kind);
    put({source});
    return std::move(calls_);
  }

 private:
  static Reduction kind_of(std::size_t byte) {
    using enum Reduction;
    constexpr Reduction kinds[] = {sum, max, min, mean, count_nonzero, prod, any, var};
    return kinds[byte % std::size(kinds)];
  }

  void reduce(std::size_t slot, std::size_t byte, Call::Source source) {
    const Reduction kind = kind_of(byte);
    Call call = call_;
    call.kind = Kind::reduce;
    call.which = static_cast<std::size_t>(kind);
    call.sources = {source};
    const Face its = face(source);
    Face gives{its.type, {}};
    reduced_lines(call, its.shape, &gives.shape);
    const bool floats = kind == Reduction::mean || kind == Reduction::var;
    if (floats && is_integer(its.type)) gives.type = float32;
    if (kind == Reduction::sum || kind == Reduction::prod) gives.type = counting_type(its.type);
    if (kind == Reduction::count_nonzero) gives.type = int64;
    if (kind == Reduction::any) gives.type = bool_;
    spare(slot, std::move(call), gives);
  }
};

}  // namespace

const Family folding = {resolved<Folding>};

}  // namespace koine::fuzz
