// SPDX-License-Identifier: Apache-2.0
// What the fuzzer knows of each kind of steps: kinds.def names the family of each.
#pragma once

#include <string>
#include <vector>

#include "check.hpp"
#include "program.hpp"

namespace koine::fuzz {

/// The members of a call mean what the family's file says. Where a step comes to calls of other kinds only, `resolve`
/// is all that there is; the basic kinds have the rest in machine.cpp, check.cpp and print.cpp.
struct Family {
  std::vector<Call> (*resolve)(const Step& step, const Faces& faces, const Setting& setting);
  Array (*result)(const Call& call, const std::vector<Operand>& sources) = nullptr;
  Verdict (*check)(const Call& call, const std::vector<Plain>& sources, const Plain& got) = nullptr;
  std::string (*text)(const Call& call, const std::vector<std::string>& sources) = nullptr;
};
const Family& family_of(Kind kind);

#define KN_KIND(name, share, family) extern const Family family;
#include "kinds.def"
#undef KN_KIND

}  // namespace koine::fuzz
