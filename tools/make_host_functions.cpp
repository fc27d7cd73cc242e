// SPDX-License-Identifier: Apache-2.0
// Prints the tables of lib/host/functions.hpp as C++, from lib/graph/ops.def and lib/graph/reductions.def. The build
// runs it, and compiles what it prints for each set of instructions.
#include <iostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>

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
#include <utility>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "host/function_tables.hpp"

namespace koine::host {
namespace {

#include "host/opencl_c.hpp"
#include "host/pairs.hpp"
#include "common/vector.clh"
#include "common/half.clh"
#include "host/halves.hpp"
#include "common/integer.clh"
#include "common/real.clh"
)";

constexpr std::string_view positions = R"(
#include "host/fold_text.hpp"
#include "host/dots_text.hpp"
#include "host/key_text.hpp"
#include "host/keys_below_text.hpp"
#include "host/take_text.hpp"

#define KN_COMBINE(text) decltype([](auto a, auto b) { return text; })
#define KN_FIND_POSITION(T, before)                                                                                    \
  [](void* to, const void* const* from, std::size_t count) {                                                   \
    *static_cast<std::int64_t*>(to) = first_best<T, KN_COMBINE(before)>(static_cast<const T*>(from[0]), count); \
  }

constexpr void add_positions(Functions& f) {
)";

constexpr std::string_view loops = R"(}

#define KN_LOOP(R, A, B, C, text)                                                       \
  [](void* to, [[maybe_unused]] const void* const* from, std::size_t count) {            \
    R* const results = static_cast<R*>(to);                                              \
    [[maybe_unused]] const A* const as = static_cast<const A*>(from[0]);                 \
    [[maybe_unused]] const B* const bs = static_cast<const B*>(from[1]);                 \
    [[maybe_unused]] const C* const cs = static_cast<const C*>(from[2]);                 \
    _Pragma("GCC ivdep") /* results may lie where arguments do, but nowhere between */   \
    for (std::size_t i = 0; i < count; ++i) results[i] = static_cast<R>(text);           \
  }
// Float16 results, which are rounded at the end.
#define KN_LOOP_HALF(A, text)                                                            \
  [](void* to, const void* const* from, std::size_t count) {                             \
    constexpr Function compute = KN_LOOP(float, A, A, A, text);                          \
    compute(to, from, count);                                                            \
    host_round_halves(static_cast<float*>(to), count);                                   \
  }
#define KN_RUNNING(T, text)                                               \
  [](void* to, const void* const* from, std::size_t count) {               \
    T* const as = static_cast<T*>(to) - 1;                                 \
    const T* const bs = static_cast<const T*>(from[0]);                    \
    for (std::size_t i = 1; i < count; ++i) as[i + 1] = static_cast<T>(text); \
  }
// Of a function with a longer way for rare elements: `fast` for all, and then `text` for those. Results lie elsewhere.
#define KN_LOOP_RARE(T, fast, text, rare)                                                \
  [](void* to, const void* const* from, std::size_t count) {                             \
    T* const results = static_cast<T*>(to);                                              \
    const T* const as = static_cast<const T*>(from[0]);                                  \
    int any = 0;                                                                         \
    _Pragma("GCC ivdep")                                                                 \
    for (std::size_t i = 0; i < count; ++i) {                                            \
      const T x = as[i];                                                                 \
      any |= rare(x);                                                                    \
      results[i] = fast(x);                                                              \
    }                                                                                    \
    for (std::size_t i = 0; any != 0 && i < count; ++i) {                                \
      if (rare(as[i])) results[i] = text(as[i]);                                         \
    }                                                                                    \
  }
// Of two arguments: `usual` is what `text` gives where neither is `rare`. Of a block with one that is, `text` for all. Results
// may lie where arguments do.
#define KN_LOOP_USUAL(T, usual, text, rare)                                              \
  [](void* to, const void* const* from, std::size_t count) {                             \
    T* const results = static_cast<T*>(to);                                              \
    const T *const as = static_cast<const T*>(from[0]), *const bs = static_cast<const T*>(from[1]);\
    int any = 0;                                                                         \
    _Pragma("GCC ivdep")                                                                 \
    for (std::size_t i = 0; i < count; ++i) any |= rare(as[i], bs[i]);                   \
    if (any != 0) {                                                                      \
      _Pragma("GCC ivdep")                                                               \
      for (std::size_t i = 0; i < count; ++i) results[i] = text(as[i], bs[i]);           \
      return;                                                                            \
    }                                                                                    \
    _Pragma("GCC ivdep")                                                                 \
    for (std::size_t i = 0; i < count; ++i) results[i] = usual(as[i], bs[i]);            \
  }
// A complex number as kernels/common/matmul_types.clh adds it, each product rounded with its sum.
template <class T>
HostPair<T> chained(HostPair<T> factor, HostPair<T> value, HostPair<T> sum) {
  return {fma(-factor.y, value.y, fma(factor.x, value.x, sum.x)), fma(factor.y, value.x, fma(factor.x, value.y, sum.y))};
}
// To a row of sums so many rows, each times its factor, one after another. `added` is a sum with one more product.
#define KN_ADD_ROWS(T, added)                                                            \
  [](void* sums, const void* matrix, std::size_t leading, const void* factors, std::size_t rows, std::size_t columns) { \
    constexpr std::size_t together = 8;                                                  \
    T* const to = static_cast<T*>(sums);                                                 \
    const T* const f = static_cast<const T*>(factors);                                   \
    const T* a = static_cast<const T*>(matrix);                                          \
    std::size_t row = 0;                                                                 \
    for (; rows - row >= together; row += together, a += together * leading) {           \
      _Pragma("GCC ivdep") for (std::size_t i = 0; i < columns; ++i) {                   \
        T sum = to[i];                                                                   \
        _Pragma("GCC unroll 8") for (std::size_t r = 0; r < together; ++r) {             \
          const T factor = f[row + r], value = a[r * leading + i];                       \
          sum = added;                                                                   \
        }                                                                                \
        to[i] = sum;                                                                     \
      }                                                                                  \
    }                                                                                    \
    for (; row < rows; ++row, a += leading)                                              \
      _Pragma("GCC ivdep") for (std::size_t i = 0; i < columns; ++i) {                   \
        const T factor = f[row], value = a[i], sum = to[i];                              \
        to[i] = added;                                                                   \
      }                                                                                  \
  }
// A matrix by another of few elements: blocks of four rows by a vector, of which the last begins among the columns of the
// one before it.
template <class T, int bytes>
void small_product(T* to, const T* x, const T* y, const SmallProduct& p) {
  typedef T Lanes __attribute__((vector_size(bytes), aligned(sizeof(T)), may_alias));
  constexpr std::size_t lanes = bytes / sizeof(T), most = 4;
  for (std::size_t row = 0; row < p.rows; row += most) {
    const T* from[most];
    for (std::size_t r = 0; r < most; ++r) from[r] = x + (row + r < p.rows ? row + r : p.rows - 1) * p.left_row;
    for (std::size_t column = 0; column < p.columns; column += lanes) {
      const std::size_t first = column + lanes <= p.columns ? column : p.columns - lanes;
      Lanes sums[most] = {};
      for (std::size_t d = 0; d < p.depth; ++d) {
        const Lanes values = *reinterpret_cast<const Lanes*>(y + d * p.right_row + first);
        _Pragma("GCC unroll 4") for (std::size_t r = 0; r < most; ++r) sums[r] += from[r][d * p.left_column] * values;
      }
      for (std::size_t r = 0; r < most && row + r < p.rows; ++r)
        *reinterpret_cast<Lanes*>(to + (row + r) * p.columns + first) = sums[r];
    }
  }
}
template <class T>
void small_product_in_vectors(void* result, const void* left, const void* right, const SmallProduct& p) {
  T* const to = static_cast<T*>(result);
  const T *const x = static_cast<const T*>(left), *const y = static_cast<const T*>(right);
  const std::size_t bytes = p.columns * sizeof(T);
  bytes >= 32 ? small_product<T, 32>(to, x, y, p)
  : bytes >= 16 ? small_product<T, 16>(to, x, y, p)
  : bytes >= 8 && sizeof(T) == 4 ? small_product<T, 8>(to, x, y, p) : small_product<T, sizeof(T)>(to, x, y, p);
}

constexpr void add_folds(Functions& f) {
)";

/// Sines and their like as they are without the longer way for large angles.
constexpr std::string_view fast_trig = R"(
namespace fast {
#undef KN_TRIG_CLH
#undef KN_ANY
#define KN_ANY(condition) 0
#include "common/trig.clh"
#undef KN_ANY
#define KN_ANY(condition) (condition)
}
inline int host_large_angle(float x) { return fabs(x) > KN_TURNS_float; }
inline int host_large_angle(double x) { return fabs(x) > KN_TURNS_double; }
template <class T>
int host_rare_power(T x, T y) {
  const T infinite = INFINITY;
  return !((x > 0) & (x < infinite) & (fabs(y) < infinite)) | (y == 1) | (y == 2) | (y == 3) | (y == 4);
}
)";

