// SPDX-License-Identifier: Apache-2.0
// How a card's element-wise kernels walk their operands: which keep vectors, and how each operand is read. How a CPU's
// kernels take rows that are shorter than its vectors.
#include <doctest/doctest.h>

#include "codegen/print.hpp"
#include "codegen/print_walk.hpp"
#include "codegen/reduce.hpp"
#include "support/invented.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kn = koine;
using kn::DType;
using kn::Shape;
using kn::codegen::Access;
using kn::codegen::Body;
using kn::codegen::Steady;
using kn::codegen::Walk;
using kn::graph::NodeRef;
using kn::graph::Pieces;
using kn::graph::ViewMap;

namespace {

kn::graph::Place place;

Pieces plain(const Shape& shape) { return {kn::graph::row_major(shape), {}}; }

/// A view of a row-major array of shape `from`.
Pieces viewed(const Shape& from, const Shape& shape, ViewMap map) { return *kn::graph::apply(map, shape, plain(from)); }

/// A matrix from position `start` on, in steps along the last axis.
Pieces part(const Shape& from, const Shape& shape, const Shape& start, std::int64_t step = 1) {
  ViewMap map;
  map.start = start;
  map.source = {0, 1};
  map.step = {1, step};
  return viewed(from, shape, std::move(map));
}

Pieces rolled(const Shape& shape, std::int64_t rows, std::int64_t columns) {
  ViewMap map;
  map.start = {-rows, -columns};
  map.source = {0, 1};
  map.step = {1, 1};
  map.bounds = {rows ? shape[0] : 0, columns ? shape[1] : 0};
  return viewed(shape, shape, std::move(map));
}

/// A matrix continued by one row and one column at each end, by its nearest elements.
Pieces bordered(const Shape& from) {
  ViewMap map;
  map.start = {-1, -1};
  map.source = {0, 1};
  map.step = {1, 1};
  map.bounds = from;
  map.beyond = ViewMap::Beyond::clamps;
  return viewed(from, {from[0] + 2, from[1] + 2}, std::move(map));
}

/// The sum of views, and how a card computes it.
struct Sum {
  std::vector<NodeRef> nodes;
  Body body;
  kn::DeviceTraits traits = kn::test::invented_device("amd", kn::DeviceType::gpu);
  Walk walk;

  Sum(const Shape& shape, const std::vector<Pieces>& views, DType type = DType::float32) {
    body.domain = shape;
    for (const Pieces& view : views) {
      nodes.push_back(kn::graph::make_leaf(type, kn::graph::row_major(shape), nullptr, place));
      const auto k = static_cast<std::int32_t>(body.loads.size());
      body.loads.push_back({nodes.back().get(), view.layout, type, false, view.seams});
      body.lines.push_back({kn::graph::Op::leaf, type, type, {k, -1, -1}});
    }
    const auto loads = static_cast<std::int32_t>(views.size());
    for (std::int32_t k = 1; k < loads; ++k) {
      const std::int32_t before = k == 1 ? 0 : loads + k - 2;
      body.lines.push_back({kn::graph::Op::add, type, type, {before, k, -1}});
    }
    const NodeRef inputs[] = {nodes[0], nodes[0]};
    nodes.push_back(kn::graph::make_node(kn::graph::Op::add, type, shape, place, inputs));
    body.outputs = {{nodes.back().get(), static_cast<std::int32_t>(body.lines.size()) - 1}};
  }
  Sum& walked() {
    make_walk(body, traits, walk);
    return *this;
  }
  std::string text() const {
    kn::codegen::ParamBlock block;
    add_bounds(block, walk, {1, 2, 3, 4});
    const auto text = print_elementwise(body, walk, block, traits);
    return text.settings + text.definitions;
  }
  int count(const std::string& what) const {
    const std::string all = text();
    int found = 0;
    for (std::size_t at = all.find(what); at != std::string::npos; at = all.find(what, at + 1)) ++found;
    return found;
  }
};

const Shape shape{1024, 512};

}  // namespace

