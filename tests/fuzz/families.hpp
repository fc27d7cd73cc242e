// SPDX-License-Identifier: Apache-2.0
// Kinds of calls that have a file each, with all that the fuzzer knows of them.
#pragma once

#include <string>
#include <vector>

#include "check.hpp"
#include "program.hpp"

namespace koine::fuzz {

/// The members of a call mean what the family's file says.
struct Family {
  Kind kind;
  std::vector<Call> (*resolve)(const Step& step, const Faces& faces, const Setting& setting);
  Array (*result)(const Call& call, const std::vector<Operand>& sources);
  Verdict (*check)(const Call& call, const std::vector<Plain>& sources, const Plain& got);
  std::string (*text)(const Call& call, const std::vector<std::string>& sources);
};
/// Null for a kind that is not one.
const Family* family_of(Kind kind);

extern const Family scanning, sorting, sets, tiling;

/// Reading, and assigning to, parts with arrays in them.
std::vector<Call> picked(const Step& step, const Faces& faces, const Setting& setting);

}  // namespace koine::fuzz
