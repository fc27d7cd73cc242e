// SPDX-License-Identifier: Apache-2.0
// Chains of views between a kernel's domain and a node that it reads; equal chains have equal numbers.
#pragma once

#include "codegen/index_table.hpp"
#include "graph/node.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace koine::codegen {

class Chains {
 public:
  /// Read in place: no view and no broadcast between.
  static constexpr std::int32_t identity = -1;

  void clear() {
    links_.clear();
    found_.clear();
  }

  /// The chain through which a short reduction along `axis`, itself read through `chain`, reads its input in a loop.
  std::int32_t fold(std::int32_t chain, const graph::Node& node, std::size_t axis);
  /// The chain from `domain` to what has one element for each of its rows: its last axis is missing, or of size one.
  std::int32_t rows(const Shape& domain);
  /// Whether what is read through it is read in a loop; at most one lies between a node and a kernel.
  bool in_loop(std::int32_t chain) const { return chain != identity && links_[static_cast<std::size_t>(chain)].folded; }
  /// The loop's reduction, and the chain through which the kernel reads that.
  std::pair<const graph::Node*, std::int32_t> loop_of(std::int32_t chain) const;

  /// The chain through which `node`, itself read through `chain`, reads its input of that number.
  std::int32_t extend(std::int32_t chain, const graph::Node& node, std::size_t input);
  /// The layout over the kernel's domain of what has `layout` by itself, with axes of the domain split where a reshape
  /// takes that; none where it cannot be said in pieces (graph::apply).
  std::optional<graph::Pieces> apply(std::int32_t chain, const graph::Layout& layout) const;
  /// Whether an element may be read for several elements of the domain.
  bool repeats(std::int32_t chain) const {
    return chain != identity && links_[static_cast<std::size_t>(chain)].repeats;
  }
  /// Whether each element is read for some element of the domain.
  bool reads_all(std::int32_t chain) const {
    return chain == identity || links_[static_cast<std::size_t>(chain)].reads_all;
  }

 private:
  struct Link {
    std::int32_t outer;
    const graph::ViewMap* map;  // null for a broadcast to `shape`
    const Shape* shape;
    bool repeats = false;
    const graph::Node* fold = nullptr;  // a reduction along `axis`, whose loop this is
    std::size_t axis = 0;
    bool folded = false;  // this or a link further out is one
    bool rows = false;    // to what has one element for each row of `shape`
    bool reads_all = true;
  };
  static std::uint64_t hash_of(const Link& link);
  /// The number of a link that leads to the same elements, or -1.
  std::int32_t find(const Link& link) const;
  std::int32_t add(const Link& link);

  std::vector<Link> links_;
  IndexTable found_;
};

}  // namespace koine::codegen
