// SPDX-License-Identifier: Apache-2.0
// Matrix products of which one side is thin, the depth is large, or of which there are many: kinds of shapes that have
// kernels of their own, and that arrays which happen to fit together seldom have.
#include <algorithm>

#include "families.hpp"
#include "resolution.hpp"

namespace koine::fuzz {
namespace {

class Thinning : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    constexpr std::int64_t narrow[] = {1, 2, 3, 5, 8, 9, 17, 31, 32, 33}, wide[] = {1, 4, 64, 101, 257, 700},
                           depths[] = {1, 2, 8, 15, 64, 101, 997, 3000}, many[] = {0, 0, 0, 3, 60};
    constexpr std::int64_t most_work = 1 << 21;
    std::int64_t m = narrow[step_.p[0] % std::size(narrow)], n = wide[step_.p[1] % std::size(wide)],
                 k = depths[step_.p[2] % std::size(depths)];
    const std::int64_t batch = many[step_.p[5] % std::size(many)], products = std::max<std::int64_t>(batch, 1);
    if (step_.p[3] & 1) std::swap(m, n);
    if (products * m * n > most_elements) n = 1;
    k = std::clamp<std::int64_t>(most_work / (products * m * n), 1, k);
    k = std::min(k, most_elements / (products * std::max(m, n)));
    // One product in eight is of nothing, or comes to nothing.
    constexpr int one_in = 8;
    if (step_.p[3] / 32 == one_in - 1) (step_.p[0] % 3 == 0 ? m : step_.p[0] % 3 == 1 ? n : k) = 0;
    type_ = type(step_.p[4]);
    if (is_bool(type_)) type_ = int32;
    const Call::Source left = operand(0, step_.a, batch, {m, k}, step_.p[3] & 2),
                       right = operand(1, step_.b, step_.p[3] & 16 ? 0 : batch, {k, n}, step_.p[3] & 4);
    call_.kind = Kind::matmul;
    put({left, right});
    return std::move(calls_);
  }

 private:
  /// Small numbers, whole ones unless the step says otherwise; `turned` ones lie transposed.
  Call::Source operand(std::size_t slot, std::uint8_t seed, std::int64_t batch, Shape shape, bool turned) {
    Shape lies = shape;
    if (turned) std::swap(lies[0], lies[1]);
    if (batch > 0) {
      shape.insert(0, batch);
      lies.insert(0, batch);
    }
    Call::Source source = as(slot, drawn(slot, seed, 0, 5, {int8, lies}), type_);
    if (step_.p[3] & 8 && !is_integer(type_))
      source = applied(slot, "multiply", {source, Weak{Weak::real, 0, 0.37}}, face(source));
    if (!turned) return source;
    Call transpose;
    transpose.kind = Kind::permute;
    transpose.which = 1;
    transpose.sources = {source};
    return spare(slot, std::move(transpose), {type_, shape});
  }

  DType type_{};
};

}  // namespace

const Family thinning = {resolved<Thinning>};

}  // namespace koine::fuzz
