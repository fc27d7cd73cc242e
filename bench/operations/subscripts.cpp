// SPDX-License-Identifier: Apache-2.0
// Elements by position, by mask and by value. subscripts.py says what each is.
#include "operation.hpp"

namespace twins {
namespace {

using A = kn::Array;

const Add operations[] = {
    {"take", [](const A& line, const A& positions) { return kn::take(line, positions); }, "line", "positions"},
    {"take_rows",
     [](const A& a, const A& keys, const A& row) { return kn::take(a, keys(kn::slice(0, row.size())), {.axis = 0}); },
     "a", "keys", "row"},
    {"mask", [](const A& a, const A& mask) { return a(mask); }, "a", "mask"},
    {"searchsorted", [](const A& row, const A& line) { return kn::searchsorted(row, line); }, "sorted_row", "line"},
    {"histogram", [](const A& line) { return kn::histogram(line, {.bins = 100}).counts; }, "line"},
};

}  // namespace
}  // namespace twins
