// SPDX-License-Identifier: Apache-2.0
// Plans of graphs that came more than once, found by the graphs' structure.
#pragma once

#include "codegen/body.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace koine::codegen {

/// All that a plan depends on, in words: equal words, equal plans but for the nodes themselves.
using Structure = std::vector<std::uint64_t>;

/// A plan whose nodes are given by their numbers among the graph's pending nodes, or, below zero, among its leaves.
struct KnownPlan {
  struct Part {
    /// A body, and the nodes of its lists.
    struct Code {
      Body body;
      std::vector<std::int32_t> sources, takes, constants, loops, folds, calls, outputs;
    };

    graph::Op family;
    std::int32_t node;
    Code code, finish;
    ProductOperands operands{};
    std::array<std::int32_t, 2> sources{};  // of these
  };

  /// A node's input becomes what another node, the reader, has as an input of its own: an equal value.
  struct Replacement {
    std::int32_t node, input, reader, input_of_reader;
  };

  Structure structure;
  std::vector<Replacement> replacements;  // before all else
  std::vector<Part> parts;                // in the order in which they run
  std::vector<std::int32_t> unstored;     // nodes that are computed and not kept
  std::size_t nodes = 0;
  std::uint64_t used = 0;
};

class KnownPlans {
 public:
  /// The plan for this structure, or null.
  const KnownPlan* find(std::uint64_t hash, const Structure& structure);
  /// Whether a plan is worth keeping: its structure came before. Most come once.
  bool comes_again(std::uint64_t hash);
  /// Keeps a plan; those used longest ago go when there are many.
  void keep(std::uint64_t hash, std::unique_ptr<KnownPlan> plan);

 private:
  static constexpr std::size_t most_nodes = 1 << 15;

  std::unordered_map<std::uint64_t, std::unique_ptr<KnownPlan>> plans_;
  std::size_t nodes_ = 0;
  std::uint64_t clock_ = 0;
  std::vector<std::uint64_t> seen_ = std::vector<std::uint64_t>(1024);  // the last hash in each slot
};

}  // namespace koine::codegen
