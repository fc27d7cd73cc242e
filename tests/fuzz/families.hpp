// SPDX-License-Identifier: Apache-2.0
// What the fuzzer knows of each kind of steps: kinds.def names the family of each.
#pragma once

#include <string>
#include <vector>

#include "check.hpp"
#include "program.hpp"

namespace koine::fuzz {

/// The arrays that a program works on, and what else its calls change.
struct State {
  std::array<Array, variables> x;
  std::vector<Plain> borrowed;  // memory that arrays borrow
  std::optional<Queue> queues[2];
  std::optional<QueueScope> scope;
  std::uint64_t limit;  // of memory, at first
};

/// An array of the values, or over them.
Array created(const Plain& values, bool borrows);
/// The sources as arrays, which all of them are.
std::vector<Array> arrays(const std::vector<Operand>& sources);

/// What a call does to its target.
enum class Effect { gives, changes, none };

/// The members of a call mean what the family's file says. Where a step comes to calls of other kinds only, `resolve`
/// is all that there is. Otherwise `result` gives the target's new value, or `perform` does the call on its own;
/// `check` judges what the target holds then, and `text` is that value, or the whole statement, in C++. Where the
/// target is changed, and not replaced, its old value, or its name, stands behind the sources.
struct Family {
  std::vector<Call> (*resolve)(const Step& step, const Faces& faces, const Setting& setting);
  Array (*result)(const Call& call, const std::vector<Operand>& sources) = nullptr;
  Verdict (*check)(const Call& call, const std::vector<Plain>& sources, const Plain& got) = nullptr;
  std::string (*text)(const Call& call, const std::vector<std::string>& sources) = nullptr;
  void (*perform)(State& state, const Call& call, const std::vector<Operand>& sources) = nullptr;
  Effect effect = Effect::gives;
};
const Family& family_of(Kind kind);

#define KN_KIND(name, share, family) extern const Family family;
#include "kinds.def"
#undef KN_KIND

}  // namespace koine::fuzz
