// SPDX-License-Identifier: Apache-2.0
// A matrix by its own transpose, by a BLAS of the host's.
#pragma once

#include "exec/matmul_routes.hpp"

namespace koine::exec {

/// Threads, and whether the calling one does it all.
struct GramThreads {
  int count;
  bool small;
};

/// Whether half of a product takes so many threads less time than all of it.
bool gram_is_worth_it(const MatmulPiece& p, int threads);

/// Of a piece that suits_blas takes.
MatmulWork prepare_gram(Programs& programs, runtime::Queue& queue, const MatmulPiece& piece, GramThreads threads);

}  // namespace koine::exec