TEST_CASE("beside an operand that is not aligned, a kernel keeps its vectors for all others and for what it stores") {
  const Shape whole{1024, 520};
  Sum sum(shape, {plain(shape), part(whole, shape, {0, 1}), part(whole, shape, {0, 4})});
  CHECK(sum.walked().walk.width == 4);
  CHECK(sum.walk.access == std::vector{Access::contiguous, Access::unaligned, Access::contiguous, Access::contiguous});
  CHECK(sum.walk.straddles == std::vector<std::uint8_t>{0, 0, 0, 0});
  CHECK(sum.count("#define KN_ALIGNED") == 1);
  CHECK(sum.count("#define KN_W 4") == 1);
  CHECK(sum.count("kn_load_float32(p0 ") == 1);
  CHECK(sum.count("kn_gather_float32(p1 + o1 + (long)i, 1, left)") == 1);
  CHECK(sum.count("kn_load_float32(p2 ") == 1);
  CHECK(sum.count("kn_store_float32(v4, p3 ") == 1);
}

TEST_CASE("a card's kernel computes offsets in 32 bits unless an operand, with its seams, reaches too far for them") {
  const Shape whole{1 << 21, 520};
  Sum near(shape, {part(whole, shape, {0, 1}), part(whole, shape, {(1 << 20) - 1024, 1}), rolled(shape, 0, 3)});
  near.walked();
  CHECK_FALSE(near.walk.far);
  CHECK(near.count("#define KN_OFFSET int") == 1);
  CHECK(Sum(shape, {part(whole, shape, {0, 1}), part(whole, shape, {(1 << 21) - 1024, 1})}).walked().walk.far);
  Pieces jumping = rolled(shape, 0, 3);
  jumping.seams.back().jump = -(std::int64_t{1} << 30);
  Sum far(shape, {plain(shape), jumping});
  far.walked();
  CHECK(far.walk.far);
  CHECK(far.count("#define KN_OFFSET long") == 1);
  far.traits = kn::test::invented_device("pocl", kn::DeviceType::cpu);
  CHECK(far.walked().walk.far);
}

TEST_CASE("a rolled operand is read at once where a vector lies in one piece of it") {
  Sum sum(shape, {plain(shape), rolled(shape, 0, 3)});
  CHECK(sum.walked().walk.width == 4);
  CHECK(sum.walk.straddles == std::vector<std::uint8_t>{0, 1, 0});
  CHECK_FALSE(sum.walk.across);
  CHECK(sum.count("kn_gather_float32(p1 + o1 + (long)i, 1, left)") == 1);
  CHECK(sum.count("kn_one_float32(p1 + o1 + (long)i)") == 1);
  CHECK(sum.count("kn_load_float32(p0 ") == 1);
  // Along rows, and by whole vectors along columns, every vector is aligned and in one piece.
  for (const Pieces& even : {rolled(shape, 5, 0), rolled(shape, 5, 8)}) {
    Sum aligned(shape, {plain(shape), even});
    CHECK(aligned.walked().walk.width == 4);
    CHECK(aligned.walk.straddles == std::vector<std::uint8_t>{0, 0, 0});
    CHECK(aligned.count("kn_load_float32(p1 ") == 1);
    CHECK(aligned.count("kn_one_float32(p1 ") == 0);
  }
}

TEST_CASE("results whose rows are no whole vectors are stored in vectors that go on from row to row") {
  const Shape result{1026, 514};
  Sum sum(result, {bordered(shape), plain(result)});
  CHECK(sum.walked().walk.width == 4);
  CHECK(sum.walk.across);
  CHECK(sum.walk.straddles == std::vector<std::uint8_t>{1, 0, 0});
  CHECK(sum.count("#define KN_ACROSS") == 1);
  CHECK(sum.count("kn_load_float32(p1 ") == 1);
  CHECK(sum.count("kn_store_float32(v2, p2 ") == 1);
  // Of short rows too many vectors would lie in two.
  const Shape narrow{1026, 34};
  CHECK(Sum(narrow, {bordered({1024, 32}), plain(narrow)}).walked().walk.width == 1);
}

