// SPDX-License-Identifier: Apache-2.0
// Cosine and sine transforms along one axis against the sums themselves, and inverse ones by the transform of what they
// give.
//
// A call's `which` is the type less 1, 4 for sines, 8 for the inverse, and 16 for each norm; `high` is .n, 0 for none.

#include <koine/fft_dct.hpp>

#include <algorithm>
#include <cmath>

#include "families.hpp"
#include "print.hpp"
#include "resolution.hpp"
#include "support/judge.hpp"

namespace koine::fuzz {
namespace {

constexpr std::string_view norms[] = {"backward", "ortho", "forward"};

std::int64_t type_of(const Call& call) { return static_cast<std::int64_t>(call.which % 4 + 1); }
bool is_sine(const Call& call) { return call.which / 4 % 2 == 1; }
bool is_inverse(const Call& call) { return call.which / 8 % 2 == 1; }
std::string_view norm_of(const Call& call) { return is_inverse(call) ? norms[call.which / 16] : norms[0]; }

class Cosining : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    constexpr std::int64_t most_work = 1 << 21;
    call_.which = step_.p[0] % (16 * std::size(norms));
    const Call::Source source = ordered(0, x(step_.a));
    const Shape shape = face(source).shape;
    if (shape.empty()) return {};
    choose_axis(step_.p[1], shape, step_.p[2] & 1);
    const std::int64_t size = shape[step_.p[1] % shape.size()];
    call_.high = step_.p[3] % 4 == 0 || size < 2 ? 2 + step_.p[3] + step_.p[4] % 2 * 256 : 0;
    const std::int64_t n = call_.high > 0 ? call_.high : size;
    const std::int64_t lines = shape.elements() / std::max<std::int64_t>(size, 1);
    if (lines * n > most_elements || lines * n * n > most_work) return {};
    put({source});
    return std::move(calls_);
  }
};

fft::DctOptions options(const Call& call) {
  fft::DctOptions options{.type = type_of(call), .axis = call.axes[0], .norm = norm_of(call)};
  if (call.high > 0) options.n = call.high;
  return options;
}

Array result(const Call& call, const std::vector<Operand>& sources) {
  const Array& x = sources[0].array();
  if (!is_inverse(call)) return is_sine(call) ? fft::dst(x, options(call)) : fft::dct(x, options(call));
  return is_sine(call) ? fft::dst(fft::idst(x, options(call)), options(call))
                       : fft::dct(fft::idct(x, options(call)), options(call));
}

/// What element j counts for in element k of a transform of n elements, as koine/fft_dct.hpp has it.
long double factor(std::int64_t type, bool sine, std::int64_t j, std::int64_t k, std::int64_t n) {
  const long double pi = 3.14159265358979323846264338327950288L;
  const auto angle = [&](std::int64_t above, std::int64_t below) {
    return pi * static_cast<long double>(above % (4 * below)) / static_cast<long double>(below);
  };
  const long double sign = k % 2 == 0 ? 1 : -1;
  if (sine) {
    switch (type) {
      case 1: return 2 * std::sin(angle((j + 1) * (k + 1), n + 1));
      case 2: return 2 * std::sin(angle((2 * j + 1) * (k + 1), 2 * n));
      case 3: return j + 1 == n ? sign : 2 * std::sin(angle((j + 1) * (2 * k + 1), 2 * n));
      default: return 2 * std::sin(angle((2 * j + 1) * (2 * k + 1), 4 * n));
    }
  }
  switch (type) {
    case 1: return j == 0 ? 1 : j + 1 == n ? sign : 2 * std::cos(angle(j * k, n - 1));
    case 2: return 2 * std::cos(angle((2 * j + 1) * k, 2 * n));
    case 3: return j == 0 ? 1 : 2 * std::cos(angle(j * (2 * k + 1), 2 * n));
    default: return 2 * std::cos(angle((2 * j + 1) * (2 * k + 1), 4 * n));
  }
}

Verdict check(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  const std::vector<long double> x = numbers(sources[0]), is = numbers(got);
  const auto rank = static_cast<std::int64_t>(sources[0].shape.size());
  const auto axis = static_cast<std::size_t>((call.axes[0] + rank) % rank);
  const bool wide = sources[0].type == float64;
  Shape shape = sources[0].shape;
  const std::int64_t n = call.high > 0 ? call.high : shape[axis];
  shape[axis] = n;
  if (const std::string wrong = unlike(got, wide ? float64 : float32, shape); !wrong.empty()) return {wrong};
  const long double epsilon = wide ? test::epsilon<double>() : test::epsilon<float>();
  const long double largest = wide ? test::largest<double>() : test::largest<float>();
  const long double smallest = wide ? test::smallest<double>() : test::smallest<float>();
  const Lines from = lines_of(sources[0].shape, axis), to = lines_of(shape, axis);
  const auto length = static_cast<std::size_t>(n);
  for (std::size_t line = 0; line < to.size(); ++line) {
    std::vector<long double> values(length);
    long double norm = 0;
    for (std::size_t j = 0; line < from.size() && j < std::min(from[line].size(), length); ++j) {
      values[j] = x[from[line][j]];
      norm += values[j] * values[j];
    }
    norm = std::sqrt(norm);
    // Sums of the largest numbers overflow on the way.
    if (!(norm * static_cast<long double>(n) * 32 < largest)) continue;
    const long double steps = std::log2(static_cast<long double>(2 * n)) + 1;
    const long double bound = 10 * epsilon * steps * norm * 2 * std::sqrt(static_cast<long double>(2 * n)) +
                              static_cast<long double>(16 * n) * smallest;
    for (std::size_t k = 0; k < length; ++k) {
      long double want = is_inverse(call) ? values[k] : 0;
      for (std::size_t j = 0; j < length && !is_inverse(call); ++j) {
        want += values[j] *
                factor(type_of(call), is_sine(call), static_cast<std::int64_t>(j), static_cast<std::int64_t>(k), n);
      }
      const std::size_t at = to[line][k];
      if (std::abs(is[at] - want) <= bound) continue;
      return {"element " + std::to_string(at) + " is " + element_text(got, at) + ", expected " +
              test::shown(std::complex<long double>(want))};
    }
  }
  return {"", true};
}

std::string text(const Call& call, const std::vector<std::string>& sources) {
  std::string options = ", {.type = " + std::to_string(type_of(call)) + ", ";
  if (call.high > 0) options += ".n = " + std::to_string(call.high) + ", ";
  options += ".axis = " + axis_text(call) + ", .norm = \"" + std::string(norm_of(call)) + "\"})";
  const std::string name = is_sine(call) ? "dst(" : "dct(";
  return "kn::fft::" + name + (is_inverse(call) ? "kn::fft::i" + name + sources[0] + options : sources[0]) + options;
}

}  // namespace

const Family cosining = {resolved<Cosining>, result, check, text};

}  // namespace koine::fuzz
