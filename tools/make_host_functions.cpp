// SPDX-License-Identifier: Apache-2.0
// Prints the tables of lib/host/functions.hpp as C++, from lib/graph/ops.def and lib/graph/reductions.def. The build
// runs it, and compiles what it prints for each set of instructions.
#include <iostream>
#include <set>
#include <string>
#include <string_view>

#include "base/dtypes.hpp"
#include "codegen/combine.hpp"
#include "graph/ops.hpp"
#include "graph/reductions.hpp"

namespace graph = koine::graph;
using koine::DType;

namespace {

constexpr std::string_view top = R"(// Made by tools/make_host_functions.cpp.
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "host/function_tables.hpp"

namespace koine::host {
namespace {

#include "host/opencl_c.hpp"
#include "common/vector.clh"
#include "common/half.clh"
#include "common/integer.clh"
#include "common/real.clh"
)";

constexpr std::string_view places = R"(
#define KN_PLACE(T, before)                                                    \
  [](void* to, const void* const* from, std::size_t count) {                    \
    const T* const values = static_cast<const T*>(from[0]);                     \
    std::size_t best = 0;                                                       \
    for (std::size_t i = 1; i < count; ++i) {                                   \
      const T a = values[i], b = values[best];                                  \
      if (before) best = i;                                                     \
    }                                                                           \
    *static_cast<std::int64_t*>(to) = static_cast<std::int64_t>(best);          \
  }

constexpr void add_places(Functions& f) {
)";

constexpr std::string_view loops = R"(}

#define KN_LOOP(R, A, B, C, text)                                                       \
  [](void* to, [[maybe_unused]] const void* const* from, std::size_t count) {            \
    R* const results = static_cast<R*>(to);                                              \
    [[maybe_unused]] const A* const as = static_cast<const A*>(from[0]);                 \
    [[maybe_unused]] const B* const bs = static_cast<const B*>(from[1]);                 \
    [[maybe_unused]] const C* const cs = static_cast<const C*>(from[2]);                 \
    for (std::size_t i = 0; i < count; ++i) results[i] = static_cast<R>(text);           \
  }
#define KN_RUNNING(T, text)                                               \
  [](void* to, const void* const* from, std::size_t count) {               \
    T* const as = static_cast<T*>(to) - 1;                                 \
    const T* const bs = static_cast<const T*>(from[0]);                    \
    for (std::size_t i = 1; i < count; ++i) as[i + 1] = static_cast<T>(text); \
  }
#define a as[i]
#define b bs[i]
#define c cs[i]
#define divisor bs[0]
#define scale cs[0]

constexpr Functions table() {
  Functions f{};
  add_places(f);
)";

constexpr std::string_view bottom = R"(  return f;
}

}  // namespace

constinit const Functions KOINE_HOST_TABLE = table();

}  // namespace koine::host
)";

bool is_half(DType type) { return type == DType::float16 || type == DType::bfloat16; }
std::string registers(DType type) { return std::string(koine::base::row_of(type).registers); }
std::string memory(DType type) {
  return type == DType::float16 ? "ushort" : std::string(koine::base::row_of(type).memory);
}
std::string number(auto value) { return std::to_string(static_cast<int>(value)); }

/// What `text` gives, as a value of `type` has it in registers.
std::string rounded(DType type, const std::string& text) {
  return is_half(type) ? "kn_round_" + std::string(koine::base::row_of(type).name) + "(" + text + ")" : text;
}

/// An expression of ops.def for single values of `type`, a and b.
std::string filled(const char* text, DType type, DType result) {
  std::string filled;
  const std::string in = registers(type);
  for (const char* p = text[0] == '!' ? text + 1 : text; *p; ++p) {
    if (*p != '$') {
      filled += *p;
      continue;
    }
    switch (*++p) {
      case 'D': filled += koine::base::row_of(type).name; break;
      case 'T':
      case 'V': filled += in; break;
      case 'R': filled += registers(result); break;
      case 'U': filled += (is_signed_integer(type) ? "u" : "") + in; break;
      case '0': filled += "a"; break;
      default: filled += "b";
    }
  }
  return filled;
}

/// As codegen::Printer casts: NaN to 0, what an integer type does not hold to its nearest end.
std::string cast(DType from, DType to) {
  const std::string target = registers(to);
  if (is_bool(to)) return is_bool(from) ? "a" : "a != 0";
  if (from == DType::float64 && is_half(to)) return "kn_odd_float(a)";
  if (registers(from) == target) return "a";
  if (is_real_floating(from) && is_integer(to)) return "convert_" + target + "_sat(a == a ? a : 0)";
  return "convert_" + target + "(a)";
}