TEST_CASE("where most elements lie, in one piece of each operand, a card's kernel of single elements reads no seams") {
  const Shape result{1026, 34};
  Sum sum(result, {bordered({1024, 32}), plain(result)});
  const Walk& walk = sum.walked().walk;
  CHECK(walk.inside.from == std::vector<std::int64_t>{1, 1});
  CHECK(walk.inside.sizes == std::vector<std::int64_t>{1024, 32});
  // Element (1, 1) is the first of the array.
  CHECK(walk.inside.offsets == std::vector<std::int64_t>{-33, 0, 0});
  CHECK(walk.inside.strides == std::vector<std::int64_t>{32, 34, 34, 1, 1, 1});
  CHECK(sum.count("const bool inside = ") == 1);
  // Rolled by half of a row, the longer part is what is left of it.
  const Shape narrow{100, 30};
  CHECK(Sum(narrow, {rolled(narrow, 60, 3), plain(narrow)}).walked().walk.inside.from ==
        std::vector<std::int64_t>{0, 3});
  // A CPU goes piece by piece, and offsets past 32 bits have seams.
  Sum host(result, {bordered({1024, 32}), plain(result)});
  host.traits = kn::test::invented_device("pocl", kn::DeviceType::cpu);
  CHECK(host.walked().walk.inside.from.empty());
  const Shape large{std::int64_t{1} << 27, 34};
  Sum wide(large, {bordered({large[0] - 2, 32}), plain(large)});
  CHECK(wide.walked().walk.inside.from.empty());
}

TEST_CASE("rows shorter than a card's vector are shorter vectors") {
  const auto width = [](std::int64_t inner) {
    const Shape domain{1000, inner};
    return Sum(domain, {{{domain, Shape{1, 0}, 0}, {}}, plain(domain)}).walked().walk.width;
  };
  CHECK(width(2) == 2);
  CHECK(width(6) == 2);
  CHECK(width(3) == 1);
  CHECK(width(8) == 4);
}

TEST_CASE(
    "a kernel gives its vectors up for strides, for stores that are not aligned, and for many loads that are not") {
  const Shape whole{1024, 2048};
  const Sum reversed = Sum(shape, {plain(shape), part(whole, shape, {0, 511}, -1)}).walked();
  CHECK(reversed.walk.width == 4);
  const Sum second = Sum(shape, {plain(shape), part(whole, shape, {0, 0}, 2)}).walked();
  CHECK(second.walk.width == 1);
  CHECK(second.walk.access == std::vector{Access::contiguous, Access::strided, Access::contiguous});
  Sum stored(shape, {plain(shape)});
  const kn::graph::Destination elsewhere{nullptr, part(whole, shape, {0, 1}).layout};
  stored.body.outputs[0].destination = &elsewhere;
  CHECK(stored.walked().walk.width == 1);

  std::vector<Pieces> views(3, part(whole, shape, {0, 1}));
  Sum many(shape, views);
  many.traits.tuning.elementwise_unaligned_loads = 3;
  CHECK(many.walked().walk.width == 4);
  many.traits.tuning.elementwise_unaligned_loads = 2;
  CHECK(many.walked().walk.width == 1);
  CHECK(many.walk.access == std::vector<Access>(4, Access::contiguous));
  CHECK(many.count("KN_ALIGNED") == 0);
}

namespace {

/// The last two axes exchanged, of a row-major array.
Pieces transposed(const Shape& shape) {
  ViewMap map;
  Shape from = shape;
  const std::int64_t last = static_cast<std::int64_t>(shape.size()) - 1;
  std::swap(from[shape.size() - 1], from[shape.size() - 2]);
  map.start = Shape::filled(shape.size(), 0);
  map.step = Shape::filled(shape.size(), 1);
  for (std::int64_t axis = 0; axis <= last; ++axis) {
    map.source.push_back(axis == last ? last - 1 : axis == last - 1 ? last : axis);
  }
  return viewed(from, shape, std::move(map));
}

}  // namespace

