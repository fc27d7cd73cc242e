// SPDX-License-Identifier: Apache-2.0
// The contract of generated kernels: the block of parameters is a C struct, and every field that a kernel is compiled
// for is in the program's key and in its text, sizes and strides in neither.
#include <doctest/doctest.h>

#include <array>
#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "codegen/print_walk.hpp"
#include "codegen/reduce.hpp"
#include "codegen/rows.hpp"
#include "codegen/scan.hpp"

namespace kn = koine;
using kn::DeviceTraits;
using kn::DType;
using kn::Shape;
using kn::codegen::Access;
using kn::codegen::Body;
using kn::codegen::KernelText;
using kn::codegen::ParamBlock;
using kn::graph::Node;
using kn::graph::NodeRef;
using kn::graph::Op;
using kn::graph::ReduceKind;

namespace {

kn::graph::Place place;
DeviceTraits traits;

NodeRef constant(DType type, std::int64_t integer, std::complex<double> real) {
  return kn::graph::make_constant(type, {integer, real}, place);
}

/// What a struct of the same fields holds, with zeros between them.
template <class Struct>
void check_bytes(const ParamBlock& block, const Struct& expected) {
  REQUIRE(block.bytes().size() == sizeof expected);
  CHECK(std::memcmp(block.bytes().data(), &expected, sizeof expected) == 0);
}

/// a, b, a + b and (a + b) * b, over matrices, with the first and the last stored.
struct Sample {
  Shape shape{30, 40};
  NodeRef a = leaf(), b = leaf(), result = node(Op::multiply), other = node(Op::add);
  Body body;

  Sample() {
    body.domain = shape;
    for (const NodeRef& x : {a, b}) body.loads.push_back({x.get(), x->layout, x->dtype, false});
    const DType type = DType::float32;
    body.lines = {{Op::leaf, type, type, {0, -1, -1}},
                  {Op::leaf, type, type, {1, -1, -1}},
                  {Op::add, type, type, {0, 1, -1}},
                  {Op::multiply, type, type, {2, 1, -1}}};
    body.outputs = {{result.get(), 3}, {other.get(), 2}};
  }
  NodeRef leaf() const { return kn::graph::make_leaf(DType::float32, kn::graph::row_major(shape), nullptr, place); }
  NodeRef node(Op op) const {
    const NodeRef inputs[] = {a, b};
    return kn::graph::make_node(op, DType::float32, shape, place, inputs);
  }
};

struct Names {
  std::set<std::string> found;
  template <class T>
  void define(const char* name, const T&) {
    found.insert(name);
  }
  template <class T>
  void shape(const char* name, const T&) {
    found.insert(name);
  }
};

template <class Spec>
std::string key_of(const Spec& spec) {
  std::string key;
  append_key(key, spec);
  return key;
}

std::string whole(const KernelText& text) {
  return text.settings + text.custom + text.definitions + std::string(text.kernel) + text.entry;
}

/// `Case` has a `spec()` and a `text()`. Each field has a change, which shows in both, and in the log's line.
template <class Case>
void check_fields(const Case& base, const std::map<std::string, std::function<void(Case&)>>& changes) {
  Names names;
  base.spec().visit(names);
  for (const std::string& name : names.found) {
    CAPTURE(name);
    const auto change = changes.find(name);
    REQUIRE(change != changes.end());
    Case changed = base;
    change->second(changed);
    CHECK(line_of(changed.spec()) != line_of(base.spec()));
    const bool same_key = key_of(changed.spec()) == key_of(base.spec());
    const bool same_text = whole(changed.text()) == whole(base.text());
    CHECK_FALSE(same_key);
    CHECK_FALSE(same_text);
  }
  for (const auto& [name, change] : changes) {
    CAPTURE(name);
    CHECK(names.found.count(name) == 1);
  }
}

/// What is no field: the text has to be the same, since the key is.
template <class Case>
void check_values(const Case& base, const std::vector<std::function<void(Case&)>>& changes) {
  for (std::size_t k = 0; k < changes.size(); ++k) {
    CAPTURE(k);
    Case changed = base;
    changes[k](changed);
    const bool same_key = key_of(changed.spec()) == key_of(base.spec());
    const bool same_text = whole(changed.text()) == whole(base.text());
    CHECK(same_key);
    CHECK(same_text);
  }
}

struct Elementwise {
  Sample sample;
  kn::codegen::Walk walk;

