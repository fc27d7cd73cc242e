// SPDX-License-Identifier: Apache-2.0
// Which tiles products in PTX have, and whether compute units share the depth of some.
#pragma once

#include <cstdint>

#include "codegen/ptx_matmul.hpp"
#include "exec/matmul_routes.hpp"

namespace koine::exec {

/// Tiles of a matrix; of one that products are taken from, up to the end of the last row of each row of tiles.
std::int64_t tiles_of(const codegen::PtxMatmul& program, const MatmulPiece& p);

/// Sets rows and columns of a tile, and what goes with them: lone, where it is not loose, gram, spread. `gram`: the
/// program may be one.
void choose_tile(codegen::PtxMatmul& program, const MatmulPiece& p, const DeviceTraits& traits, bool gram);

/// Of a program with `spread`, how many groups have a part of the tiles, ...
std::int64_t spread_groups(std::int64_t tiles, std::int64_t steps, std::int64_t at_once);
/// ... and how many tiles they take whole, as many each.
std::int64_t whole_tiles(std::int64_t tiles, std::int64_t groups);

}  // namespace koine::exec
