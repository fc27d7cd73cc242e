// SPDX-License-Identifier: Apache-2.0
// Elements moved: transposed, rolled, joined, padded, repeated, assigned. layouts.py says what each is.
#include "operation.hpp"

namespace twins {
namespace {

using A = kn::Array;

const Add operations[] = {
    {"copy_T", [](const A& a) { return a.T() * 1.0; }, "a"},
    {"roll0", [](const A& a) { return kn::roll(a, 1, {.axis = 0}); }, "a"},
    {"roll1", [](const A& a) { return kn::roll(a, 1, {.axis = 1}); }, "a"},
    {"concat",
     [](const A& a, const A& b) {
       return kn::concat({a, b});
     },
     "a", "b"},
    {"concat1",
     [](const A& a, const A& b) {
       return kn::concat({a, b}, {.axis = 1});
     },
     "a", "b"},
    {"stack3",
     [](const A& line, const A& other) {
       return kn::stack({line, other, line}, {.axis = -1});
     },
     "line", "other_line"},
    {"pad1", [](const A& a) { return kn::pad(a, 1); }, "a"},
    // Of tile alone Koine makes a view, which takes no time.
    {"tile",
     [](const A& row) {
       return kn::tile(row, kn::Shape{row.size(), 1}).copy();
     },
     "row"},
    {"repeat", [](const A& row) { return kn::repeat(row, row.size()); }, "row"},
    {"setpart",
     [](const A& a) {
       A result = a;
       result(kn::slice(1, -1), kn::slice(1, -1)) = 0.0;
       return result;
     },
     "a"},
};

}  // namespace
}  // namespace twins
