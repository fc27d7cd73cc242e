// SPDX-License-Identifier: Apache-2.0
// convolve, correlate and fftconvolve: a sum of products for each shift of one array against the other.
//
// A call's `which` is the mode, and 3 more of correlate; of fftconvolve the mode.
#include <algorithm>

#include "dot.hpp"
#include "families.hpp"
#include "resolution.hpp"

namespace koine::fuzz {
namespace {

constexpr std::string_view modes[] = {"full", "same", "valid"};
constexpr std::size_t mode_count = std::size(modes);

class Convolving : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    // Few enough for sums in every type, whose bound is for each element: of complex numbers 14 by 14 products are left
    // to transforms.
    constexpr std::int64_t most_work = 1 << 10, of_complex = 8;
    call_.which = step_.p[0] % (2 * mode_count);
    const std::size_t first = x(step_.a);
    const std::int64_t size = face(first).shape.elements();
    for (std::size_t i = 0; i < named && size > 0; ++i) {
      const std::size_t second = (step_.b + i) % named;
      const std::int64_t other = face(second).shape.elements();
      const bool complex = is_complex(face(first).type) || is_complex(face(second).type);
      if (other == 0 || size * other * (complex ? of_complex : 1) > most_work) continue;
      put(matched({flat(0, first), flat(1, second)}, [](DType) { return true; }));
      break;
    }
    return std::move(calls_);
  }
};

Array result(const Call& call, const std::vector<Operand>& sources) {
  const Array &x1 = sources[0].array(), &x2 = sources[1].array();
  const std::string_view mode = modes[call.which % mode_count];
  return call.which < mode_count ? convolve(x1, x2, {.mode = mode}) : correlate(x1, x2, {.mode = mode});
}

template <class T>
T conjugate(T value) {
  if constexpr (test::is_complex_float<T>) {
    return std::conj(value);
  } else {
    return value;
  }
}

/// The products of result k of "full", whose number of the first is 0.
template <class T>
void add_products(const Call& call, const Plain& a, const Plain& b, std::int64_t k, Dot<T>& dot) {
  const bool convolves = call.which < mode_count;
  const std::int64_t m = a.shape[0], n = b.shape[0];
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t at = convolves ? k - i : k - (n - 1) + i;
    if (at < 0 || at >= m) continue;
    const T y = b.at<T>(static_cast<std::size_t>(i));
    const T factors[] = {a.at<T>(static_cast<std::size_t>(at)), convolves ? y : conjugate(y)};
    dot.add(factors);
  }
}

bool finite(const Plain& x) {
  return with_type(x.type, [&]<class T>(Tag<T>) {
    for (std::size_t i = 0; i < x.count(); ++i) {
      if constexpr (!std::is_integral_v<T>) {
        if (!std::isfinite(static_cast<double>(std::abs(test::widened(x.at<T>(i)))))) return false;
      }
    }
    return true;
  });
}

/// The elements of "full" that a mode gives: where they begin, and how many. `turned`: correlate's "same" of a shorter
/// first one.
std::pair<std::int64_t, std::int64_t> window(std::string_view mode, std::int64_t most, std::int64_t least,
                                             bool turned) {
  if (mode == "valid") return {least - 1, most - least + 1};
  if (mode == "same") return {turned ? least / 2 : (least - 1) / 2, most};
  return {0, most + least - 1};
}

Verdict check(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  DType type = *promoted(sources[0].type, sources[1].type);
  if (is_bool(type)) type = int64;
  const Plain a = converted(sources[0], type), b = converted(sources[1], type);
  const std::int64_t least = std::min(a.shape[0], b.shape[0]), most = std::max(a.shape[0], b.shape[0]);
  const std::string_view mode = modes[call.which % mode_count];
  const auto [first, count] = window(mode, most, least, call.which >= mode_count && a.shape[0] < b.shape[0]);
  if (const std::string wrong = unlike(got, type, {count}); !wrong.empty()) return {wrong};
  // An array goes on as zeros past its ends, which make a NaN of the other's infinities and NaN.
  if (!finite(a) || !finite(b)) return {};
  return check_dots(type, got, [&, first = first]<class T>(std::size_t i, Dot<T>& dot) {
    add_products(call, a, b, first + static_cast<std::int64_t>(i), dot);
  });
}