TEST_CASE("a kernel with a transposed operand goes by square blocks of vectors along both axes") {
  const Shape batch{6, 64, 48};
  Sum sum(batch, {plain(batch), transposed(batch)});
  CHECK(sum.walked().walk.depth == 64);
  CHECK(sum.walk.width == 4);
  CHECK(sum.walk.aligned);
  CHECK(sum.walk.axes.shape == Shape{6, 48});
  CHECK(sum.walk.deep_strides == std::vector<std::int64_t>{48, 1, 48});
  CHECK(sum.walk.access == std::vector{Access::contiguous, Access::transposed, Access::contiguous});
  CHECK(sum.count("kn_load_float32(p1 ") == 4);
  CHECK(sum.count("kn_transpose_float(t1)") == 1);
  CHECK(sum.count("kn_gather_float32") == 0);
  // Rows that are no whole vectors leave blocks, which are read and stored element by element.
  const Shape odd{63, 47};
  CHECK(Sum(odd, {plain(odd), transposed(odd)}).walked().walk.depth == 63);
  CHECK_FALSE(Sum(odd, {plain(odd), transposed(odd)}).walked().walk.aligned);
  // Rows shorter than a vector do not make blocks.
  const Shape narrow{63, 3};
  CHECK(Sum(narrow, {plain(narrow), transposed(narrow)}).walked().walk.depth == 0);
}

TEST_CASE("a CPU reads reversed and alternate elements in vectors that it shuffles") {
  const Shape whole{1024, 2048};
  Sum sum(shape, {part(whole, shape, {0, 511}, -1), part(whole, shape, {0, 0}, 2), part(whole, shape, {0, 0}, 3)});
  sum.traits = kn::test::invented_device("pocl", kn::DeviceType::cpu);
  CHECK(sum.walked().walk.access ==
        std::vector{Access::reversed, Access::alternate, Access::strided, Access::contiguous});
  CHECK(sum.count("KN_SHUFFLED(float32, float, float)") == 1);
  CHECK(sum.count("kn_load_reversed_float32(p0 + o0 - (long)i, left)") == 1);
  CHECK(sum.count("kn_load_alternate_float32(p1 + o1 + 2 * (long)i, left)") == 1);
}

TEST_CASE("functions of float64 share their constants in wider vectors where these are many") {
  const auto width = [](kn::graph::Op op, DType type, bool long_doubles) {
    Sum sum(shape, {plain(shape)}, type);
    sum.body.lines.push_back({op, type, type, {0, -1, -1}});
    sum.traits.quirks.long_doubles = long_doubles;
    return sum.walked().walk.width;
  };
  CHECK(width(kn::graph::Op::erf, DType::float64, true) == 4);
  CHECK(width(kn::graph::Op::erf, DType::float64, false) == 2);
  CHECK(width(kn::graph::Op::sqrt, DType::float64, true) == 2);
  CHECK(width(kn::graph::Op::erf, DType::float32, true) == 4);
}

TEST_CASE("vectors of small elements are shorter where many operands would fill a card's registers") {
  const auto width = [](std::size_t loads, DType type) {
    return Sum(shape, std::vector<Pieces>(loads, plain(shape)), type).walked().walk.width;
  };
  CHECK(width(6, DType::uint8) == 16);
  CHECK(width(9, DType::uint8) == 8);
  CHECK(width(13, DType::float16) == 4);
  CHECK(width(32, DType::float32) == 4);
}

TEST_CASE("a CPU's vectors go on from a short row to the next one, through tiles that are whole numbers of both") {
  const auto walk_of = [](std::int64_t rows, std::int64_t beside, std::int64_t inner) {
    const Shape domain{rows, beside, inner};
    Sum sum(domain, {{{domain, Shape{inner, 0, 1}, 0}, {}}, {{domain, Shape{0, inner, 1}, 0}, {}}});
    sum.traits = kn::test::invented_device("pocl", kn::DeviceType::cpu);
    sum.traits.tuning.elementwise_vector_bytes = 64;
    return std::move(sum.walked().walk);
  };
  const auto check = [&](std::int64_t rows, std::int64_t beside, std::int64_t inner, const Shape& tiles) {
    CAPTURE(rows);
    CAPTURE(beside);
    CAPTURE(inner);
    const Walk walk = walk_of(rows, beside, inner);
    CHECK(walk.tiled);
    CHECK(walk.axes.shape == tiles);
    CHECK(walk.access == std::vector{Access::tabled, Access::tabled, Access::contiguous});
    CHECK(walk.steady == std::vector<std::uint8_t>{0, 1, 0});
    CHECK(walk.tiled_elements == rows * beside * inner);
  };
  check(65536, 8, 4, {16384, 128});
  check(1001, 8, 4, {251, 128});
  check(1000, 5, 3, {63, 240});
  CHECK_FALSE(walk_of(1000, 8, 16).tiled);  // rows are vectors
  CHECK_FALSE(walk_of(10, 8, 4).tiled);     // the tables would be much of the work
  CHECK_FALSE(walk_of(300, 91, 5).tiled);   // no whole number of tiles until an operand goes on elsewhere

  // What lies behind a seam is found by the table, too.
  const Shape domain{1000, 3};
  const Pieces turned{{domain, Shape{3, 1}, 1}, {{1, 2, -3, 0}}};
  Sum pieces(domain, {turned, {{domain, Shape{3, 1}, 0}, {}}});
  pieces.traits = kn::test::invented_device("pocl", kn::DeviceType::cpu);
  pieces.traits.tuning.elementwise_vector_bytes = 64;
  const Walk& walk = pieces.walked().walk;
  CHECK(walk.tiled);
  CHECK(walk.access == std::vector{Access::tabled, Access::contiguous, Access::contiguous});
  CHECK(pieces.count("(a3 >= d.seam_at0 ? d.seam_jump0 : 0)") == 1);
  CHECK(pieces.count("KN_PIECE") == 0);
}

