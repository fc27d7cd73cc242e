// SPDX-License-Identifier: Apache-2.0
// The table of families, from the rows of kinds.def.
#include "families.hpp"

#include <algorithm>

namespace koine::fuzz {

namespace {

/// The kind of steps that makes nodes of each family of lib/graph/families.def. One without does not compile.
namespace kind_of {
constexpr Kind cast = Kind::astype, where = Kind::where, custom = Kind::custom, constant = Kind::filled,
               iota = Kind::filled, leaf = Kind::create, elementwise = Kind::elementwise, view = Kind::permute,
               reduce = Kind::reduce, scan = Kind::scan, rows = Kind::softmax, matmul = Kind::matmul,
               random = Kind::random, take = Kind::take, scatter = Kind::scatter, scatter_reduce = Kind::segments,
               sort = Kind::sort, result = Kind::sort, order_ties = Kind::sort, select = Kind::quantile,
               topk = Kind::sort, search = Kind::sets, histogram = Kind::histogram, fft = Kind::transform,
               eigh = Kind::factor, eig = Kind::factor, schur = Kind::factor, svd = Kind::factor,
               cholesky = Kind::factor, lu = Kind::factor, ldl = Kind::factor, householder = Kind::factor,
               solve_triangular = Kind::factor, solve = Kind::factor, qr = Kind::factor;
}
#define KN_INLINE(name, ...) kind_of::name,
#define KN_FAMILY KN_INLINE
[[maybe_unused]] constexpr Kind kinds_of_families[] = {
#include "graph/families.def"
};

}  // namespace

const Family& family_of(Kind kind) {
#define KN_KIND(name, share, family) &family,
  static const Family* const table[] = {
#include "kinds.def"
  };
#undef KN_KIND
  return *table[static_cast<std::size_t>(kind)];
}

bool Call::writes() const { return family_of(kind).effect != Effect::none; }
bool Call::changes() const { return family_of(kind).effect == Effect::changes; }

std::vector<Call> resolve(const Step& step, const Faces& faces, const Setting& setting) {
  return family_of(step.kind).resolve(step, faces, setting);
}

int repeats(const Step& step, const Faces& faces) {
  if (step.kind != Kind::elementwise && step.kind != Kind::update && step.kind != Kind::assign) return 1;
  if (step.repeat < 192) return 1;
  // Long chains of what is quick to compile and to compute.
  const std::string_view row = rows()[step.p[0] % rows().size()].name;
  const bool simple = step.kind != Kind::elementwise || std::any_of(std::begin(updates), std::end(updates),
                                                                    [&](const Update& u) { return u.name == row; });
  const bool small = faces[step.target % named].shape.elements() <= 64;
  if (step.repeat < 224 || !simple || !small) return 2;
  return step.repeat < 240 ? 5 : step.repeat < 252 ? 40 : 1100;
}

}  // namespace koine::fuzz
