// SPDX-License-Identifier: Apache-2.0
// A program of the fuzzer: steps, as bytes name them, and the calls that they come to once types and shapes are known.
// Arrays live in numbered variables x0, x1, ...; every step reads some and writes one, so that a program without one of
// its steps is a program too.
#pragma once

#include <koine/koine.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "plain.hpp"

namespace koine::fuzz {

/// Variables that steps name, and six more for what a step needs on its way: from `moved` on, copies on its device.
inline constexpr std::size_t named = 6, moved = 3, variables = named + 2 * moved;
/// No array gets more elements than this.
inline constexpr std::int64_t most_elements = 1 << 17;

enum class Kind : std::uint8_t {
#define KN_KIND(name, share, family) name,
#include "kinds.def"
#undef KN_KIND
};

/// One step, as its bytes say. Any bytes are valid, and zero is the simplest choice everywhere.
struct Step {
  static constexpr std::size_t bytes = 12;

  Kind kind = Kind::create;
  std::uint8_t target = 0, a = 0, b = 0, c = 0;  // variables; c also says what stands in for one
  std::uint8_t repeat = 0;
  std::array<std::uint8_t, 6> p{};  // what else the kind needs to know
};

using Bytes = std::vector<std::uint8_t>;
std::vector<Step> decode(const Bytes& bytes);
/// The least byte that stands for the same kind: it will when there are more kinds.
std::uint8_t code(std::uint8_t byte);
/// The first of the bytes that stand for a kind; those of the kinds behind it follow.
std::uint8_t code_of(Kind kind);
/// How many bytes stand for different things.
std::uint8_t codes();

/// A C++ scalar: weak beside an array.
struct Weak {
  enum Kind { boolean, integer, real, complex } kind = integer;
  std::int64_t whole = 0;
  std::complex<double> value = 0;

  DType type() const;  ///< bool_, int64, float64 or complex128: one that holds the value
  Plain plain() const;
  Scalar scalar() const;
  std::string text() const;
};

/// One entry of a subscript; `whole` is written `all`.
struct Entry {
  enum Kind { whole, position, slice, newaxis, ellipsis, array } kind = whole;
  std::optional<std::int64_t> start, stop;  // a position is a start
  std::int64_t step = 1;
  std::size_t source = 0;  // an array's number among the sources of the call
};
using Part = std::vector<Entry>;

/// The elements of an array that a part names.
struct Selection {
  Shape shape;
  std::vector<std::int64_t> numbers;  // in the array, row-major over `shape`
};
// Of parts with arrays in them these take the call's sources, in the form that they need.
Selection select(const Part& part, const Shape& shape, const std::vector<Plain>& sources = {});
Shape shape_of(const Part& part, const Shape& shape, const std::vector<Plain>& sources = {});
std::vector<Index> indices(const Part& part, const std::vector<Operand>& sources = {});
std::string text(const Part& part, const std::vector<std::string>& sources = {});
/// One entry for each axis by a byte, 0 being the whole of it, and what `flags` add.
Part part_of(const Shape& shape, const std::uint8_t* bytes, std::uint8_t flags);
/// Another part of the same shape, which may overlap: moved by one where there is room, or from the other end.
Part neighbour(const Part& part, const Shape& shape, bool mirrored);

enum class Reduction { sum, prod, max, min, mean, var, std, any, all, count_nonzero, argmax, argmin };
inline constexpr std::string_view reductions[] = {"sum", "prod", "max", "min",           "mean",   "var",
                                                  "std", "any",  "all", "count_nonzero", "argmax", "argmin"};
inline bool is_position(Reduction r) { return r == Reduction::argmax || r == Reduction::argmin; }

/// How the values of a new array are made.
enum class Style : std::uint8_t { small, signed_small, special, any };

/// One call of the library, with all that it takes. Which members count follows from the kind.
struct Call {
  using Source = std::variant<std::size_t, Weak>;  // a variable or a scalar

  Kind kind{};
  std::size_t target = 0;
  std::vector<Source> sources;
  std::size_t which = 0;  // the row, reduction, or variant of the kind
  DType type{};           // of a new array, of astype
  bool typed = false;     // a reduction says .dtype
  Shape shape;            // of a new array, of a view
  std::vector<std::int64_t> axes;
  bool every_axis = true, keepdims = false;
  Part part, other;
  bool part_of = false;            // update: only of a part; assign: from a part of the target itself
  Plain values;                    // create
  std::uint64_t seed = 0;          // random
  std::uint64_t counter = 0;       // random: words skipped
  std::int64_t low = 0, high = 0;  // random integers; low: var's correction

  std::optional<ErrorKind> refused;  // it must throw this, and change nothing

  bool writes() const;
  /// Changes what the target holds, rather than replaces it.
  bool changes() const;
  Axis axis() const { return every_axis ? Axis(none) : Axis(axes); }
};

/// What a variable holds: what the library gave, and whether another way of computing it may give other bits, outside
/// of reproducible scopes, or in them, too.
struct Value {
  Plain plain;
  std::size_t device = 0;
  bool loose = false, open = false;
};
using Values = std::array<Value, variables>;
/// What every variable holds at first.
Plain first_value();

/// Type, shape and device of each variable; with what the devices can, all that a step's meaning depends on.
struct Face {
  DType type{};
  Shape shape;
  std::size_t device = 0;  // its number in devices()
};
using Faces = std::array<Face, variables>;
Faces faces(const Values& values);
struct Setting {
  std::size_t devices = 1;
  bool fp64 = true;  // all of them have it
};

/// The device that a call works on, to which what else it reads must come: that of what it changes, or of its first
/// array, or the default.
std::size_t home(const Call& call, const Faces& faces);

/// The calls that a step comes to; none where it does not apply.
std::vector<Call> resolve(const Step& step, const Faces& faces, const Setting& setting);
/// How often the step is done.
int repeats(const Step& step, const Faces& faces);

/// The op table's rows, as far as the fuzzer has to know them.
struct Row {
  std::string_view name;
  int arity;
  Array (*unary)(Operand);
  Array (*binary)(Operand, Operand);
  std::optional<DType> (*computes)(DType common);  ///< none where it does not take that type
  bool logical;                                    ///< reads each operand by itself
};
const std::vector<Row>& rows();
/// The rows that have an operator for assignment, by their names, with it.
struct Update {
  std::string_view name, sign;
};
inline constexpr Update updates[] = {{"add", "+="},
                                     {"subtract", "-="},
                                     {"multiply", "*="},
                                     {"divide", "/="},
                                     {"remainder", "%="},
                                     {"bitwise_and", "&="},
                                     {"bitwise_or", "|="},
                                     {"bitwise_xor", "^="},
                                     {"bitwise_left_shift", "<<="},
                                     {"bitwise_right_shift", ">>="}};
std::size_t row_of(std::string_view name);

/// The common type, as the standard's table says; none where there is none.
std::optional<DType> promoted(DType a, DType b);
std::optional<DType> promoted(DType array, const Weak& scalar);
/// The type that an element-wise call, where, matmul or join computes in, given the types of its operands.
std::optional<DType> common_type(const std::vector<Call::Source>& sources, const Faces& faces);

}  // namespace koine::fuzz
