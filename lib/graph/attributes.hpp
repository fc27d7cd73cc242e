// SPDX-License-Identifier: Apache-2.0
// What the nodes of each family carry beside type, shape and inputs: families.def names the type of each.
//
// A type may have `std::string_view function() const`, the public function that its nodes are work of; without it that
// is the family's name. That of a family with several results has
// `std::vector<ResultType> results(std::span<const NodeRef> inputs) const`, which says what they are.
#pragma once

#include "graph/custom.hpp"
#include "graph/layout.hpp"
#include "graph/reductions.hpp"

#include <koine/array.hpp>
#include <koine/dtype.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace koine::graph {

/// A constant's value in the representation of its type: integers and bool_ in `integer`, the rest in `real`.
struct ConstantValue {
  std::int64_t integer = 0;
  std::complex<double> real = 0.0;
};

/// What one of several results is.
struct ResultType {
  DType dtype;
  Shape shape;
};

/// Which of its input's several results a node is.
struct ResultInfo {
  std::size_t number;
};

/// What float32 operands of a product keep of their 24 digits on their way through a device's matrix units.
enum class MatmulPrecision : std::uint8_t {
  float32,       ///< all
  tf32,          ///< 11, where the device has such units, and all elsewhere; sums are float32
  three_of_tf32  ///< 22, by three products of 11, where the device has such units, and all elsewhere
};

struct MatmulInfo {
  MatmulPrecision precision = MatmulPrecision::float32;

  friend bool operator==(const MatmulInfo&, const MatmulInfo&) = default;
};

struct ReduceInfo {
  ReduceKind kind;
  std::vector<std::size_t> axes;  // rising
  double divisor = 1, scale = 1;  // of the finish
  CustomRef custom = nullptr;     // of kind `custom`

  std::string_view function() const { return custom ? std::string_view(custom->name) : info(kind).name; }
  /// Whether the last step of the last pass is one that no other pass takes.
  bool finishes() const { return custom ? custom->finishes : info(kind).finishes(); }
  friend bool operator==(const ReduceInfo&, const ReduceInfo&) = default;
};

struct ScanInfo {
  ReduceKind kind;
  std::size_t axis;
  bool exclusive = false;      // without the element itself
  CustomRef custom = nullptr;  // of kind `custom`

  std::string_view function() const { return custom ? std::string_view(custom->name) : info(kind).scan; }
  friend bool operator==(const ScanInfo&, const ScanInfo&) = default;
};

/// One of the results of a custom element-wise operation.
struct CustomInfo {
  CustomRef code;
  std::size_t output;

  std::string_view function() const { return code->name; }
};

enum class RandomKind : std::uint8_t { uniform, normal, integers, exponential, gamma, poisson, binomial };

/// Numbers of the stream of `seed`, from its 32-bit word `first_word` on.
struct RandomInfo {
  RandomKind kind;
  std::uint64_t seed = 0, first_word = 0;
  // uniform: [start, start + scale), at most last; normal: mean, deviation; exponential and gamma: scale
  double start = 0, scale = 1, last = 1;
  double shape = 1;      // gamma
  double mean = 0;       // poisson and binomial: 256 to 2^40, a binomial one at most half of the trials
  std::int64_t low = 0;  // integers: [low, low + range)
  std::uint64_t range = 0;
  std::int64_t trials = 0;  // binomial

  std::string_view function() const;
  /// How many words of the stream an element takes, or has the place of; the first of them is a multiple of that.
  std::uint64_t words(DType type) const {
    const bool single = kind == RandomKind::uniform || kind == RandomKind::normal || kind == RandomKind::exponential;
    return single && type != DType::float64 ? 1 : 2;
  }
};

/// Where the elements of a take's result find their position, and element 0 along the axis of what they are taken from.
struct TakeMaps {
  ViewMap array, positions;
};

struct TakeInfo {
  std::size_t axis;
  const char* name = "take";      // of the function, for messages, as is:
  std::size_t named_axis = axis;  // what the caller calls the axis
  std::shared_ptr<const TakeMaps> maps = nullptr;
  bool within = false;  // whether all positions are known to be in range, so that none need be reported

  std::string_view function() const { return name; }
  /// Of the same array and positions: the maps follow from their shapes.
  friend bool operator==(const TakeInfo& a, const TakeInfo& b) {
    return a.axis == b.axis && a.name == b.name && a.named_axis == b.named_axis && a.within == b.within;
  }
};

/// Values at positions of a flattened array. `repeats`: some of those may be equal, with values that differ.
struct ScatterInfo {
  bool repeats;

  std::string_view function() const { return "subscript"; }
};

enum class SegmentKind : std::uint8_t { sum, prod, max, min };

/// What ids are: numbers of groups; positions along an axis, counted from its end where they are below zero; or
/// positions that were looked at, of which those below zero are none.
enum class IdsAre : std::uint8_t { groups, positions, known_positions };

/// Rows reduced by ids below `groups`: a sum, a max or a min, which may start from a third input, or a prod, whose ids
/// rise.
struct ScatterReduceInfo {
  SegmentKind kind;
  std::int64_t groups;
  const char* name;  // of the function, for messages
  IdsAre ids = IdsAre::groups;

  std::string_view function() const { return name; }
};

enum class SortGives : std::uint8_t { values, positions, both };

