// SPDX-License-Identifier: Apache-2.0
// Copies of what a CPU's kernel would gather from memory again and again.
#pragma once

#include "exec/kernel_run.hpp"

#include <memory>
#include <vector>

namespace koine::exec {

/// Whether any load of a body over so many elements may be worth a copy. (Cheap: most are not.)
bool may_be_copied(const codegen::Body& body, const DeviceTraits& traits);

/// A body, some of whose loads are read from copies of their own that are contiguous along one axis of the domain.
class OrderedCopies {
 public:
  /// Those loads of which `gathered` says that a kernel's vectors, which lie along that axis, gather them, as far as
  /// the kernel reads each of their elements many times; null where there are none. The loads' nodes outlive this.
  static std::unique_ptr<OrderedCopies> of(Programs& programs, runtime::Queue& queue, const codegen::Body& body,
                                           std::size_t axis, const std::vector<bool>& gathered);

  const codegen::Body& body() const { return body_; }
  /// Enqueues the copies, which are in memory from then on until they are released.
  void make();
  void release();

 private:
  struct Copy {
    const graph::Node* original;
    graph::NodeRef source, result;
    graph::Destination destination;
    codegen::Step step;
    Work work;
  };

  explicit OrderedCopies(runtime::Queue& queue, const codegen::Body& body) : queue_(queue), body_(body) {}
  void add(Programs& programs, codegen::Load& load, std::size_t axis);

  runtime::Queue& queue_;
  codegen::Body body_;
  std::vector<std::unique_ptr<Copy>> copies_;
};

}  // namespace koine::exec
