// SPDX-License-Identifier: Apache-2.0
// How a value reads the memory of the array that it is about to be assigned to a part of.
#pragma once

#include "graph/node.hpp"

namespace koine::exec {

struct Reading {
  bool any = false;        // of that memory's elements
  bool elsewhere = false;  // a result is made of others than lie where it will
  bool alone = true;       // no other holds that memory, or pending work that reads it, but for the value itself
  bool held = false;       // somebody else holds the value
};

/// `part` says where in the memory of the target, which is ready, the value will lie. The array that is assigned to
/// holds one reference to the target, and the call that assigns one to the value. Called under the evaluation mutex.
Reading reading_of(const graph::NodeRef& value, const graph::NodeRef& target, const graph::Layout& part);

}  // namespace koine::exec