  Elementwise() {
    make_walk(sample.body, traits, walk);
    walk.axes = {};
    walk.axes.layouts = 4;
    walk.axes.add_axis(30, 80);
    walk.axes.add_axis(40, 1);
    walk.seams = {{0, 0, 7, -9, 0}};
    walk.any_axes = false;
    walk.leader = {0, 1, 2, 3};
  }
  const kn::codegen::Walk& spec() const { return walk; }
  KernelText text() const {
    ParamBlock block;
    add_bounds(block, walk, {1, 2, 3, 4});
    add_values(block, sample.body);
    return print_elementwise(sample.body, walk, block, traits);
  }
};

template <class Case>
void add_fields_of_rows(std::map<std::string, std::function<void(Case&)>>& changes) {
  changes["KN_W"] = [](Case& c) { c.walk.width = 2; };
  changes["KN_CPU"] = [](Case& c) { c.walk.cpu = !c.walk.cpu; };
  changes["KN_ALIGNED"] = [](Case& c) { c.walk.aligned = !c.walk.aligned; };
  changes["KN_INDEX"] = [](Case& c) { c.walk.wide = !c.walk.wide; };
  changes["columns"] = [](Case& c) { c.walk.columns = !c.walk.columns; };
  changes["spilled"] = [](Case& c) { c.walk.spilled = true; };
  changes["kept"] = [](Case& c) { c.walk.kept.add_axis(3, 5); };
  changes["access"] = [](Case& c) { c.walk.access[0] = Access::strided; };
  changes["seams"] = [](Case& c) { c.walk.along_seams.push_back({0, 0, 3, 4, 0}); };
}

struct Scan {
  Sample sample;
  kn::codegen::ScanPass pass{.kind = ReduceKind::sum, .body = &sample.body, .axis = 1, .result = DType::float32};
  kn::codegen::ScanWalk walk;

  Scan() { walk = make_scan_walk(pass, traits); }
  Scan(const Scan& other) : sample(other.sample), pass(other.pass), walk(other.walk) { pass.body = &sample.body; }
  kn::codegen::ScanSpec spec() const { return {walk, pass}; }
  KernelText text() const { return print_scan(pass, walk, parameters_of(pass, walk), traits); }
};

/// Elements divided by the sums of their rows.
struct Rows {
  Sample sample;
  NodeRef sum;
  kn::codegen::RowsWalk walk;

  Rows() {
    sum = kn::graph::make_node(Op::reduce, DType::float32, Shape{30}, place, {&sample.a, 1},
                               kn::graph::make_attributes<Op::reduce>({ReduceKind::sum, {1}}));
    Body& body = sample.body;
    body.loads.pop_back();
    const DType type = DType::float32;
    body.lines = {{Op::leaf, type, type, {0, -1, -1}},
                  {Op::reduce, type, type, {0, -1, 0}},
                  {Op::divide, type, type, {0, 1, -1}}};
    body.folds = {{sum.get(), 1}};
    body.outputs = {{sample.result.get(), 2}};
    walk = make_rows_walk(body, traits);
  }
  const kn::codegen::RowsWalk& spec() const { return walk; }
  KernelText text() const { return print_rows(sample.body, walk, parameters_of(sample.body, walk), traits); }
};

/// Results divided by two.
const Body& halved() {
  static const Body body = [] {
    static const NodeRef result = kn::graph::make_leaf(DType::float32, kn::graph::row_major({30}), nullptr, place);
    static const NodeRef two = constant(DType::float32, 2, 2);
    const DType type = DType::float32;
    Body finish;
    finish.domain = {30};
    finish.loads.push_back({result.get(), result->layout, type, false});
    finish.constants = {two.get()};
    finish.lines = {{Op::leaf, type, type, {0, -1, -1}},
                    {Op::constant, type, type, {0, -1, -1}},
                    {Op::divide, type, type, {0, 1, -1}}};
    finish.outputs = {{result.get(), 2}};
    return finish;
  }();
  return body;
}

/// A standard deviation: it has states, and a finish with constants.
struct Reduce {
  Sample sample;
  kn::codegen::ReducePass pass{.kind = ReduceKind::std, .body = &sample.body, .result = DType::float32};
  kn::codegen::ReduceWalk walk;

