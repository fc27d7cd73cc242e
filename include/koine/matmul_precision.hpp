// SPDX-License-Identifier: Apache-2.0
// How many digits of float32 operands a matrix product takes.
#pragma once

#include <koine/array.hpp>
#include <koine/options.hpp>

#include <optional>
#include <string_view>

namespace koine {

struct MatmulOptions {
  detail::Named names_only = detail::named;
  /// Of float32 operands: "float32", all of their digits; "tf32", 11 of 24, which is several times as fast on cards
  /// with matrix units (NVIDIA's from sm_80 on); or "3xtf32", 22 of 24 by three products of 11 (NVIDIA's Hopper), which
  /// is faster than "float32", takes memory for a copy of twice the operands' size, and makes NaN of a product's
  /// infinities. Its error, as the root of the mean square, is at most 4 times that of "float32", by which other
  /// devices and small products are computed in its place. Sums stay float32. None is what a koine::matmul_precision
  /// scope says.
  std::optional<std::string_view> precision = std::nullopt;
};
/// matmul with options. ".precision" concerns float32 alone, and changes nothing on devices without such units and in
/// reproducible scopes. ValueError for a precision of another name; else as matmul(x1, x2).
KOINE_API Array matmul(const Array& x1, const Array& x2, const MatmulOptions& options);

/// While the scope lives, the matrix products that this thread builds take this precision of float32 operands, those
/// inside einsum, tensordot and others too:
///
///     const koine::matmul_precision scope("tf32");
///
/// "float32", "tf32" or "3xtf32", as in MatmulOptions. A product keeps what held when it was built. Scopes nest.
/// KOINE_MATMUL_PRECISION sets what holds outside of them; "float32" if it is unset.
class KOINE_API matmul_precision {
 public:
  /// Throws ValueError for another name.
  explicit matmul_precision(std::string_view precision);
  ~matmul_precision();
  matmul_precision(const matmul_precision&) = delete;
  matmul_precision& operator=(const matmul_precision&) = delete;

 private:
  int before_;  // -1: what holds outside of scopes
};

}  // namespace koine
