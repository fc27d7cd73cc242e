// SPDX-License-Identifier: Apache-2.0
// Running sums, sorts, and what needs an order. ordering.py says what each is.
#include "operation.hpp"

namespace twins {
namespace {

using A = kn::Array;

const Add operations[] = {
    {"cumsum", [](const A& line) { return kn::cumulative_sum(line); }, "line"},
    {"cumsum0", [](const A& a) { return kn::cumulative_sum(a, {.axis = 0}); }, "a"},
    {"cumsum1", [](const A& a) { return kn::cumulative_sum(a, {.axis = 1}); }, "a"},
    {"sort", [](const A& line) { return kn::sort(line); }, "line"},
    {"argsort", [](const A& line) { return kn::argsort(line); }, "line"},
    {"sort_int", [](const A& keys) { return kn::sort(keys); }, "keys"},
    {"sort1", [](const A& a) { return kn::sort(a, {.axis = 1}); }, "a"},
    {"unique", [](const A& keys) { return kn::unique_values(keys); }, "keys"},
    {"topk", [](const A& line) { return kn::topk(line, 100).values; }, "line"},
    {"median", [](const A& line) { return kn::median(line); }, "line"},
};

}  // namespace
}  // namespace twins
