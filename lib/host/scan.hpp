// SPDX-License-Identifier: Apache-2.0
// Scans on the host, in the order of codegen/scan.hpp, so that bits agree with those of kernels.
#pragma once

#include "codegen/scan.hpp"
#include "host/body.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace koine::host {

/// A scan of what a body computes, which outlives this.
class Scan {
 public:
  /// None if the host cannot do it.
  static std::optional<Scan> of(const codegen::ScanPass& pass, const DeviceTraits& traits);

  /// `memory` as of Lines; the result in row-major order.
  std::optional<Lines::Astray> run(const DeviceTraits& traits, std::span<const std::byte* const> memory,
                                   std::byte* result) const;

 private:
  explicit Scan(const codegen::ScanPass& pass) : pass_(pass) {}

  codegen::ScanPass pass_;
};

/// Scans `length` elements of `type`, side by side, in place: in blocks of `block` elements.
void scan_row(graph::ReduceKind kind, DType type, std::size_t block, std::size_t length, std::byte* elements);

}  // namespace koine::host
