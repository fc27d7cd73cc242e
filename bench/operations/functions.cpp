// SPDX-License-Identifier: Apache-2.0
// Element-wise functions in float32 and float64. functions.py says what each is.
#include "operation.hpp"

namespace twins {
namespace {

using A = kn::Array;

/// A function of x, or of x and y, in both types: one call before a wait.
struct AddFunction {
  AddFunction(const std::string& name, A (*function)(const A&, const A&)) {
    Add(1, 0.08, name + "_f32", function, "x", "y");
    Add(1, 0.08, name + "_f64", function, "x64", "y64");
  }
};

const AddFunction functions[] = {
    {"mul", [](const A& x, const A& y) { return x * y; }},
    {"div", [](const A& x, const A& y) { return x / y; }},
    {"sqrt", [](const A& x, const A&) { return kn::sqrt(x); }},
    {"exp", [](const A& x, const A&) { return kn::exp(x); }},
    {"log", [](const A& x, const A&) { return kn::log(x); }},
    {"sin", [](const A& x, const A&) { return kn::sin(x); }},
    {"cos", [](const A& x, const A&) { return kn::cos(x); }},
    {"tan", [](const A& x, const A&) { return kn::tan(x); }},
    {"tanh", [](const A& x, const A&) { return kn::tanh(x); }},
    {"sinh", [](const A& x, const A&) { return kn::sinh(x); }},
    {"atan", [](const A& x, const A&) { return kn::atan(x); }},
    {"asin", [](const A&, const A& y) { return kn::asin(y); }},
    {"atan2", [](const A& x, const A& y) { return kn::atan2(x, y); }},
    {"pow", [](const A& x, const A& y) { return kn::pow(x, y); }},
    {"erf", [](const A& x, const A&) { return kn::erf(x); }},
    {"lgamma", [](const A& x, const A&) { return kn::lgamma(x); }},
    {"expm1", [](const A& x, const A&) { return kn::expm1(x); }},
    {"log1p", [](const A& x, const A&) { return kn::log1p(x); }},
    {"sigmoid", [](const A& x, const A&) { return kn::sigmoid(x); }},
    {"hypot", [](const A& x, const A& y) { return kn::hypot(x, y); }},
    {"cbrt", [](const A& x, const A&) { return kn::cbrt(x); }},
    {"floor", [](const A& x, const A&) { return kn::floor(x); }},
    {"remainder", [](const A& x, const A& y) { return kn::remainder(x, y); }},
    {"pow2.5", [](const A& x, const A&) { return kn::pow(x, 2.5); }},
    {"pow2", [](const A& x, const A&) { return kn::pow(x, 2); }},
    {"int_div", [](const A& x, const A&) { return kn::floor_divide((x * 1000.0).astype(kn::int32), 7); }},
    {"abs_c", [](const A& x, const A&) { return kn::abs(x.astype(kn::complex64)); }},
};

}  // namespace
}  // namespace twins
