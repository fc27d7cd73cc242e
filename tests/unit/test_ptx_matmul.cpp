// SPDX-License-Identifier: Apache-2.0
// The texts of products in PTX, as far as they can be judged without an assembler: registers, labels, local memory, and
// when a box of results may be written again.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "codegen/ptx_matmul.hpp"
#include "support/devices.hpp"
#include "support/files.hpp"

using koine::DType;
using koine::codegen::print_ptx_matmul;
using koine::codegen::PtxEpilogue;
using koine::codegen::PtxMatmul;
namespace codegen = koine::codegen;
namespace graph = koine::graph;

namespace {

/// relu(product + row) + residual where a mask says so, of a product of 64 columns.
std::shared_ptr<const PtxEpilogue> epilogue_of(DType product, DType result) {
  static std::vector<graph::NodeRef> alive;
  const koine::Shape shape{32, 64};
  codegen::Body body;
  body.domain = shape;
  const auto leaf = [&](DType type, graph::Layout layout) {
    alive.push_back(graph::make_leaf(type, layout, nullptr, {}));
    const auto number = static_cast<std::int32_t>(body.loads.size());
    body.loads.push_back({alive.back().get(), std::move(layout), type, false});
    body.lines.push_back({graph::Op::leaf, type, type, {number, -1, -1}});
  };
  const auto line = [&](graph::Op op, DType type, DType in_type, std::int32_t one, std::int32_t two = -1) {
    body.lines.push_back({op, type, in_type, {one, two, -1}});
  };
  const graph::Layout whole = graph::row_major(shape);
  leaf(product, whole);
  leaf(product, {shape, {0, 1}});
  line(graph::Op::add, product, product, 0, 1);
  line(graph::Op::abs, product, product, 2);
  line(graph::Op::maximum, product, product, 2, 3);
  leaf(product, whole);
  line(graph::Op::subtract, product, product, 4, 5);
  leaf(DType::bool_, whole);
  line(graph::Op::cast, product, DType::bool_, 7);
  line(graph::Op::multiply, product, product, 6, 8);
  line(graph::Op::cast, result, product, 9);
  alive.push_back(graph::make_leaf(result, whole, nullptr, {}));
  body.outputs.push_back({alive.back().get(), 10});
  const auto made = PtxEpilogue::of(body, *codegen::make_epilogue_walk(body), 64);
  REQUIRE(made.has_value());
  return std::make_shared<const PtxEpilogue>(*made);
}

/// One of each kind.
std::vector<PtxMatmul> programs() {
  std::vector<PtxMatmul> list;
  const std::pair<DType, bool> kinds[] = {{DType::float16, false},
                                          {DType::bfloat16, false},
                                          {DType::float32, false},
                                          {DType::float32, true},
                                          {DType::float64, false}};
  for (const auto& [type, tf32] : kinds) {
    for (const int side : {256, 192, 128, 64}) {
      if (type == DType::float64 && side > 128) continue;
      if (side == 192 && (type != DType::float32 || tf32)) continue;
      for (int flags = 0; flags < 32; ++flags) {
        const auto flag = [&](int bit) { return (flags >> bit & 1) != 0; };
        PtxMatmul program{.type = type,
                          .tf32 = tf32,
                          .a_along = flag(0),
                          .b_along = flag(1),
                          .columns = side,
                          .batched = flag(2),
                          .parts = flag(3),
                          .aligned = flag(4)};
        if (tf32 && !program.a_along) continue;
        if (program.size() != 2 && program.parts) continue;
        if (program.turned()) std::swap(program.rows, program.columns);
        list.push_back(program);
        if (type != DType::float64 && !program.turned() && flag(2) == flag(4)) {
          program.epilogue = epilogue_of(type, program.parts ? DType::float32 : type);
          list.push_back(program);
          program.epilogue = nullptr;
        }
        if ((type == DType::float64 || program.fma()) && flag(4) && !flag(2)) {
          list.push_back(program);
          list.back().taken = true;
        }
        if (side <= 128 && (!tf32 || program.b_along)) {
          list.push_back(program);
          list.back().sm80 = true;
        }
        if (tf32 && program.b_along && side <= 128) {
          list.push_back(program);
          list.back().split = true;
        }
        if (program.fma()) {
          list.push_back(program);
          list.back().blocks = true;
          if (side < 256) {
            list.push_back(program);
            list.back().spread = true;
            list.push_back(list.back());
            list.back().loose = true;
            list.push_back(program);
            list.back().loose = true;
            list.push_back(list.back());
            list.back().blocks = true;
          }
          for (const int columns : {32, 16}) {
            if (side != 64) continue;
            list.push_back(program);
            list.back().rows = 256;
            list.back().columns = columns;
            list.push_back(list.back());
            list.back().spread = true;
          }
        }
        if ((!program.fma() && type != DType::float64) || side != 64) continue;
        program.rows = 64;
        list.push_back(program);
        if (program.fma()) {
          if (!program.batched) continue;
          program.lone = true;
          list.push_back(program);
          list.push_back(program);
          list.back().blocks = true;
          program.epilogue = epilogue_of(type, type);
          list.push_back(program);
          program.epilogue = nullptr;
          const std::pair<int, int> tiles[] = {{64, 48}, {32, 80}, {96, 48}};
          for (const auto& [rows, columns] : tiles) {
            program.rows = rows;
            program.columns = columns;
            list.push_back(program);
          }
          program.loose = true;
          const std::pair<int, int> fetched[] = {{64, 32}, {32, 32}, {32, 48}, {64, 48}};
          for (const auto& [rows, columns] : fetched) {
            program.rows = rows;
            program.columns = columns;
            list.push_back(program);
          }
          program.loose = false;
          program.rows = program.columns = 64;
          if (program.a_along != program.b_along) continue;
          program.gram = true;
          list.push_back(program);
          continue;
        }
        program.rows = 32;
        list.push_back(program);
      }
    }
  }
  return list;
}

/// What stands between `before` and the next semicolon, everywhere.
std::set<std::string> found(const std::string& text, const std::string& before) {
  std::set<std::string> all;
  for (std::size_t at = text.find(before); at != text.npos; at = text.find(before, at)) {
    at += before.size();
    all.insert(text.substr(at, text.find(';', at) - at));
  }
  return all;
}

}  // namespace