  Reduce() { walk = make_reduce_walk(pass, {1}, traits); }
  Reduce(const Reduce& other) : sample(other.sample), pass(other.pass), walk(other.walk) { pass.body = &sample.body; }
  kn::codegen::ReduceSpec spec() const { return {walk, pass}; }
  KernelText text() const {
    const std::array<kn::codegen::Finish, 2> finishes{{{30, 1}, {30, 1}}};
    return print_reduce(pass, walk, parameters_of(pass, walk, finishes), traits);
  }
};

}  // namespace

// To its last byte: a driver may not add what C puts behind the last field.
TEST_CASE("a block is the struct that its text says") {
  ParamBlock block;
  const std::vector<std::int64_t> list{5, -6, 7}, none;
  for (int time = 0; time < 2; ++time) {  // its memory is used again
    block.clear();
    block.add({"c", 0}, 1.5f);
    block.add("inner", std::uint64_t{3});
    block.add_constant({"c", 1}, *constant(DType::bool_, 1, 0));
    block.add_constant({"c", 2}, *constant(DType::int16, -2, 0));
    block.add_constant({"c", 3}, *constant(DType::float16, 0, 0.1));
    block.add("list", list);
    block.add("none", none);
    block.add_real("divisor", DType::float64, 0.25);
    block.add_real("scale", DType::float16, 8);
  }
  struct {
    float c0 = 1.5f;
    std::uint32_t gap = 0;
    std::uint64_t inner = 3;
    std::uint8_t c1 = 1, byte = 0;
    std::int16_t c2 = -2;
    float c3 = 0.099975586f;  // the nearest float16
    std::int64_t list[3] = {5, -6, 7};
    double divisor = 0.25;
    float scale = 8;
    std::uint32_t end = 0;
  } const expected;
  check_bytes(block, expected);
  CHECK(block.type() ==
        "typedef struct {\n  float c0;\n  ulong inner;\n  uchar c1;\n  short c2;\n  float c3;\n  long list[3];\n"
        "  double divisor;\n  float scale;\n  uchar filled[4];\n} kn_bounds;\n");
}

TEST_CASE("complex numbers are aligned to their size, as OpenCL's vectors are") {
  ParamBlock block;
  block.add("count", std::int64_t{1});
  block.add_constant({"c", 0}, *constant(DType::complex128, 0, {2, 3}));
  block.add_constant({"c", 1}, *constant(DType::complex64, 0, {4, 5}));
  struct alignas(16) {
    std::int64_t count = 1, gap = 0;
    double c0[2] = {2, 3};
    float c1[2] = {4, 5};
    std::int64_t end = 0;
  } const expected;
  check_bytes(block, expected);
  CHECK(block.type() ==
        "typedef struct {\n  long count;\n  double2 c0;\n  float2 c1;\n  uchar filled[8];\n} kn_bounds;\n");
}

TEST_CASE("a block that does not fit beside the buffers is spilled") {
  ParamBlock block;
  block.add("list", std::vector<std::int64_t>(10));
  DeviceTraits small;
  small.max_parameter_bytes = 80 + 3 * 8;
  CHECK_FALSE(block.spills(3, small));
  CHECK(block.spills(4, small));
}

