// SPDX-License-Identifier: Apache-2.0
// Chains of views between a kernel's domain and a node that it reads; equal chains have equal numbers.
#pragma once

#include "graph/node.hpp"

#include <cstdint>
#include <vector>

namespace koine::codegen {

class Chains {
 public:
  /// Read in place: no view and no broadcast between.
  static constexpr std::int32_t identity = -1;

  void clear() { links_.clear(); }

  /// The chain through which `node`, itself read through `chain`, reads `input`.
  std::int32_t extend(std::int32_t chain, const graph::Node& node, const graph::Node& input);
  /// The layout over the kernel's domain of what has `layout` by itself.
  graph::Pieces apply(std::int32_t chain, const graph::Layout& layout) const;
  /// Whether an element may be read for several elements of the domain.
  bool repeats(std::int32_t chain) const {
    return chain != identity && links_[static_cast<std::size_t>(chain)].repeats;
  }

 private:
  struct Link {
    std::int32_t outer;
    const graph::ViewMap* map;  // null for a broadcast to `shape`
    const Shape* shape;
    bool repeats;
  };
  std::vector<Link> links_;
};

}  // namespace koine::codegen
