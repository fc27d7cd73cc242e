// SPDX-License-Identifier: Apache-2.0
// The table of families, from the rows of kinds.def.
#include "families.hpp"

namespace koine::fuzz {

const Family& family_of(Kind kind) {
#define KN_KIND(name, share, family) &family,
  static const Family* const table[] = {
#include "kinds.def"
  };
#undef KN_KIND
  return *table[static_cast<std::size_t>(kind)];
}

}  // namespace koine::fuzz
