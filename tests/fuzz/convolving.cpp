// SPDX-License-Identifier: Apache-2.0
// convolve and correlate: a sum of products for each shift of one array against the other.
//
// A call's `which` is the mode, and 3 more of correlate.
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
    constexpr std::int64_t most_work = 1 << 10;  // few enough for sums in every type, whose bound is for each element
    call_.which = step_.p[0] % (2 * mode_count);
    const std::size_t first = x(step_.a);
    const std::int64_t size = face(first).shape.elements();
    for (std::size_t i = 0; i < named && size > 0; ++i) {
      const std::size_t second = (step_.b + i) % named;
      const std::int64_t other = face(second).shape.elements();
      if (other == 0 || size * other > most_work) continue;
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

Verdict check(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  DType type = *promoted(sources[0].type, sources[1].type);
  if (is_bool(type)) type = int64;
  const Plain a = converted(sources[0], type), b = converted(sources[1], type);
  const std::int64_t least = std::min(a.shape[0], b.shape[0]), most = std::max(a.shape[0], b.shape[0]);
  const std::string_view mode = modes[call.which % mode_count];
  std::int64_t first = 0, count = most + least - 1;
  if (mode == "valid") first = least - 1, count = most - least + 1;
  if (mode == "same") {
    const bool turned = call.which >= mode_count && a.shape[0] < b.shape[0];
    first = turned ? least / 2 : (least - 1) / 2;
    count = most;
  }
  if (const std::string wrong = unlike(got, type, {count}); !wrong.empty()) return {wrong};
  // An array goes on as zeros past its ends, which make a NaN of the other's infinities and NaN.
  if (!finite(a) || !finite(b)) return {};
  return check_dots(type, got, [&]<class T>(std::size_t i, Dot<T>& dot) {
    add_products(call, a, b, first + static_cast<std::int64_t>(i), dot);
  });
}

std::string text(const Call& call, const std::vector<std::string>& sources) {
  return std::string(call.which < mode_count ? "kn::convolve(" : "kn::correlate(") + sources[0] + ", " + sources[1] +
         ", {.mode = \"" + std::string(modes[call.which % mode_count]) + "\"})";
}

}  // namespace

const Family convolving = {resolved<Convolving>, result, check, text};

}  // namespace koine::fuzz