TEST_CASE("each program has a text and a signature of its own") {
  std::set<std::string> texts, signatures;
  for (const PtxMatmul& program : programs()) {
    texts.insert(print_ptx_matmul(program));
    signatures.insert(program.signature());
  }
  CHECK(texts.size() == programs().size());
  CHECK(signatures.size() == programs().size());
}

TEST_CASE("texts jump to labels that are there, and stay within local memory") {
  for (const PtxMatmul& program : programs()) {
    CAPTURE(program.signature());
    const std::string text = print_ptx_matmul(program);
    for (const std::string& target : found(text, "bra ")) {
      CAPTURE(target);
      CHECK(text.find("\n" + target + ":") != text.npos);
    }
    const std::set<std::string> local = found(text, ".b8 ring[");
    CHECK(local.size() == 1);
    CHECK(std::stoi(*local.begin()) <= 227 * 1024);
    CHECK(program.stages() >= (program.lone && (program.loose || program.rows == 96) ? 2
                               : program.split || program.sm80 || program.lone       ? 3
                                                                                     : 4));
    if (program.sm80) CHECK(std::stoi(*local.begin()) <= 99 * 1024);
  }
}

TEST_CASE("a tile with a single box waits until that box has been read; others take turns") {
  PtxMatmul program{.type = DType::float16, .columns = 64};
  const auto waits = [&] { return found(print_ptx_matmul(program), "cp.async.bulk.wait_group.read "); };
  CHECK(waits() == std::set<std::string>{"0"});
  program.parts = true;  // float32, two boxes
  CHECK(waits() == std::set<std::string>{"1"});
  program = {.type = DType::float16, .columns = 128};
  CHECK(waits() == std::set<std::string>{"1"});
  program.aligned = false;  // stored by the work-items
  CHECK(waits().empty());
}

TEST_CASE("ptxas takes all texts, and spills few registers, in the largest tiles of multiply-adds and in epilogues" *
          doctest::skip(!koine::test::exhaustive() || std::system("ptxas --version > /dev/null 2>&1") != 0)) {
  const koine::test::TemporaryFolder folder;
  const std::string text = (folder.path() / "text.ptx").string(), said = (folder.path() / "said.txt").string();
  for (const PtxMatmul& program : programs()) {
    CAPTURE(program.signature());
    std::ofstream(text) << print_ptx_matmul(program);
    const std::vector<std::string> targets =
        program.sm80 ? std::vector<std::string>{"sm_80", "sm_86", "sm_89"} : std::vector<std::string>{"sm_90a"};
    for (const std::string& target : targets) {
      CAPTURE(target);
      CHECK(std::system(("ptxas -v -arch=" + target + " " + text + " -o /dev/null > " + said + " 2>&1").c_str()) == 0);
      std::ostringstream all;
      all << std::ifstream(said).rdbuf();
      if ((program.fma() && program.columns == 256) || (program.epilogue && program.size() == 4)) continue;
      // How far the walk is, once for each tile; and once for each tile its sums of four.
      if ((program.spread && program.loose && program.columns == 192) || (program.lone && program.rows == 96)) continue;
      CHECK(all.str().find("0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads") != std::string::npos);
    }
  }
}

TEST_CASE("sums of float64 are stored as float64, those of 16 bits in parts as float32") {
  CHECK_FALSE(PtxMatmul{.type = DType::float64, .parts = true}.wide_results());
  CHECK_FALSE(PtxMatmul{.type = DType::float16}.wide_results());
  CHECK(PtxMatmul{.type = DType::float16, .parts = true}.wide_results());
  CHECK(PtxMatmul{.type = DType::float32}.wide_results());
  CHECK(PtxMatmul{.type = DType::float32, .tf32 = true}.wide_results());
}

TEST_CASE("groups of one warp share a compute unit's local memory") {
  PtxMatmul program{.type = DType::float32, .rows = 64, .columns = 64, .batched = true, .lone = true};
  constexpr int unit = 228 * 1024, of_each = 1024;  // all of a Hopper card's, and what its driver keeps for a group
  for (const auto& [loose, columns] : {std::pair{false, 64}, {true, 32}, {true, 48}}) {
    program.loose = loose;
    program.columns = columns;
    const int ring = std::stoi(*found(print_ptx_matmul(program), ".b8 ring[").begin());
    CHECK(program.groups_of_unit() * (ring + of_each) <= unit);
  }
}

TEST_CASE("of a matrix by its transpose a quarter of the multiply-adds is left out") {
  const auto multiply_adds = [](bool along, bool gram) {
    const PtxMatmul program{.type = DType::float32,
                            .a_along = along,
                            .b_along = along,
                            .rows = 64,
                            .columns = 64,
                            .batched = true,
                            .lone = true,
                            .gram = gram};
    return found(print_ptx_matmul(program), "fma.rn.f32 ").size();
  };
  for (const bool along : {false, true}) CHECK(4 * multiply_adds(along, true) == 3 * multiply_adds(along, false));
}
