// SPDX-License-Identifier: Apache-2.0
// How many bytes of memory a kernel reads and writes, for those who look on: plans that are explained, and profiles.
#pragma once

#include "codegen/body.hpp"

#include <cstdint>

namespace koine::exec {

struct Traffic {
  std::uint64_t read = 0, written = 0;
};

/// What loads and results of a body come to. Elements that several loads read, or one load many times, count once, as
/// far as strides tell: from there on caches have them.
Traffic traffic_of(const codegen::Body& body);
/// Bytes of all elements of a node.
std::uint64_t bytes_of(const graph::Node& node);

}  // namespace koine::exec
