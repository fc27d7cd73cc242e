// SPDX-License-Identifier: Apache-2.0
// Factorisations and equations of small matrices on cards, of which a work-group takes several:
// kernels/small_factors.cl.
#pragma once

#include "device/traits.hpp"
#include "exec/programs.hpp"
#include "graph/node.hpp"
#include "runtime/context.hpp"

#include <cstdint>
#include <functional>

namespace koine::exec {

/// Whether work-groups take several matrices of so many rows, with so many columns that of right sides included.
/// Elements are those of the kernels for larger matrices, so that reproducible scopes may have them, too; not of QR.
bool fits_small_groups(const graph::Place& place, DType type, std::int64_t rows, std::int64_t columns);
/// The same of QR factorisations, which have an identity beside the matrix.
bool reflects_in_small_groups(const graph::Place& place, DType type, std::int64_t rows, std::int64_t columns);

// Each asks for its kernel, and gives what enqueues it, or nothing where the node's matrices do not fit. Inputs are in
// row-major order.
std::function<void(const runtime::Buffer& factor)> prepare_small_cholesky(Programs& programs, runtime::Queue& queue,
                                                                          const graph::Node& node);
std::function<void(const runtime::Buffer& factors, const runtime::Buffer& order, const runtime::Buffer& exchanges)>
prepare_small_lu(Programs& programs, runtime::Queue& queue, const graph::Node& node);
std::function<void(const runtime::Buffer& q, const runtime::Buffer& r)> prepare_small_qr(Programs& programs,
                                                                                         runtime::Queue& queue,
                                                                                         const graph::Node& node);
std::function<void(const runtime::Buffer& solution)> prepare_small_solve(Programs& programs, runtime::Queue& queue,
                                                                         const graph::Node& node);
std::function<void(const runtime::Buffer& solution)> prepare_small_triangular(Programs& programs, runtime::Queue& queue,
                                                                              const graph::Node& node);

}  // namespace koine::exec
