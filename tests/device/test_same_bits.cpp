// SPDX-License-Identifier: Apache-2.0
// Element-wise functions that the op table does not call approximate, and conversions: the same bits on every device of
// the process (KOINE_DEVICE='nvidia;pocl'), at a million points in the long run. Prints hashes of all results, to be
// compared between devices of several processes by eye.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <iostream>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "support/allowances.hpp"
#include "support/devices.hpp"
#include "support/fixed_order.hpp"
#include "support/inner.hpp"
#include "support/tables.hpp"
#include "support/values.hpp"

namespace kn = koine;
using kn::Array;
using kn::DType;

namespace {

template <class T>
bool is_nan(const T& x) {
  return x != x;
}
template <class T>
bool is_subnormal(const T& x) {
  if constexpr (kn::test::is_real_float<T>) {
    return std::fpclassify(static_cast<kn::test::Summed<T>>(x)) == FP_SUBNORMAL;
  } else if constexpr (kn::test::is_complex_float<T>) {
    return is_subnormal(x.real()) || is_subnormal(x.imag());
  } else {
    return false;
  }
}

/// Special values and random ones; no NaN, whose bits nobody promises.
template <class T>
std::vector<T> points(std::size_t count, bool subnormals, std::uint64_t seed) {
  kn::test::Random random(seed);
  std::vector<T> values;
  const std::vector<T> special = kn::test::special_values<T>();
  while (values.size() < count) {
    const T x = random() % 2 ? special[random() % special.size()] : kn::test::random_value<T>(random);
    if (!is_nan(x) && (subnormals || !is_subnormal(x))) values.push_back(x);
  }
  return values;
}

/// An array of these values that lie two apart, so that a work-item of a card takes one of them. rusticl's compiler
/// takes a time that grows with the square of a kernel's length, which a vector's elements add to; the long run has
/// vectors. So have single bytes: LLVM 15, which rusticl compiles by, crashes over some functions of one signed byte.
template <class T>
Array apart(const std::vector<T>& values) {
  if (sizeof(T) == 1 || kn::test::exhaustive()) return kn::asarray(values);
  std::vector<T> twice;
  for (const T value : values) twice.insert(twice.end(), 2, value);
  return kn::asarray(twice)(kn::slice(kn::none, kn::none, 2));
}

template <class F>
void with_type(DType type, F f) {
  switch (type) {
    case DType::bool_: return f(bool{});
    case DType::int8: return f(std::int8_t{});
    case DType::int16: return f(std::int16_t{});
    case DType::int32: return f(std::int32_t{});
    case DType::int64: return f(std::int64_t{});
    case DType::uint8: return f(std::uint8_t{});
    case DType::uint16: return f(std::uint16_t{});
    case DType::uint32: return f(std::uint32_t{});
    case DType::uint64: return f(std::uint64_t{});
    case DType::float16: return f(kn::float16_t{});
    case DType::bfloat16: return f(kn::bfloat16_t{});
    case DType::float32: return f(float{});
    case DType::float64: return f(double{});
    case DType::complex64: return f(std::complex<float>{});
    case DType::complex128: return f(std::complex<double>{});
  }
}

/// 0 of x's sign where a device that flushes subnormal numbers may give it: what rounds up to the smallest normal
/// number is flushed before it is rounded there, and a part of a complex number is a sum of products, of which a
/// subnormal one counts for less than a rounding in larger parts alone (tests/host/test_flushed.cpp).
template <class T>
T flushed(const T& x) {
  if constexpr (kn::test::is_real_float<T>) {
    const auto wide = static_cast<kn::test::Summed<T>>(x);
    return std::abs(wide) > kn::test::smallest_normal<T>() ? x : T(std::copysign(wide * 0, wide));
  } else if constexpr (kn::test::is_complex_float<T>) {
    using F = typename T::value_type;
    const auto part = [](F p) {
      return std::abs(p) > std::numeric_limits<F>::min() / std::numeric_limits<F>::epsilon() ? p
                                                                                             : std::copysign(F(0), p);
    };
    return T(part(x.real()), part(x.imag()));
  } else {
    return x;
  }
}

/// A hash of an array's bits, in which all NaN are one, and subnormal numbers count only where they are to.
std::uint64_t hash_of(const Array& x, bool subnormals) {
  std::uint64_t hash = 0;
  with_type(x.dtype(), [&]<class T>(T) {
    for (const T& value : x.to_vector<T>()) {
      const T counted = is_nan(value) ? T(77.0f) : subnormals ? value : flushed(value);
      hash = kn::test::hash64(&counted, sizeof counted, hash);
    }
  });
  return hash;
}

struct Row {
  std::string what;
  Array result;
};

/// Every function of the table that takes `type` and promises its bits, on the same points.
template <class T>
void add_rows(bool subnormals, std::vector<Row>& rows) {
  const DType type = kn::dtype_of<T>;
  const std::size_t count = kn::test::exhaustive() ? 1'000'000 : 3000;
  const Array x1 = apart(points<T>(count, subnormals, 1)), x2 = apart(points<T>(count, subnormals, 2));
  const auto add = [&](kn::graph::Op op, auto function) {
    const kn::graph::OpInfo& row = kn::graph::info(op);
    const bool takes = kn::graph::expression(row, type) != nullptr;
    if (takes && kn::graph::is_exact(row, type)) rows.push_back({std::string(row.name), function(x1, x2)});
  };
#define KN_CALL_1(name) [](const Array& x, const Array&) { return kn::name(x); }
#define KN_CALL_2(name) [](const Array& x, const Array& y) { return kn::name(x, y); }
#define KN_OP(name, arity, ...) add(kn::graph::Op::name, KN_CALL_##arity(name));
#include "graph/ops.def"
#undef KN_CALL_1
#undef KN_CALL_2
}

constexpr DType types[] = {kn::bool_,    kn::int8,    kn::int16,     kn::int32,   kn::int64,
                           kn::uint8,    kn::uint16,  kn::uint32,    kn::uint64,  kn::float16,
                           kn::bfloat16, kn::float32, kn::complex64, kn::float64, kn::complex128};

/// One hash for each function and type; a device's are compared with those of the first device that has the type.
void check_functions(bool subnormals) {
  std::map<std::string, std::uint64_t> first;
  kn::test::on_each_device([&] {
    const kn::reproducible scope;
    std::uint64_t total = 0, single = 0;
    // Of one device there is nothing to compare: that the functions run is shown by tests/ops.
    const bool few = kn::devices().size() == 1 && kn::test::without_variants("types that no other device compares");
    for (const DType type : types) {
      const bool wide = type == kn::float64 || type == kn::complex128;
      if (wide && !kn::default_device().has_fp64()) continue;
      if (few && type != kn::float32 && type != kn::int32) continue;
      std::vector<Row> rows;
      with_type(type, [&]<class T>(T) { add_rows<T>(subnormals, rows); });
      CHECK(!rows.empty());
      // Short kernels for rusticl's compiler, too.
      const std::size_t together = few ? rows.size() : 4;
      for (std::size_t begin = 0; begin < rows.size(); begin += together) {
        std::vector<const Array*> list;
        for (std::size_t i = begin; i < std::min(begin + together, rows.size()); ++i) list.push_back(&rows[i].result);
        kn::detail::eval_all(list);
      }
      for (const Row& row : rows) {
        if (subnormals && kn::test::may_flush(row.what, kn::is_complex(type))) continue;
        const std::string what = row.what + " of " + std::string(kn::name(type));
        CAPTURE(what);
        const std::uint64_t hash = hash_of(row.result, subnormals);
        CHECK(first.try_emplace(what, hash).first->second == hash);
        total = kn::test::hash_combine(total, hash);
        if (!wide) single = kn::test::hash_combine(single, hash);
        if (kn::test::exhaustive()) std::cout << what << ": " << std::hex << hash << std::dec << '\n';
      }
    }
    std::cout << "same bits, " << (subnormals ? "with" : "without") << " subnormal numbers: " << std::hex << total
              << ", without float64 " << single << std::dec << " on " << kn::default_device().selector() << std::endl;
  });
}

}  // namespace

