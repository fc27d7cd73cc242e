// SPDX-License-Identifier: Apache-2.0
// Random numbers, as many as `line` has, and an order at random.
#include "operation.hpp"

namespace twins {
namespace {

using A = kn::Array;

kn::random::Generator& generator() {
  static kn::random::Generator one(1);
  return one;
}

const Add operations[] = {
    {"normal", [](const A& line) { return generator().normal(line.shape()); }, "line"},
    {"uniform", [](const A& line) { return generator().uniform(line.shape()); }, "line"},
    {"permutation", [](const A& line) { return generator().permutation(line.size() / 4); }, "line"},
};

}  // namespace
}  // namespace twins
