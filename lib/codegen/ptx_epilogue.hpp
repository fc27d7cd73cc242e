// SPDX-License-Identifier: Apache-2.0
// Epilogues of the products in PTX (ptx_matmul.hpp): what a thread makes of the sums in its registers before they are
// stored. Operations that round alike on every device, of float32 and the types of 16 bits; arrays beside the product
// lie row by row, or are the same for all rows or columns.
#pragma once

#include "codegen/epilogue.hpp"
#include "codegen/ptx_text.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace koine::codegen {

class PtxEpilogue {
 public:
  /// Of results whose rows have `columns` elements. Nothing where it takes other operations, types or layouts.
  static std::optional<PtxEpilogue> of(const Body& body, const EpilogueWalk& walk, std::int64_t columns);

  /// "matmul_max_add_f32": what the kernel computes.
  const std::string& name() const { return name_; }
  /// What tells its code from others'.
  const std::string& signature() const { return signature_; }
  /// The type of what is stored: the product's, or float32.
  DType type() const { return type_; }
  /// What the kernel is passed behind its own block and the buffers of loads: offsets, strides, constants.
  const std::vector<std::byte>& block() const { return block_; }

  /// The kernel's last parameters.
  void print_parameters(PtxText& out) const;
  /// Registers for `rows` rows at a time.
  void print_registers(PtxText& out, int rows) const;
  /// Finds where the loads of a row begin, the `slot`-th of those at a time: `row` and `column` are registers with its
  /// number in its matrix and the thread's first column, and %matrix is the number of the matrix.
  void print_row(PtxText& out, int slot, const char* row, const char* column) const;
  /// Replaces the sum in a register by what is made of it, so many columns behind the thread's first one; reads what
  /// lies beside where the predicate `there` is set.
  void print_element(PtxText& out, const std::string& sum, int slot, int column, const char* there) const;

 private:
  struct Beside {
    DType type;
    bool by_row, by_column;
  };

  std::string line_text(std::size_t index) const;

  std::vector<Line> lines_;
  std::vector<Beside> beside_;  // the loads behind the first
  std::size_t result_ = 0;      // the line that is stored
  DType product_ = DType::float32, type_ = DType::float32;
  std::string name_, signature_;
  std::vector<std::byte> block_;
};

}  // namespace koine::codegen
