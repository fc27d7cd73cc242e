// SPDX-License-Identifier: Apache-2.0
// Literal: an array written out in braces.
#pragma once

#include <koine/scalar.hpp>

#include <initializer_list>
#include <utility>
#include <vector>

namespace koine {

/// A number, or a list of literals: `{{1, 2.5}, {3, 4}}`. Its kind is the highest of its numbers': bool, integer, real,
/// complex.
class Literal {
 public:
  template <ScalarLike T>
  Literal(T value) : scalar_(value) {}  // NOLINT: implicit by design
  Literal(std::initializer_list<Literal> list) : is_list_(true), list_(list) {}

  bool is_list() const noexcept { return is_list_; }
  const std::vector<Literal>& list() const noexcept { return list_; }
  const Scalar& scalar() const noexcept { return scalar_; }

 private:
  bool is_list_ = false;
  Scalar scalar_ = false;
  std::vector<Literal> list_;
};

}  // namespace koine
