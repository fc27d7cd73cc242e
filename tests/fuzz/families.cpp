// SPDX-License-Identifier: Apache-2.0
// The list of families.
#include "families.hpp"

namespace koine::fuzz {

const Family* family_of(Kind kind) {
  for (const Family* family : {&scanning, &sorting, &sets, &tiling}) {
    if (family->kind == kind) return family;
  }
  return nullptr;
}

}  // namespace koine::fuzz
