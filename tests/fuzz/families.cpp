// SPDX-License-Identifier: Apache-2.0
// The table of families, from the rows of kinds.def.
#include "families.hpp"

namespace koine::fuzz {

namespace {

/// The kind of steps that makes nodes of each family of lib/graph/families.def. One without does not compile.
namespace kind_of {
constexpr Kind cast = Kind::astype, where = Kind::where, constant = Kind::filled, iota = Kind::filled,
               leaf = Kind::create, elementwise = Kind::elementwise, view = Kind::permute, reduce = Kind::reduce,
               scan = Kind::scan, rows = Kind::softmax, matmul = Kind::matmul, random = Kind::random, take = Kind::take,
               scatter = Kind::scatter, scatter_reduce = Kind::segments, sort = Kind::sort, search = Kind::sets;
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

}  // namespace koine::fuzz
