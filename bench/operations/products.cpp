// SPDX-License-Identifier: Apache-2.0
// Products of matrices and vectors: square, tall, flat, in stacks, of three types. products.py says what each is.
#include "operation.hpp"

namespace twins {
namespace {

using A = kn::Array;
using kn::matmul, kn::slice;

const Add operations[] = {
    {"matvec", [](const A& a, const A& row) { return matmul(a, row); }, "a", "row"},
    {"vecmat", [](const A& a, const A& row) { return matmul(row, a); }, "a", "row"},
    {"tallvec", [](const A& rows, const A& few) { return matmul(rows, few); }, "rows64", "few64"},
    {"tallvecT", [](const A& rows, const A& line) { return matmul(rows.T(), line(slice(0, line.size() / 64))); },
     "rows64", "line"},
    {"gram64", [](const A& rows) { return matmul(rows.T(), rows); }, "rows64"},
    {"skinny", [](const A& rows) { return matmul(rows, rows(slice(0, 64))); }, "rows64"},
    {"batch8", [](const A& squares) { return matmul(squares, squares); }, "squares8"},
    {"batch64", [](const A& squares) { return matmul(squares, squares); }, "squares64"},
    {"mm512",
     [](const A& a) {
       const A corner = a(slice(0, 512), slice(0, 512));
       return matmul(corner, corner);
     },
     "a"},
    {"mm", [](const A& a, const A& b) { return matmul(a, b); }, "a", "b"},
    {"mmT", [](const A& a, const A& b) { return matmul(a.T(), b); }, "a", "b"},
    {"mm_f16", [](const A& half) { return matmul(half, half); }, "half"},
    {"mm_f64", [](const A& x) { return matmul(x, x); }, "double"},
};

}  // namespace
}  // namespace twins