TEST_CASE("what an element-wise kernel is compiled for is in its key and in its text") {
  using Case = Elementwise;
  const auto outer_axis = [](Case& c) {
    c.walk.axes.add_axis(40, 1);
    c.walk.seams[0].axis = 0;
  };
  const auto tile = [](Case& c) {
    c.walk.tiled = true;
    c.walk.tile = {1, 1, 4, 5};
    c.walk.tile_strides.assign(4 * c.walk.access.size(), 3);
    c.walk.access[1] = Access::tabled;
  };
  check_fields<Case>({}, {{"KN_W", [](Case& c) { c.walk.width = 2; }},
                          {"KN_CPU", [](Case& c) { c.walk.cpu = !c.walk.cpu; }},
                          {"KN_ALIGNED", [](Case& c) { c.walk.aligned = !c.walk.aligned; }},
                          {"KN_ACROSS", [](Case& c) { c.walk.across = true; }},
                          {"KN_STACKED", [](Case& c) { c.walk.stacked = true; }},
                          {"KN_PARTS", [](Case& c) { c.walk.by_parts = true; }},
                          {"KN_TILED", tile},
                          {"straddles", [](Case& c) { c.walk.straddles[0] = 1; }},
                          {"steady", [](Case& c) { c.walk.steady[1] = 1; }},
                          {"KN_ROWS",
                           [](Case& c) {
                             c.walk.axes = {};
                             c.walk.axes.layouts = 4;
                             c.walk.axes.add_axis(40, 1);
                           }},
                          {"KN_INDEX", [](Case& c) { c.walk.wide = !c.walk.wide; }},
                          {"KN_OFFSET", [](Case& c) { c.walk.far = !c.walk.far; }},
                          {"inside",
                           [](Case& c) {
                             c.walk.inside = {{0, 7}, {30, 33}, {0, 1, 2, 3}, {80, 1, 2, 3, 4, 5, 6, 7}, {}};
                           }},
                          {"told",
                           [](Case& c) {
                             c.walk.inside = {{0, 7}, {30, 33}, {0, 1, 2, 3}, {80, 1, 2, 3, 4, 5, 6, 7}, {2, 1, 2}};
                           }},
                          {"spilled", [](Case& c) { c.walk.spilled = true; }},
                          {"transposed",
                           [](Case& c) {
                             c.walk.depth = 50;
                             c.walk.deep_strides = {1, 40, 40, 40};
                           }},
                          {"any axes", [](Case& c) { c.walk.any_axes = true; }},
                          {"axes", outer_axis},
                          {"access", [](Case& c) { c.walk.access[1] = Access::strided; }},
                          {"leaders", [](Case& c) { c.walk.leader[1] = 0; }},
                          {"seams",
                           [](Case& c) {
                             c.walk.seams.push_back({1, 1, 3, 4, 0});
                           }},
                          {"seam_of", [](Case& c) { c.walk.seams[0].operand = 1; }},
                          {"seam_along", [](Case& c) { c.walk.seams[0].axis = 1; }},
                          {"seam_turns", [](Case& c) { c.walk.seams[0].turn = -2; }}});
  check_values<Case>({}, {[](Case& c) { c.walk.offsets[0] = 17; }, [](Case& c) { c.walk.axes.shape[0] = 31; },
                          [](Case& c) { c.walk.axes.strides[1] = 1000; },
                          [](Case& c) { c.walk.seams[0].at = c.walk.seams[0].jump = 11; }});
  Case tiles;
  tile(tiles);
  check_values<Case>(tiles, {[](Case& c) { c.walk.tile[2] = 7; }, [](Case& c) { c.walk.tile_strides[5] = 8; },
                             [](Case& c) { c.walk.tiled_elements = 99; }});
}

TEST_CASE("what a scan's kernel is compiled for is in its key and in its text") {
  using Case = Scan;
  std::map<std::string, std::function<void(Case&)>> changes;
  add_fields_of_rows(changes);
  changes["kind"] = [](Case& c) { c.pass.kind = ReduceKind::max; };
  changes["result"] = [](Case& c) { c.pass.result = DType::float16; };
  changes["KN_TOTALS"] = [](Case& c) { c.pass.totals = true; };
  changes["prefixed"] = [](Case& c) { c.pass.prefixed = true; };
  changes["exclusive"] = [](Case& c) { c.pass.exclusive = true; };
  changes["KN_GROUPS"] = [](Case& c) { c.walk.groups = 3; };
  changes["KN_GROUP"] = [](Case& c) { c.walk.group = 128; };
  changes["KN_CHAINED"] = [](Case& c) { c.pass.chained = true; };
  changes["KN_CARRIED"] = [](Case& c) { c.walk.carried = c.pass.carried = true; };
  changes["KN_LANES"] = [](Case& c) { c.walk.lanes = 256; };
  check_fields<Case>({}, changes);
  check_values<Case>({}, {[](Case& c) { c.walk.count = c.walk.units_per_item = 1000; },
                          [](Case& c) { c.walk.along[0] = 1000; }, [](Case& c) { c.walk.kept.strides[0] = 1000; }});
}

