// SPDX-License-Identifier: Apache-2.0
// How a kernel walks its operands: merged axes, vector width, and the class of access that each operand needs.
#pragma once

#include "codegen/body.hpp"
#include "codegen/seams.hpp"
#include "codegen/spec.hpp"
#include "device/traits.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace koine::codegen {

/// How an operand moves along the innermost axis; `turning`: by a stride that changes from piece to piece; `unaligned`:
/// contiguous, but vectors of it lie anywhere; `transposed`: strided, and contiguous along the walk's deep axis;
/// `reversed` and `alternate`, of a CPU's loads: by steps of -1 and of 2; `tabled`: as a table of the walk's tiles
/// says; `taken`: its values were read before the body (only when printing).
enum class Access : std::uint8_t {
  contiguous,
  uniform,
  strided,
  turning,
  unaligned,
  transposed,
  reversed,
  alternate,
  tabled,
  taken
};

/// The loop over a domain. Operands are the body's loads, then its outputs.
struct Walk {
  bool cpu;
  bool wide;              // row numbers need 64 bits
  bool far = false;       // offsets are computed in 64 bits
  bool aligned;           // every contiguous access, stores among them, is aligned to the vector
  bool across;            // vectors go on from a row to the next one
  bool stacked = false;   // a card's work-item takes elements of several rows, below each other
  bool by_parts = false;  // a card's groups take a part of each row before the next part
  bool tiled = false;     // a CPU's vectors go on from a short row to the next one, through tiles of rows
  int width;              // elements of a vector
  graph::Collapsed axes;  // at least one
  std::vector<std::int64_t> offsets;
  std::vector<Access> access;
  std::vector<std::uint8_t> straddles;  // whether a vector of the operand may lie in two pieces or rows of it
  std::vector<std::uint8_t> steady;  // of a stacked or tiled walk, whether a load's elements are the same in all rows
  /// The last ones are those of the innermost axis. Of a tiled walk all are along axes of the tile, whose numbers then
  /// follow those of `axes`.
  std::vector<WalkSeam> seams;
  /// For each operand the first one that moves as it does, which is one computation for all of them.
  std::vector<std::size_t> leader;
  std::vector<std::size_t> leaders;  // of loads from memory
  bool spilled = false;              // whether its parameters are read from a buffer
  /// Where some loads are transposed, it goes by square blocks of the innermost axis and the one that these are
  /// contiguous along (kernels/elementwise_transposed.cl), which is not among `axes`: its size, 0 for none, and how
  /// operands move along it.
  std::int64_t depth = 0;
  std::vector<std::int64_t> deep_strides;
  /// Of a tiled walk, whose innermost axis is a whole tile: the axes inside of it, from the outermost on, and how
  /// operands move along them. The last tile may lack rows.
  std::array<std::int64_t, 4> tile{};
  std::vector<std::int64_t> tile_strides;
  std::int64_t tiled_elements = 0;  // those of the domain
  static constexpr std::int64_t most_tile_vectors = 16;
  /// Whether a CPU's kernel is the same one for any number of outer axes up to four, of which it finds out at each row.
  /// (A card's work-items find out where they are at each vector.)
  bool any_axes = false;
  static constexpr std::size_t most_any_axes = 4, most_any_operands = 8;
  /// Where operands are in pieces: the longest part of each axis in which no piece ends, and with what offsets and
  /// strides operands move there, without a look at their seams. Empty where a kernel has no use for it.
  struct Inside {
    std::vector<std::int64_t> from, sizes, offsets, strides;
    /// Of each load of positions its value, 0 or 1, where that is the same all over this part, as whether an element is
    /// one of a padding; else 2. Empty where no load has such a value, on which the body then does not depend here.
    std::vector<std::uint8_t> told;
  };
  Inside inside;

  std::int64_t inner() const { return axes.shape.back(); }
  std::int64_t rows() const { return axes.shape.elements() / std::max<std::int64_t>(inner(), 1); }
  std::size_t outer_axes() const { return axes.shape.size() - 1; }

  template <class Visit>
  void visit(Visit& v) const {
    v.define("KN_W", width);
    v.define("KN_CPU", cpu);
    v.define("KN_ALIGNED", aligned);
    v.define("KN_ACROSS", across);
    v.define("KN_STACKED", stacked);
    v.define("KN_PARTS", by_parts);
    v.define("KN_TILED", tiled);
    v.define("KN_ROWS", any_axes || outer_axes() > 0);
    v.define("KN_INDEX", Either{wide, "ulong", "uint"});
    v.define("KN_OFFSET", Either{far, "long", "int"});
    v.shape("inside", !inside.from.empty());
    v.shape("told", inside.told);
    v.shape("spilled", spilled);
    v.shape("transposed", depth > 0);
    v.shape("any axes", any_axes);
    v.shape("axes", any_axes ? most_any_axes : outer_axes());
    v.shape("access", access);
    v.shape("straddles", straddles);
    v.shape("steady", steady);
    v.shape("leaders", leader);
    v.shape("seams", seams.size());
    for (const WalkSeam& seam : seams) seam.visit(v);
  }
};

/// Fills `walk` for a body whose domain has elements; the memory that `walk` has is used again.
void make_walk(const Body& body, const DeviceTraits& traits, Walk& walk);

/// Makes the walk one by blocks if some loads are transposed and all else of the body can be read and stored so.
void choose_blocks(const Body& body, Walk& walk);

/// Makes a CPU's walk one by tiles of short rows if all that the body reads and stores can be met so.
void choose_tiles(const Body& body, Walk& walk);

/// Complex numbers, of so many bytes the widest, that an element-wise kernel of a CPU takes at once, as a vector of
/// real parts and one of imaginary parts; elsewhere one.
int pairs_at_once(const DeviceTraits& traits, std::size_t widest);

/// Elements of a vector for a fold of a body's values, whose kernel perhaps stores them: a register on a CPU, 16 bytes
/// on a GPU.
int fold_width(const Body& body, const DeviceTraits& traits, bool stores = false);
/// Whether steps along the first `axes` axes keep operand k aligned to vectors of `width` elements.
bool starts_aligned(const graph::Collapsed& walked, std::size_t k, std::size_t axes, int width);

/// Whether a card reads vectors of a load that lie anywhere by the words of 32 bits that hold them
/// (kernels/common/words.clh): of integers of one or two bytes.
bool read_by_words(const Load& load, int width);

/// Whether the rounds of the loop that a load is read in, and the positions that it is taken by, keep it aligned.
bool loops_aligned(const Load& load, int width);

/// Of each line whether its value is the same all along the innermost axis; `access` says how each load moves there.
std::vector<bool> same_along_rows(const Body& body, const std::vector<Access>& access);

/// All of a body that enters a program's text, as bytes: equal keys, equal programs.
void append_key(std::string& key, const Body& body);

}  // namespace koine::codegen
