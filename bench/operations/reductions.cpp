// SPDX-License-Identifier: Apache-2.0
// Sums, extremes and deviations, and what reads them again. reductions.py says what each is.
#include "operation.hpp"

namespace twins {
namespace {

using A = kn::Array;
using kn::all, kn::newaxis;

const Add operations[] = {
    {"sum", [](const A& line) { return kn::sum(line); }, "line"},
    {"sum_f64", [](const A& line) { return kn::sum(line); }, "double_line"},
    {"sum0", [](const A& a) { return kn::sum(a, {.axis = 0}); }, "a"},
    {"sum1", [](const A& a) { return kn::sum(a, {.axis = 1}); }, "a"},
    {"sum_3", [](const A& rows) { return kn::sum(rows, {.axis = 1}); }, "rows3"},
    {"sum_3x", [](const A& columns) { return kn::sum(columns, {.axis = 0}); }, "columns3"},
    {"sum_16", [](const A& rows) { return kn::sum(rows, {.axis = 1}); }, "rows16"},
    {"sum_mid4", [](const A& x) { return kn::sum(x, {.axis = 1}); }, "middle4"},
    {"sum_0of64", [](const A& rows) { return kn::sum(rows, {.axis = 0}); }, "rows64"},
    {"argmin_16", [](const A& rows) { return kn::argmin(rows, {.axis = 1}); }, "rows16"},
    {"argmax", [](const A& line) { return kn::argmax(line); }, "line"},
    {"argmax1", [](const A& a) { return kn::argmax(a, {.axis = 1}); }, "a"},
    {"any", [](const A& a) { return kn::any(a > 2.0); }, "a"},
    {"var1", [](const A& a) { return kn::var(a, {.axis = 1}); }, "a"},
    {"std0", [](const A& a) { return kn::std(a, {.axis = 0}); }, "a"},
    {"mean", [](const A& line) { return kn::mean(line); }, "line"},
    {"norm_rows", [](const A& a) { return a / kn::sqrt(kn::sum(a * a, {.axis = 1, .keepdims = true})); }, "a"},
    {"softmax", [](const A& a) { return kn::softmax(a, {.axis = 1}); }, "a"},
    {"pairdist",
     [](const A& rows, const A& row) {
       const A points = rows(kn::slice(0, row.size())), apart = points(all, newaxis, all) - points(newaxis, all, all);
       return kn::sum(apart * apart, {.axis = 2});
     },
     "rows3", "row"},
};

}  // namespace
}  // namespace twins
