// SPDX-License-Identifier: Apache-2.0
// Functions whose bits are promised need no subnormal number between normal arguments and a normal result: on a thread
// that flushes these to zero, as some devices do, the host gives the bits that it gives without. A part of a complex
// number is a sum of products, so that it must be as large as one subnormal number is lost beside.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/host_steps.hpp"
#include "support/same_bits.hpp"
#include "support/tables.hpp"
#include "support/values.hpp"

#if defined(__SSE3__) || defined(__x86_64__)
#include <pmmintrin.h>
#define KN_FLUSHES 1
#endif

namespace kn = koine;
using kn::Array;
using kn::DType;

#ifdef KN_FLUSHES
namespace {

/// While it lives, this thread takes subnormal numbers for zeros, and gives zeros instead of them.
class Flushing {
 public:
  Flushing() {
    _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
    _mm_setcsr(_mm_getcsr() | _MM_DENORMALS_ZERO_ON);
  }
  ~Flushing() { _mm_setcsr(before_); }
  Flushing(const Flushing&) = delete;
  Flushing& operator=(const Flushing&) = delete;

 private:
  unsigned before_ = _mm_getcsr();
};

template <class F>
struct Pairs {
  std::vector<F> x, y;
};

/// Normal numbers: of every exponent beside every other (of float64 a random one of eight), and, for each exponent,
/// beside those up to 60 away, beside multiples and ordinary numbers, and next to all of these.
template <class F>
Pairs<F> pairs() {
  using Limits = std::numeric_limits<F>;
  kn::test::Random random(1);
  const auto mantissa = [&] {  // often of few digits, so that sums are halfway between two numbers
    const unsigned kind = random() % 4;
    if (kind == 0) return F(1);
    return 1 + (kind == 1
                    ? static_cast<F>(random() % 4096) * F(0x1p-12)
                    : static_cast<F>(random() >> 40) * F(0x1p-24) + static_cast<F>(random() % 64) * Limits::epsilon());
  };
  const auto number = [&](int exponent) { return std::ldexp(random() % 2 ? -mantissa() : mantissa(), exponent); };
  Pairs<F> all;
  const auto add = [&](F x, F y) {
    if (!std::isnormal(x) || !std::isnormal(y)) return;
    all.x.push_back(x);
    all.y.push_back(y);
  };
  constexpr int least = Limits::min_exponent - 1, most = Limits::max_exponent - 1, apart = sizeof(F) == 4 ? 1 : 8;
  const auto any_of = [&](int e) { return e + static_cast<int>(random() % apart); };
  for (int i = least; i <= most; i += apart) {
    for (int j = least; j <= most; j += apart) add(number(any_of(i)), number(any_of(j)));
    for (int n = -60; n <= 60; ++n) {
      const F x = number(any_of(i)), y = number(std::clamp(any_of(i) + n, least, most));
      add(x, y);
      add(std::nextafter(x, y), x);
      add(std::nextafter(x * static_cast<F>(n), y), x);
      add(x, number(n));
      add(number(n % 11), x);
      add(static_cast<F>(n) + x, static_cast<F>(n));
    }
  }
  return all;
}

template <class F>
std::vector<F> parts_of(const Array& x) {
  if (kn::is_complex(x.dtype())) return kn::test::parts_of<F>(x);
  return x.to_vector<F>();
}

/// Whether a result has to come without subnormal numbers. What rounds up to the smallest normal number is flushed,
/// too.
template <class F>
bool counts(F result, bool complex) {
  const F least = std::numeric_limits<F>::min(), size = std::fabs(result);
  if (complex) return !(size < least / std::numeric_limits<F>::epsilon() * 4);
  return size == 0 || !(size <= least);
}

template <class F>
bool same(F plain, F flushed) {
  return (std::isnan(plain) && std::isnan(flushed)) || std::memcmp(&plain, &flushed, sizeof plain) == 0;
}

/// Every function of the table that promises the bits of T's values, whose parts are of type F.
template <class F, class T>
void check_functions() {
  const DType type = kn::dtype_of<T>;
  const Pairs<F> points = pairs<F>();
  constexpr std::size_t at_once = 4096;  // one thread's
  constexpr bool complex = !std::is_same_v<F, T>;
  const kn::reproducible scope;
  std::vector<Array> xs, ys;
  for (std::size_t first = 0; first + at_once <= points.x.size(); first += at_once) {
    std::vector<T> x(at_once), y(at_once);
    for (std::size_t i = 0; i < at_once; ++i) {
      const std::size_t at = first + i, other = (at * 7919 + 13) % points.x.size();
      if constexpr (complex) {
        x[i] = {points.x[at], points.y[at]};
        y[i] = {points.x[other], points.y[other]};
      } else {
        x[i] = points.x[at];
        y[i] = points.y[at];
      }
    }
    xs.push_back(kn::asarray(x).eval());
    ys.push_back(kn::asarray(y).eval());
  }
  kn::synchronize();
  const kn::test::HostStepWork all(kn::test::any_work);
  const auto check = [&](kn::graph::Op op, auto function) {
    const kn::graph::OpInfo& row = kn::graph::info(op);
    if (kn::graph::expression(row, type) == nullptr || !kn::graph::is_exact(row, type)) return;
    CAPTURE(std::string(row.name));
    CAPTURE(std::string(kn::name(type)));
    std::size_t differ = 0, compared = 0;
    std::string first;
    for (std::size_t k = 0; k < xs.size(); ++k) {
      const Array plain = function(xs[k], ys[k]), flushed = function(xs[k], ys[k]);
      if (!kn::is_real_floating(plain.dtype()) && !kn::is_complex(plain.dtype())) continue;
      plain.eval();
      const auto launches = kn::test::activity_of().launches;
      {
        const Flushing flushing;
        flushed.eval();
      }
      REQUIRE(kn::test::activity_of().launches == launches);
      const std::vector<F> a = parts_of<F>(plain), b = parts_of<F>(flushed);
      const std::size_t parts = a.size() / at_once;
      for (std::size_t i = 0; i < a.size(); ++i) {
        if (!counts(a[i], complex) || (parts == 2 && std::isinf(a[i ^ 1]))) continue;  // neither part may overflow
        ++compared;
        if (same(a[i], b[i]) || ++differ > 1) continue;
        const std::size_t at = i / parts;
        first = kn::test::value_text(xs[k].to_vector<T>()[at]) + ", " + kn::test::value_text(ys[k].to_vector<T>()[at]) +
                ": " + kn::test::value_text(b[i]) + " instead of " + kn::test::value_text(a[i]);
      }
    }
    CAPTURE(compared);
    CAPTURE(first);
    CHECK(differ == 0);
  };
#define KN_CALL_1(name) [](const Array& x, const Array&) { return kn::name(x); }
#define KN_CALL_2(name) [](const Array& x, const Array& y) { return kn::name(x, y); }
#define KN_OP(name, arity, ...) check(kn::graph::Op::name, KN_CALL_##arity(name));
#include "graph/ops.def"
#undef KN_CALL_1
#undef KN_CALL_2
}

}  // namespace
#endif

TEST_CASE("no subnormal number stands between normal arguments and a normal result") {
#ifdef KN_FLUSHES
  if (!kn::test::does_steps()) return;
  {
    const Array tiny = kn::full({64}, 0x1p-100f).eval(), product = tiny * 0x1p-40f;
    kn::synchronize();
    const Flushing flushing;
    CHECK(product.to_vector<float>()[0] == 0);
  }
  check_functions<float, float>();
  check_functions<float, std::complex<float>>();
  if (!kn::default_device().has_fp64()) return;
  check_functions<double, double>();
  check_functions<double, std::complex<double>>();
#else
  kn::test::leave_out("how a thread flushes subnormal numbers is known of x86 alone");
#endif
}