TEST_CASE("a CPU gathers short rows into vectors of what lies beside them, also where that is less than a vector") {
  const auto walk_of = [](std::int64_t beside, std::int64_t row) {
    const Shape domain{1000, beside, row};
    Sum sum(domain, {{{domain, Shape{row, 0, 1}, 0}, {}}, {{domain, Shape{0, row, 1}, 0}, {}}});
    sum.traits = kn::test::invented_device("pocl", kn::DeviceType::cpu);
    sum.traits.compute_units = 2;
    const kn::codegen::ReducePass pass{.kind = kn::graph::ReduceKind::sum, .body = &sum.body, .result = DType::float32};
    return make_reduce_walk(pass, {2}, sum.traits);
  };
  const auto check = [&](std::int64_t beside, std::int64_t row, bool columns, int width) {
    CAPTURE(beside);
    CAPTURE(row);
    const kn::codegen::ReduceWalk walk = walk_of(beside, row);
    CHECK(walk.columns == columns);
    CHECK(walk.width == width);
    // What lies beside each other is the same for all of the 1000, and gathered once where a vector takes all of it.
    const auto steady = columns && beside <= width ? Steady::each : Steady::no;
    CHECK(walk.steady == std::vector{Steady::no, steady});
  };
  check(16, 4, true, 16);
  check(8, 4, true, 8);
  check(12, 3, true, 8);
  check(5, 3, true, 4);
  check(3, 3, false, 16);
  check(8, 12, false, 16);  // a row fills most of a vector by itself
  check(4, 6, false, 16);
}

TEST_CASE(
    "a CPU takes vectors of complex numbers where each operation has a form for them, and where that is quicker") {
  const auto width = [](DType type, const std::vector<Pieces>& views, kn::graph::Op op, const Shape& of = shape) {
    Sum sum(of, views, type);
    sum.traits = kn::test::invented_device("pocl", kn::DeviceType::cpu);
    sum.traits.tuning.elementwise_vector_bytes = 64;
    sum.body.lines.back().op = op;
    sum.walked();
    CHECK((sum.text().find("kn_load_" + std::string(name(type))) != std::string::npos));
    return sum.walk.width;
  };
  using kn::graph::Op;
  const std::vector<Pieces> whole{plain(shape), plain(shape)},
      apart{plain(shape), part({1024, 1024}, shape, {0, 0}, 2)};
  CHECK(width(DType::complex64, whole, Op::add) == 8);
  CHECK(width(DType::complex128, whole, Op::add) == 4);
  CHECK(width(DType::complex64, whole, Op::pow) == 1);
  CHECK(width(DType::complex64, apart, Op::multiply) == 1);
  CHECK(width(DType::complex64, apart, Op::divide) == 8);
  const Shape short_rows{1024, 3}, wide{1024, 4};
  CHECK(width(DType::complex64, {plain(short_rows), part(wide, short_rows, {0, 0})}, Op::divide, short_rows) == 1);
}