constexpr std::string_view arguments = R"(}

#define a as[i]
#define b bs[i]
#define c cs[i]
#define divisor bs[0]
#define scale cs[0]

constexpr Functions table() {
  Functions f{};
  add_positions(f);
  add_folds(f);
)";

constexpr std::string_view bottom = R"(  return f;
}

}  // namespace

constinit const Functions KOINE_HOST_TABLE = table();

}  // namespace koine::host
)";

std::string registers(DType type) { return std::string(koine::base::row_of(type).registers); }
std::string memory(DType type) {
  return type == DType::float16 ? "ushort" : std::string(koine::base::row_of(type).memory);
}
std::string number(auto value) { return std::to_string(static_cast<int>(value)); }

/// What `text` gives, as a value of `type` has it in registers.
std::string rounded(DType type, const std::string& text) {
  return koine::base::is_half(type) ? "kn_round_" + std::string(koine::base::row_of(type).name) + "(" + text + ")"
                                    : text;
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
      case 'P': filled += registers(koine::base::row_of(type).part); break;
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
  if (is_bool(to)) return is_complex(from) ? "a.x != 0 || a.y != 0" : is_bool(from) ? "a" : "a != 0";
  if (is_complex(to) && !is_complex(from)) return "pair_of<" + registers(koine::base::row_of(to).part) + ">(a)";
  if (from == DType::float64 && koine::base::is_half(to)) return "kn_odd_float(a)";
  if (registers(from) == target) return "a";
  if (is_real_floating(from) && is_integer(to)) return "convert_" + target + "_sat(a == a ? a : 0)";
  return "convert_" + target + "(a)";
}

