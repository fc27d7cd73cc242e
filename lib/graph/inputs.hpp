// SPDX-License-Identifier: Apache-2.0
// Inputs: the nodes that a node is computed from.
#pragma once

#include <koine/array.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <span>

namespace koine::graph {

/// Any number of nodes, up to three of them inside the object: building one is most of what small work costs the host.
class Inputs {
 public:
  Inputs() = default;
  Inputs& operator=(std::span<const NodeRef> nodes) {
    more_ = nodes.size() > few_.size() ? std::make_unique<NodeRef[]>(nodes.size()) : nullptr;
    size_ = nodes.size();
    for (std::size_t i = 0; i < size_; ++i) begin()[i] = nodes[i];
    return *this;
  }
  void clear() {
    few_ = {};
    more_.reset();
    size_ = 0;
  }

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  NodeRef* begin() noexcept { return more_ ? more_.get() : few_.data(); }
  NodeRef* end() noexcept { return begin() + size_; }
  const NodeRef* begin() const noexcept { return more_ ? more_.get() : few_.data(); }
  const NodeRef* end() const noexcept { return begin() + size_; }
  NodeRef& operator[](std::size_t i) noexcept { return begin()[i]; }
  const NodeRef& operator[](std::size_t i) const noexcept { return begin()[i]; }

 private:
  std::array<NodeRef, 3> few_;
  std::unique_ptr<NodeRef[]> more_;
  std::size_t size_ = 0;
};

}  // namespace koine::graph
