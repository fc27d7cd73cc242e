// SPDX-License-Identifier: Apache-2.0
// Declarations of built-in functions beside the compiler's own header, and in place of it.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <string>

#include "cl/builtins.hpp"
#include "runtime/context.hpp"

namespace kn = koine;
using kn::cl::builtin_declarations;

namespace {

void build(const std::string& text, bool users) {
  kn::runtime::ProgramText program{text, ""};
  program.users = users;
  (void)kn::runtime::Context::of(kn::default_device()).build(text, program);
}

}  // namespace

TEST_CASE("a text gets declarations of what it names, and of no more") {
  const std::string text = builtin_declarations("x = fma(x, y, z) + KN_CAT(vload, KN_W)(0, p);");
  const auto has = [&](const std::string& line) { return text.find(line) != text.npos; };
  CHECK(has("KN_CONST float fma(float, float, float);"));
  CHECK(has("KN_CONST double16 fma(double16, double16, double16);"));
  CHECK(has("KN_PURE uint8 vload8(size_t, __global const uint*);"));
  for (const char* const other : {" mad(", " fmax(", " vstore", " get_global_id(", " barrier("}) {
    CAPTURE(other);
    CHECK_FALSE(has(other));
  }
}

TEST_CASE("a function keeps its meaning for each type of argument") {
  // Were a form missing, a call could take another one by converting its argument.
  const std::string text = builtin_declarations("min convert_float abs");
  for (const char* const type :
       {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double"}) {
    for (const char* const width : {"", "2", "4", "8", "16"}) {
      const std::string vector = std::string(type) + width;
      CAPTURE(vector);
      CHECK(text.find(vector + " min(" + vector + ", " + vector + ");") != text.npos);
      CHECK(text.find(" convert_float" + std::string(width) + "(" + vector + ");") != text.npos);
    }
  }
  CHECK(text.find("KN_CONST uint4 abs(int4);") != text.npos);
  CHECK(text.find(" abs(float") == text.npos);
}

TEST_CASE("declarations agree with the compiler's own") {
  if (!kn::runtime::Context::of(kn::default_device()).traits().quirks.reads_all_builtins) {
    MESSAGE("left out: programs for this device declare nothing");
    return;
  }
  // A compiler refuses a second declaration that gives another type.
  const std::string every =
      "get_global_id get_global_size get_group_id get_num_groups get_local_id get_local_size get_global_offset barrier "
      "mem_fence acos acosh asin asinh atan atanh cbrt ceil cos cosh degrees erf erfc exp exp2 expm1 fabs floor lgamma "
      "log log10 log1p log2 radians rint round rsqrt sign sin sinh sinpi sqrt tan tanh tgamma trunc atan2 copysign "
      "fmax "
      "fmin fmod hypot nextafter pow remainder fma mad ldexp ilogb isfinite isinf isnan signbit abs clz popcount "
      "mul_hi "
      "rotate max min clamp select any all vload vstore vload_half vstore_half atomic_add atomic_sub "
      "atomic_xchg atomic_min atomic_max atomic_and atomic_or atomic_xor atomic_inc atomic_dec atomic_cmpxchg atom_add "
      "atom_sub atom_xchg convert_ "
      "char uchar short ushort int uint long ulong float double _sat _rtz";
  const std::string kernel = "__kernel void k(__global float* x) { x[0] = fma(x[1], x[2], x[3]); }";
  CHECK_NOTHROW(build(builtin_declarations(every) + kernel, true));
  CHECK_THROWS_AS(build("__attribute__((overloadable)) int fma(float, float, float);\n" + kernel, true),
                  kn::KernelBuildError);
}

TEST_CASE("a text of the library's that lacks a declaration is compiled all the same") {
  CHECK_NOTHROW(build("__kernel void k(__global float* x) { x[0] = rootn(x[1], 3) + min(x[2], x[3]); }", false));
}
