// SPDX-License-Identifier: Apache-2.0
// Fourier transforms along one axis, cut off or continued to some length, against the sums themselves.
//
// A call's `which` is the function, and 4 more for each norm; `high` is .n, 0 for none.

#include <koine/fft.hpp>

#include <algorithm>
#include <cmath>

#include "families.hpp"
#include "print.hpp"
#include "resolution.hpp"
#include "support/judge.hpp"

namespace koine::fuzz {
namespace {

enum Function : std::size_t { forward, inverse, to_half, to_real, functions };
constexpr std::string_view names[] = {"fft", "ifft", "rfft", "irfft"};
constexpr std::string_view norms[] = {"backward", "ortho", "forward"};

class Transforming : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    constexpr std::int64_t most_work = 1 << 21;
    call_.which = step_.p[0] % (functions * std::size(norms));
    Call::Source source = x(step_.a);
    if (call_.which % functions == to_half) source = ordered(0, source);
    const Shape shape = face(source).shape;
    if (shape.empty()) return {};
    choose_axis(step_.p[1], shape, step_.p[2] & 1);
    const std::int64_t size = shape[step_.p[1] % shape.size()];
    call_.high = step_.p[3] % 4 == 0 || size == 0 || (call_.which % functions == to_real && size == 1)
                     ? 1 + step_.p[3] + step_.p[4] % 2 * 256
                     : 0;
    const std::int64_t n = call_.high > 0 ? call_.high : 2 * size;
    const std::int64_t lines = shape.elements() / std::max<std::int64_t>(size, 1);
    if (lines * n > most_elements || lines * n * n > most_work) return {};
    put({source});
    return std::move(calls_);
  }
};

fft::FftOptions options(const Call& call) {
  fft::FftOptions options{.axis = call.axes[0], .norm = norms[call.which / functions]};
  if (call.high > 0) options.n = call.high;
  return options;
}

Array result(const Call& call, const std::vector<Operand>& sources) {
  const Array& x = sources[0].array();
  switch (call.which % functions) {
    case forward: return fft::fft(x, options(call));
    case inverse: return fft::ifft(x, options(call));
    case to_half: return fft::rfft(x, options(call));
    default: return fft::irfft(x, options(call));
  }
}

using Wide = std::complex<long double>;

Wide number(const Plain& x, std::size_t at) {
  return with_type(x.type, [&]<class T>(Tag<T>) { return Wide(test::widened(x.at<T>(at))); });
}

/// n elements of a line, and those that a half leaves out.
std::vector<Wide> given(const Plain& x, const std::vector<std::size_t>& line, std::int64_t n, bool half) {
  std::vector<Wide> values(static_cast<std::size_t>(n));
  const std::size_t size = values.size();
  for (std::size_t k = 0; k < (half ? size / 2 + 1 : size) && k < line.size(); ++k) {
    const Wide value = number(x, line[k]);
    if (half) values[(size - k) % size] = std::conj(value);
    values[k] = half && (k == 0 || 2 * k == size) ? Wide(value.real()) : value;
  }
  return values;
}

Verdict check(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  const Plain& x = sources[0];
  const std::size_t function = call.which % functions;
  const auto rank = static_cast<std::int64_t>(x.shape.size());
  const auto axis = static_cast<std::size_t>((call.axes[0] + rank) % rank);
  const std::int64_t size = x.shape[axis];
  const std::int64_t n = call.high > 0 ? call.high : function == to_real ? 2 * (size - 1) : size;
  const bool wide = x.type == float64 || x.type == complex128, back = function == inverse || function == to_real;
  const DType type = function == to_real ? (wide ? float64 : float32) : (wide ? complex128 : complex64);
  Shape shape = x.shape;
  shape[axis] = function == to_half ? n / 2 + 1 : n;
  if (const std::string wrong = unlike(got, type, shape); !wrong.empty()) return {wrong};
  const std::size_t norm = call.which / functions;
  const long double scale = norm == 1             ? 1 / std::sqrt(static_cast<long double>(n))
                            : (norm == 0) == back ? 1 / static_cast<long double>(n)
                                                  : 1;
  const long double epsilon = wide ? test::epsilon<double>() : test::epsilon<float>();
  const long double largest = wide ? test::largest<double>() : test::largest<float>();
  const long double smallest = wide ? test::smallest<double>() : test::smallest<float>();
  std::vector<Wide> roots;
  for (std::int64_t k = 0; k < n; ++k) {
    const long double angle = 2 * 3.14159265358979323846264338327950288L * static_cast<long double>(k) / n;
    roots.emplace_back(std::cos(angle), back ? std::sin(angle) : -std::sin(angle));
  }
  const Lines from = lines_of(x.shape, axis), to = lines_of(shape, axis);
  for (std::size_t line = 0; line < to.size(); ++line) {
    const std::vector<Wide> values =
        given(x, line < from.size() ? from[line] : Lines::value_type{}, n, function == to_real);
    long double norm_of_line = 0;
    for (const Wide& value : values) norm_of_line += std::norm(value);
    norm_of_line = std::sqrt(norm_of_line);
    // Sums of the largest numbers overflow on the way.
    if (!(norm_of_line * static_cast<long double>(n) * 8 < largest)) continue;
    const long double bound = 5 * epsilon * (std::log2(static_cast<long double>(n)) + 1) * norm_of_line *
                                  std::sqrt(static_cast<long double>(n)) +
                              static_cast<long double>(8 * n) * smallest;
    for (std::size_t k = 0; k < to[line].size(); ++k) {
      Wide want = 0;
      for (std::size_t j = 0; j < values.size(); ++j) want += values[j] * roots[j * k % values.size()];
      want *= scale;
      const Wide is = number(got, to[line][k]);
      if (std::abs(is - want) <= bound * scale + smallest) continue;
      return {"element " + std::to_string(to[line][k]) + " is " + element_text(got, to[line][k]) + ", expected " +
              test::shown(want)};
    }
  }
  return {"", true};
}

std::string text(const Call& call, const std::vector<std::string>& sources) {
  std::string result = "kn::fft::" + std::string(names[call.which % functions]) + "(" + sources[0] + ", {";
  if (call.high > 0) result += ".n = " + std::to_string(call.high) + ", ";
  return result + ".axis = " + axis_text(call) + ", .norm = \"" + std::string(norms[call.which / functions]) + "\"})";
}

}  // namespace

const Family transforming = {resolved<Transforming>, result, check, text};

}  // namespace koine::fuzz