TEST_CASE("what a kernel of whole rows is compiled for is in its key and in its text") {
  using Case = Rows;
  std::map<std::string, std::function<void(Case&)>> changes;
  add_fields_of_rows(changes);
  changes["KN_ROOM"] = [](Case& c) { c.walk.room = 8192; };
  changes["KN_LANES"] = [](Case& c) { c.walk.lanes = 256; };
  changes["KN_WHOLE"] = [](Case& c) { c.walk.whole = true; };
  changes["KN_AGAIN"] = [](Case& c) { c.walk.again = true; };
  changes["KN_TOGETHER"] = [](Case& c) { c.walk.together = true; };
  changes["KN_LONGEST_CHAIN"] = [](Case& c) { c.walk.chain = 4096; };
  check_fields<Case>({}, changes);
  check_values<Case>({}, {[](Case& c) { c.walk.count = c.walk.rows = 1000; }, [](Case& c) { c.walk.along[0] = 1000; }});
}

TEST_CASE("every bit of a number that a kernel is compiled for is in its key") {
  std::set<std::string> keys;
  for (int bit = 0; bit < 31; ++bit) {
    kn::codegen::RowsWalk walk{};
    walk.room = 1 << bit;
    std::string key;
    append_key(key, walk);
    keys.insert(key);
  }
  CHECK(keys.size() == 31);
}

TEST_CASE("what a reduction's kernel is compiled for is in its key and in its text") {
  using Case = Reduce;
  check_fields<Case>({}, {{"kind", [](Case& c) { c.pass.kind = ReduceKind::var; }},
                          {"result", [](Case& c) { c.pass.result = DType::float16; }},
                          {"several",
                           [](Case& c) {
                             c.pass.several = {{ReduceKind::sum, DType::float32}, {ReduceKind::max, DType::float32}};
                           }},
                          {"finished", [](Case& c) { c.pass.finish = &halved(); }},
                          {"takes_states", [](Case& c) { c.pass.partial = true; }},
                          {"leaves_states", [](Case& c) { c.pass.last = false; }},
                          {"columns", [](Case& c) { c.walk.columns = !c.walk.columns; }},
                          {"KN_W", [](Case& c) { c.walk.width = 2; }},
                          {"KN_CPU", [](Case& c) { c.walk.cpu = !c.walk.cpu; }},
                          {"KN_ALIGNED", [](Case& c) { c.walk.aligned = !c.walk.aligned; }},
                          {"KN_ROWS", [](Case& c) { c.walk.reduced.add_axis(3, 5); }},
                          {"KN_INDEX", [](Case& c) { c.walk.wide = !c.walk.wide; }},
                          {"KN_FIXED", [](Case& c) { c.walk.fixed = true; }},
                          {"KN_RAGGED", [](Case& c) { c.walk.ragged = true; }},
                          {"KN_TOGETHER", [](Case& c) { c.walk.together = !c.walk.together; }},
                          {"KN_DENSE", [](Case& c) { c.walk.dense = !c.walk.dense; }},
                          {"KN_CHUNK", [](Case& c) { c.walk.chunk = 0; }},
                          {"KN_CHAINS", [](Case& c) { c.walk.chains = 4; }},
                          {"steady", [](Case& c) { c.walk.steady.assign(1, kn::codegen::Steady::one); }},
                          {"KN_SKIMMED", [](Case& c) { c.walk.skims = true; }},
                          {"KN_LANES", [](Case& c) { c.walk.lanes = 256; }},
                          {"KN_ROUNDS", [](Case& c) { c.walk.rounds = 2; }},
                          {"KN_WHOLE", [](Case& c) { c.walk.whole = true; }},
                          {"KN_BLOCKS", [](Case& c) { c.walk.in_blocks = true; }},
                          {"KN_TILE", [](Case& c) { c.walk.tile = 7; }},
                          {"spilled", [](Case& c) { c.walk.spilled = true; }},
                          {"kept", [](Case& c) { c.walk.kept.add_axis(3, 5); }},
                          {"reduced", [](Case& c) { c.walk.reduced.add_axis(3, 5); }},
                          {"seams",
                           [](Case& c) {
                             c.walk.reduced_seams.push_back({0, 0, 3, 4, 0});
                           }},
                          {"access", [](Case& c) { c.walk.access[0] = Access::uniform; }}});
  check_values<Case>({}, {[](Case& c) { c.walk.inner = c.walk.units = 1000; }, [](Case& c) { c.walk.offsets[0] = 17; },
                          [](Case& c) { c.walk.kept.strides[0] = 1000; }});
}