/// Along the last axis: the sorted values, the positions that they came from, or both, where the values stand as those
/// positions say (`values` alone tells zeros apart).
struct SortInfo {
  SortGives gives = SortGives::values;
  bool descending = false;

  std::string_view function() const { return gives == SortGives::positions ? "argsort" : "sort"; }
  /// Of `both`.
  std::vector<ResultType> results(std::span<const NodeRef> inputs) const;
};

/// Along the last axis: the elements that stand at these ranks where all are sorted, which rise.
struct SelectInfo {
  std::vector<std::int64_t> ranks;

  std::string_view function() const { return "quantile"; }
};

/// Along the last axis: the first k in the order of argsort, and their positions, in the order of the positions.
struct TopkInfo {
  std::int64_t k;
  bool descending = false;

  std::vector<ResultType> results(std::span<const NodeRef> inputs) const;
};

// Of matrices, the last two axes, in row-major order. Positions in them count from `first` in messages: a matrix may be
// a part of a larger one.

/// The lower triangular factor of a Hermitian, positive definite matrix, of which the lower triangle is read.
struct CholeskyInfo {
  std::int64_t first = 0;

  std::string_view function() const { return "cholesky"; }
};

/// Of (…, m, n): both factors as one matrix (the diagonal of the first, ones, is left out), which rows they are of, as
/// (…, m) of int64, and how many rows were exchanged, as (…) of int64.
struct LuInfo {
  std::vector<ResultType> results(std::span<const NodeRef> inputs) const;
};

/// Of a Hermitian or a symmetric matrix, of which the lower triangle is read: a lower triangle with ones on its
/// diagonal whose rows are as those of the input, the block diagonal matrix, and which rows, (…, n) of int64, make a
/// triangle.
struct LdlInfo {
  bool hermitian;

  std::vector<ResultType> results(std::span<const NodeRef> inputs) const;
};

/// Of (…, m, n) with m >= n: V, (…, m, n), and T, (…, n, n), with Q = I - V T V^H, and the triangle R, (…, n, n), that
/// Q^H leaves of the input.
struct HouseholderInfo {
  std::string_view function() const { return "qr"; }
  std::vector<ResultType> results(std::span<const NodeRef> inputs) const;
};

/// Of a triangular matrix (…, n, n), or one for all, and (…, n, k): X, where the matrix times X is the latter. `unit`:
/// its diagonal is ones, and is not read.
struct TriangularInfo {
  bool upper = false, unit = false;
  const char* name = "solve_triangular";  // of the function, for messages
  std::int64_t first = 0;

  std::string_view function() const { return name; }
};

/// Of square matrices (…, n, n), and right sides (…, n, k) or none for those of the identity: X, where the matrix times
/// X is the right side. Only where LAPACK factorises (exec/factor_host.hpp), and of small ones on cards
/// (exec/small_factors.hpp); elsewhere it is made of factors.
struct SolveInfo {
  const char* name;  // of the function, for messages

  std::string_view function() const { return name; }
};

/// Of (…, m, n): so many columns of Q, min(m, n) or m, and as many rows of R. Only where LAPACK factorises
/// (exec/factor_host.hpp), or cards do in groups of small ones or by blocks; elsewhere they are made of reflections.
struct QrInfo {
  std::int64_t columns;

  std::string_view function() const { return "qr"; }
  std::vector<ResultType> results(std::span<const NodeRef> inputs) const;
};

/// Of positions in a sorted list: behind what is equal, or before.
struct SearchInfo {
  bool after = false;

  std::string_view function() const { return "searchsorted"; }
};

/// What a Fourier transform takes and gives: complex numbers, or real ones on one side, and on the other the first
/// n / 2 + 1 of the n complex numbers that belong to them.
enum class FftKind : std::uint8_t { complex, real_to_half, half_to_real };

/// A discrete Fourier transform of n elements along an axis, whose input is cut off or continued with zeros where it
/// has another number; then multiplied by `scale`.
struct FftInfo {
  std::size_t axis;
  std::int64_t n;
  FftKind kind;
  bool inverse;
  double scale;
  const char* name;  // of the function, for messages

  std::string_view function() const { return name; }
};

/// Of Hermitian matrices, the last two axes: eigenvalues, and eigenvectors as rows.
struct EighInfo {
  const char* name;  // of the function, for messages

  std::string_view function() const { return name; }
  std::vector<ResultType> results(std::span<const NodeRef> inputs) const;
};

/// Of matrices with no more rows than columns, the last two axes: singular values, and, with `vectors`, the left ones
/// as columns and the right ones as rows, conjugated: as many as columns, if `full`, else as rows.
struct SvdInfo {
  bool vectors, full;
  const char* name;  // of the function, for messages

  std::string_view function() const { return name; }
  std::vector<ResultType> results(std::span<const NodeRef> inputs) const;
};

/// Of square matrices, the last two axes: eigenvalues, and eigenvectors as rows, in complex numbers.
struct EigInfo {
  const char* name;  // of the function, for messages

  std::string_view function() const { return name; }
  std::vector<ResultType> results(std::span<const NodeRef> inputs) const;
};

/// Of square matrices, the last two axes: triangles, of real matrices with blocks of two rows on their diagonals, and
/// the orthonormal columns that make them so.
struct SchurInfo {
  std::vector<ResultType> results(std::span<const NodeRef> inputs) const;
};

}  // namespace koine::graph