std::string text(const Call& call, const std::vector<std::string>& sources) {
  return std::string(call.which < mode_count ? "kn::convolve(" : "kn::correlate(") + sources[0] + ", " + sources[1] +
         ", {.mode = \"" + std::string(modes[call.which % mode_count]) + "\"})";
}

class Transformed : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    constexpr std::int64_t most_work = 1 << 20;
    call_.which = step_.p[0] % mode_count;
    const std::size_t first = x(step_.a), second = x(step_.b);
    const std::int64_t size = face(first).shape.elements(), other = face(second).shape.elements();
    if (size == 0 || other == 0 || size * other > most_work) return {};
    put(matched({flat(0, first), flat(1, second)}, [](DType) { return true; }));
    return std::move(calls_);
  }
};

Array transformed(const Call& call, const std::vector<Operand>& sources) {
  return fftconvolve(sources[0].array(), sources[1].array(), {.mode = modes[call.which]});
}

Verdict check_transformed(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  DType type = *promoted(sources[0].type, sources[1].type);
  if (is_integer(type) || is_bool(type)) type = float32;
  const Plain a = converted(sources[0], type), b = converted(sources[1], type);
  const std::int64_t m = a.shape[0], n = b.shape[0], least = std::min(m, n);
  auto [first, count] = window(modes[call.which], std::max(m, n), least, false);
  // The middle of the first one's size, whichever is longer.
  if (modes[call.which] == "same") first = (n - 1) / 2, count = m;
  if (const std::string wrong = unlike(got, type, {count}); !wrong.empty()) return {wrong};
  if (!finite(a) || !finite(b)) return {"", true};
  Verdict verdict{"", true};
  with_type(type, [&, first = first, count = count]<class T>(Tag<T>) {
    if constexpr (!std::is_integral_v<T>) {
      using Wide = std::complex<long double>;
      std::vector<Wide> x, y;
      long double norms[2] = {};
      for (std::int64_t i = 0; i < m; ++i)
        norms[0] += std::norm(x.emplace_back(test::widened(a.at<T>(static_cast<std::size_t>(i)))));
      for (std::int64_t i = 0; i < n; ++i)
        norms[1] += std::norm(y.emplace_back(test::widened(b.at<T>(static_cast<std::size_t>(i)))));
      const bool wide = type == float64 || type == complex128;
      const long double epsilon = wide ? test::epsilon<double>() : test::epsilon<float>();
      const long double product = std::sqrt(norms[0]) * std::sqrt(norms[1]), size = static_cast<long double>(m + n);
      const long double largest = type == float16 ? 65504 : wide ? test::largest<double>() : test::largest<float>();
      const long double smallest = wide ? test::smallest<double>() : test::smallest<float>();
      // Transforms of the largest numbers, and products of theirs, overflow on the way.
      const long double most = std::max({std::sqrt(norms[0]), std::sqrt(norms[1]), product}) * size * 8;
      if (!(most < largest)) return;
      const long double narrow = type == float16 ? std::exp2(-11.0L) : type == bfloat16 ? std::exp2(-8.0L) : 0;
      const long double bound = 20 * epsilon * (std::log2(size) + 1) * product +
                                16 * size * size * smallest * (1 + std::sqrt(norms[0]) + std::sqrt(norms[1]));
      for (std::int64_t k = 0; k < count; ++k) {
        Wide want = 0;
        for (std::int64_t i = std::max<std::int64_t>(0, first + k - (n - 1)); i <= std::min(first + k, m - 1); ++i) {
          want += x[static_cast<std::size_t>(i)] * y[static_cast<std::size_t>(first + k - i)];
        }
        const Wide is = test::widened(got.at<T>(static_cast<std::size_t>(k)));
        if (std::abs(is - want) <= bound + narrow * (std::abs(want) + 1e-4L)) continue;
        verdict = {"element " + std::to_string(k) + " is " + element_text(got, static_cast<std::size_t>(k)) +
                   ", expected " + test::shown(want)};
        return;
      }
    }
  });
  return verdict;
}

std::string text_transformed(const Call& call, const std::vector<std::string>& sources) {
  return "kn::fftconvolve(" + sources[0] + ", " + sources[1] + ", {.mode = \"" + std::string(modes[call.which]) +
         "\"})";
}

}  // namespace

const Family convolving = {resolved<Convolving>, result, check, text};
const Family convolving_by_transforms = {resolved<Transformed>, transformed, check_transformed, text_transformed};

}  // namespace koine::fuzz