void print(const std::string& entry, const std::string& result, const std::string& a, const std::string& text,
           const std::string& b = "", const std::string& c = "") {
  std::cout << "  f." << entry << " = KN_LOOP(" << result << ", " << a << ", " << (b.empty() ? a : b) << ", "
            << (c.empty() ? a : c) << ", (" << text << "));\n";
}

/// An entry whose results are of `type`.
void print_rounded(const std::string& entry, DType type, const std::string& a, const std::string& text) {
  if (type != DType::float16) return print(entry, registers(type), a, rounded(type, text));
  std::cout << "  f." << entry << " = KN_LOOP_HALF(" << a << ", (" << text << "));\n";
}

}  // namespace

int main() {
  std::cout << top;
  std::set<std::string_view> files;
  for (int k = 0; k < graph::table_size; ++k) {
    const graph::OpInfo& row = graph::info(static_cast<graph::Op>(k));
    files.insert(row.expressions.own_f.file);
    files.insert(row.expressions.c_file);
  }
  for (const std::string_view file : files) {
    if (!file.empty()) std::cout << "#include \"" << file << ".clh\"\n";
  }
  std::cout << fast_trig << positions;
  for (const graph::ReduceKind kind : {graph::ReduceKind::argmax, graph::ReduceKind::argmin}) {
    for (int t = 0; t < koine::dtype_count; ++t) {
      const auto type = static_cast<DType>(t);
      if (is_complex(type)) continue;
      std::cout << "  f.positions[" << number(kind) << "][" << t << "] = KN_FIND_POSITION(" << registers(type) << ", "
                << koine::codegen::combine_of(kind, type).text << ");\n";
    }
  }
  constexpr const char* keys[] = {"uchar", "ushort", "uint", "ulong"};
  for (int k = 0; k < 4; ++k) {
    std::cout << "  f.keys_below[" << k << "] = keys_below<" << keys[k] << ">;\n";
    std::cout << "  f.taken[" << k << "] = taken<" << keys[k] << ">;\n";
  }
  std::cout << "  f.taken[4] = taken<TwoWords>;\n";
  std::cout << loops;
  for (int t = 0; t < koine::dtype_count; ++t) {
    const auto type = static_cast<DType>(t);
    if (is_complex(type)) continue;
    for (const graph::ReduceKind kind : graph::reductions) {
      std::string text = koine::codegen::combine_of(kind, type).text;
      if (graph::info(kind).state != graph::State::value || text.empty()) continue;
      const bool extreme = is_real_floating(type) && (kind == graph::ReduceKind::max || kind == graph::ReduceKind::min);
      if (extreme) text = kind == graph::ReduceKind::max ? "a > b" : "a < b";
      std::cout << "  f.folded[" << number(kind) << "][" << t << "] = fold_in_vectors<"
                << (extreme ? "RunningExtreme" : "Running") << ", " << registers(type) << ", KN_COMBINE((" << text
                << "))>;\n";
      std::cout << "  f.rows_folded[" << number(kind) << "][" << t << "] = fold_rows_in_vectors<"
                << (extreme ? "RunningExtreme" : "Running") << ", " << registers(type) << ", KN_COMBINE((" << text
                << "))>;\n";
    }
  }
  for (const DType type : {DType::float32, DType::float64}) {
    std::cout << "  f.dots[" << number(type) << "] = dots<" << registers(type) << ">;\n";
    std::cout << "  f.rows_added[" << number(type) << "] = KN_ADD_ROWS(" << registers(type)
              << ", sum + factor * value);\n";
    std::cout << "  f.small_products[" << number(type) << "] = small_product_in_vectors<" << registers(type) << ">;\n";
  }
  for (int t = 0; t < koine::dtype_count; ++t) {
    const auto type = static_cast<DType>(t);
    if (is_bool(type) || koine::base::is_half(type)) continue;
    const char* const added = is_integer(type)   ? "sum + factor * value"
                              : is_complex(type) ? "chained(factor, value, sum)"
                                                 : "fma(factor, value, sum)";
    std::cout << "  f.rows_chained[" << t << "] = KN_ADD_ROWS(" << registers(type) << ", " << added << ");\n";
  }
  std::cout << arguments;

  for (int t = 0; t < koine::dtype_count; ++t) {
    const auto type = static_cast<DType>(t);
    const std::string n = number(t), in = registers(type);
    for (int k = 0; k < graph::table_size; ++k) {
      const graph::OpInfo& row = graph::info(static_cast<graph::Op>(k));
      // Of whole numbers the table's own expression has the same value, and is as fast here.
      const char* own = is_real_floating(type) ? graph::own_expression(row, type).text : nullptr;
      const char* text = own ? own : is_complex(type) || is_exact(row, type) ? graph::expression(row, type) : nullptr;
      if (text == nullptr) continue;
      const DType result = row.result == graph::Result::boolean ? DType::bool_
                           : row.result == graph::Result::real  ? koine::base::row_of(type).part
                                                                : type;
      const auto op = static_cast<graph::Op>(k);
      const bool trig = op == graph::Op::sin || op == graph::Op::cos || op == graph::Op::tan;
      if (trig && (type == DType::float32 || type == DType::float64)) {
        const std::string call = "kn_" + std::string(row.name) + "_" + in;
        std::cout << "  f.ops[" << k << "][" << t << "] = KN_LOOP_RARE(" << in << ", fast::" << call << ", " << call
                  << ", host_large_angle);\n";
        continue;
      }
      if (op == graph::Op::pow && (type == DType::float32 || type == DType::float64)) {
        std::cout << "  f.ops[" << k << "][" << t << "] = KN_LOOP_USUAL(" << in << ", kn_positive_pow_" << in
                  << ", kn_pow_" << in << ", host_rare_power);\n";
        continue;
      }
      print_rounded("ops[" + number(k) + "][" + n + "]", result, in, filled(text, type, result));
    }
    for (int u = 0; u < koine::dtype_count; ++u) {
      const auto to = static_cast<DType>(u);
      if (is_complex(type) && !is_complex(to) && !is_bool(to)) continue;
      const std::string value = cast(type, to);
      const std::string entry = "casts[" + n + "][" + number(u) + "]";
      t == u ? print(entry, registers(to), in, value) : print_rounded(entry, to, in, value);
    }
    const std::string stored = memory(type);
    if (type == DType::float16) {
      std::cout
          << "  f.loads[" << n << "] = [](void* to, const void* const* from, std::size_t count) {\n"
          << "    host_load_halves(static_cast<float*>(to), static_cast<const ushort*>(from[0]), count);\n  };\n"
          << "  f.stores[" << n << "] = [](void* to, const void* const* from, std::size_t count) {\n"
          << "    host_store_halves(static_cast<ushort*>(to), static_cast<const float*>(from[0]), count);\n  };\n";
    } else {
      const bool bfloat = type == DType::bfloat16;
      print("loads[" + n + "]", in, stored, bfloat ? "as_float((uint)a << 16)" : "a");
      print("stores[" + n + "]", stored, in, bfloat ? "(ushort)(as_uint(a) >> 16)" : "a");
    }
    const std::string part = registers(koine::base::row_of(type).part);
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
      print("identities" + entry, in, in,
            is_complex(type) ? in + (row.nothing == 1 ? "{1, 0}" : "{}") : combine.identity);
      print("mapped" + entry, in, in, koine::codegen::applied(row.map, "a"));
      print("finished" + entry, in, in, koine::codegen::applied(row.finish, "a"), part, part);
    }
  }
  for (const int size : {1, 2, 4, 8, 16}) {
    const std::string type = size == 1   ? "uchar"
                             : size == 2 ? "ushort"
                             : size == 4 ? "uint"
                             : size == 8 ? "ulong"
                                         : "double2";
    print("chosen[" + std::to_string(size) + "]", type, "uchar", "a ? b : c", type, type);
  }
  std::cout << bottom;
}
