// SPDX-License-Identifier: Apache-2.0
// Which tiles products in PTX have on an invented card, and how much of the depth its groups share.
#include <doctest/doctest.h>

#include <cstdint>
#include <utility>

#include "cl/capabilities.hpp"
#include "exec/matmul_ptx_tiles.hpp"
#include "support/invented.hpp"

using koine::DeviceTraits;
using koine::codegen::PtxMatmul;
using koine::exec::choose_tile;
using koine::exec::MatmulPiece;
using koine::exec::spread_groups;
using koine::exec::whole_tiles;

TEST_CASE("groups share the depth of tiles where whole ones would leave a Hopper card's units idle") {
  DeviceTraits card = koine::test::invented_device("nvidia", koine::DeviceClass::gpu);
  card.architecture = "sm_90";
  koine::cl::set_capabilities(card);
  card.compute_units = 132;
  PtxMatmul program{.type = koine::float32};
  const auto choose = [&](std::int64_t m, std::int64_t n, std::int64_t k, bool fixed, std::int64_t matrices) {
    MatmulPiece p;
    p.m = m;
    p.n = n;
    p.k = k;
    p.fixed = fixed;
    p.a.row_stride = k;
    p.b.row_stride = n;
    p.a.column_stride = p.b.column_stride = 1;
    p.batch.sizes[3] = matrices;
    program = {.type = koine::float32, .b_along = false, .batched = matrices > 1};
    choose_tile(program, p, card, false);
    return std::pair(program.rows, program.columns);
  };
  choose(2500, 2500, 2500, false, 1);
  CHECK(program.spread);
  choose(2500, 2500, 2500, true, 1);  // one chain of sums
  CHECK_FALSE(program.spread);
  choose(4096, 4096, 4096, false, 1);
  CHECK_FALSE(program.spread);
  CHECK(program.columns == 256);
  CHECK(choose(100'000, 16, 300, false, 1) == std::pair(256, 16));
  CHECK(choose(100'000, 24, 300, false, 1) == std::pair(256, 32));
  CHECK(choose(80, 80, 80, false, 1000) == std::pair(32, 80));
  CHECK(program.lone);
  CHECK(choose(48, 48, 48, true, 1000) == std::pair(64, 48));
  for (const std::int64_t tiles : {1, 7, 132, 133, 400, 5000}) {
    for (const std::int64_t steps : {3, 10, 128}) {
      const std::int64_t groups = spread_groups(tiles, steps, 132);
      const std::int64_t shared = tiles - whole_tiles(tiles, groups);
      // Pieces that differ by a step at either end from a tile's have none that is empty.
      CHECK(shared * steps >= 3 * groups);
      CHECK(shared <= 2 * groups);
    }
  }
}
