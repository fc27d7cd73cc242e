// SPDX-License-Identifier: Apache-2.0
// Runs a program on the default device, step by step and then lazily.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "families.hpp"
#include "program.hpp"

namespace koine::fuzz {

struct Failure {
  std::string what = {};         ///< got and expected, in words
  std::vector<Call> calls = {};  ///< up to where it showed
  bool eager = false;            ///< every step was evaluated and read before the next
  std::size_t variable = 0;      ///< where it showed
  bool again = false;            ///< not before the second time
  bool reproducible = false;     ///< in such a scope
};

/// Runs the steps twice. First each result is computed and read at once, and judged by the library's own values of its
/// operands. Then nothing is read but what `read` steps say, and at the end everything: however much of the program
/// became one kernel, the library promises the same bits, but for sums of floating numbers and what is made of them.
/// Those are judged once more if they were made of what has the same bits. Then both once more: a kernel that is at
/// hand already is run otherwise than one that has to be made first. Last, where there were such sums, both in a
/// reproducible scope, in which they have the same bits, too.
///
/// `before` is told the calls so far, the next one included, and which run this is: for programs that crash. `bits`
/// gets a hash of all values that a process of other KOINE_* variables gives with the same bits.
using Before = std::function<void(const std::vector<Call>&, bool eager, bool reproducible)>;
std::optional<Failure> run(const std::vector<Step>& steps, const Before& before = {}, std::uint64_t* bits = nullptr);

/// One call on the library's side.
class Machine {
 public:
  Machine();
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// The devices that there are.
  static Setting setting();

  /// Throws what the library throws, and if it does not refuse what it should.
  void apply(const Call& call);
  Plain read(std::size_t variable);
  /// Types, shapes and devices, which need no evaluation.
  Faces faces() const;
  std::size_t device(std::size_t variable) const;

 private:
  void perform(const Call& call);
  void refuse(const Call& call);
  template <class F>
  void within_memory(F f);
  std::vector<Operand> operands(const Call& call) const;

  State state_;
};

}  // namespace koine::fuzz