void print(const std::string& entry, const std::string& result, const std::string& a, const std::string& text,
           const std::string& b = "", const std::string& c = "") {
  std::cout << "  f." << entry << " = KN_LOOP(" << result << ", " << a << ", " << (b.empty() ? a : b) << ", "
            << (c.empty() ? a : c) << ", (" << text << "));\n";
}

}  // namespace

int main() {
  std::cout << top;
  std::set<std::string_view> files;
  for (int k = 0; k < graph::table_size; ++k)
    files.insert(graph::info(static_cast<graph::Op>(k)).expressions.own_f.file);
  for (const std::string_view file : files) {
    if (!file.empty()) std::cout << "#include \"" << file << ".clh\"\n";
  }
  std::cout << places;
  for (const graph::ReduceKind kind : {graph::ReduceKind::argmax, graph::ReduceKind::argmin}) {
    for (int t = 0; t < koine::dtype_count; ++t) {
      const auto type = static_cast<DType>(t);
      if (is_complex(type)) continue;
      std::string before = koine::codegen::combine_of(kind, type).text;
      if (is_real_floating(type)) before = "(" + before + ") || (isnan(a) && !isnan(b))";
      std::cout << "  f.placed[" << number(kind) << "][" << t << "] = KN_PLACE(" << registers(type) << ", " << before
                << ");\n";
    }
  }
  std::cout << loops;

  for (int t = 0; t < koine::dtype_count; ++t) {
    const auto type = static_cast<DType>(t);
    if (is_complex(type)) continue;
    const std::string n = number(t), in = registers(type);
    for (int k = 0; k < graph::table_size; ++k) {
      const graph::OpInfo& row = graph::info(static_cast<graph::Op>(k));
      // Of whole numbers the table's own expression has the same value, and is as fast here.
      const char* own = is_real_floating(type) ? graph::own_expression(row, type).text : nullptr;
      const char* text = own ? own : is_exact(row, type) ? graph::expression(row, type) : nullptr;
      if (text == nullptr) continue;
      const DType result = row.result == graph::Result::boolean ? DType::bool_ : type;
      print("ops[" + number(k) + "][" + n + "]", registers(result), in, rounded(result, filled(text, type, result)));
    }
    for (int u = 0; u < koine::dtype_count; ++u) {
      const auto to = static_cast<DType>(u);
      if (is_complex(to)) continue;
      const std::string value = cast(type, to);
      print("casts[" + n + "][" + number(u) + "]", registers(to), in, t == u ? value : rounded(to, value));
    }
    const std::string stored = memory(type);
    const bool half = type == DType::float16;
    print("loads[" + n + "]", in, stored,
          half                      ? "host_float(a)"
          : type == DType::bfloat16 ? "as_float((uint)a << 16)"
                                    : "a");
    print("stores[" + n + "]", stored, in,
          half                      ? "host_half(a)"
          : type == DType::bfloat16 ? "(ushort)(as_uint(a) >> 16)"
                                    : "a");
    for (const graph::ReduceKind kind : graph::reductions) {
      const graph::ReductionInfo& row = graph::info(kind);
      const koine::codegen::Combine combine = koine::codegen::combine_of(kind, type);
      if (row.state == graph::State::moments && is_real_floating(type)) {
        std::string finish = row.finish;
        finish.replace(finish.find("$0.squares"), 10, "a");
        print("finished[" + number(kind) + "][" + n + "]", in, in, finish);
      }
      if (row.state != graph::State::value || combine.text.empty()) continue;
      const std::string entry = "[" + number(kind) + "][" + n + "]";
      print("combined" + entry, in, in, combine.text);
      std::cout << "  f.running" << entry << " = KN_RUNNING(" << in << ", (" << combine.text << "));\n";
      print("identities" + entry, in, in, combine.identity);
      print("mapped" + entry, in, in, koine::codegen::applied(row.map, "a"));
      print("finished" + entry, in, in, koine::codegen::applied(row.finish, "a"));
    }
  }
  for (const int size : {1, 2, 4, 8}) {
    const std::string type = size == 1 ? "uchar" : size == 2 ? "ushort" : size == 4 ? "uint" : "ulong";
    print("chosen[" + std::to_string(size) + "]", type, "uchar", "a ? b : c", type, type);
  }
  std::cout << bottom;
}