TEST_CASE("functions that are not approximate give the same bits on every device") { check_functions(false); }

TEST_CASE("they do so with subnormal numbers, where a device has them") {
  const Array tiny = kn::full({1}, 0x1p-100f);
  if ((tiny * 0x1p-40f).item<float>() == 0) {
    MESSAGE("skipped: " << kn::default_device().selector() << " has no subnormal numbers");
    return;
  }
  check_functions(true);
}

TEST_CASE("conversions give the bits that the host's give") {
  kn::test::on_each_device([] {
    const bool wide = kn::default_device().has_fp64();
    const kn::reproducible scope;
    for (const DType from : types) {
      if ((from == kn::float64 || from == kn::complex128) && !wide) continue;
      with_type(from, [&]<class T>(T) {
        std::vector<T> values = points<T>(500, false, 3);
        if constexpr (kn::test::is_real_float<T>) values.push_back(T(std::numeric_limits<float>::quiet_NaN()));
        std::vector<std::uint8_t> plain(values.size());  // std::vector<bool> has no elements in memory
        const void* source = nullptr;
        if constexpr (std::is_same_v<T, bool>) {
          for (std::size_t i = 0; i < values.size(); ++i) plain[i] = values[i];
          source = plain.data();
        } else {
          source = values.data();
        }
        const Array x = apart(values);
        std::vector<Array> converted;
        for (const DType to : types) {
          if (((to == kn::float64 || to == kn::complex128) && !wide) || to == from) continue;
          if (kn::is_complex(from) && !kn::is_complex(to) && to != kn::bool_) continue;
          converted.push_back(kn::astype(x, to));
        }
        std::vector<const Array*> list;
        for (const Array& each : converted) list.push_back(&each);
        kn::detail::eval_all(list);
        for (const Array& each : converted) {
          const DType to = each.dtype();
          CAPTURE(kn::name(from));
          CAPTURE(kn::name(to));
          with_type(to, [&]<class U>(U) {
            const auto got = each.template to_vector<U>();
            std::vector<std::uint64_t> memory((values.size() * sizeof(U) + 7) / 8);
            kn::test::convert(source, from, memory.data(), to, values.size());
            const U* want = reinterpret_cast<const U*>(memory.data());
            std::size_t wrong = 0;
            std::string words;
            for (std::size_t i = 0; i < values.size(); ++i) {
              const U a = got[i], b = want[i];
              if (std::memcmp(&a, &b, sizeof a) == 0 || (is_nan(a) && is_nan(b)) || is_subnormal(b)) continue;
              if (wrong++ == 0) words = "element " + std::to_string(i);
            }
            CHECK_MESSAGE(wrong == 0, wrong, " differ: ", words);
          });
        }
      });
    }
  });
}
