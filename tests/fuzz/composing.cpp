// SPDX-License-Identifier: Apache-2.0
// Compositions over rows: x - mean(x), x / sqrt(sum(x * x)), a softmax and a variance written out, several reductions
// of one array. One kernel may compute all of it, and keep what others store, so each element is held to the numbers
// that roundings allow on any way: ranges, which every operation and every sum in any order make wider.
//
// A call's `which` is the row of `compositions`.
#include <algorithm>
#include <cmath>

#include "bounds.hpp"
#include "families.hpp"
#include "print.hpp"
#include "resolution.hpp"

namespace koine::fuzz {
namespace {

/// What a number computed in T may be, whether kept in a wider type meanwhile or not.
template <class T>
struct Range {
  long double low = 0, high = 0;
  bool known = true;  // otherwise nothing is promised

  static Range unknown() { return {0, 0, false}; }
  /// Anything between two numbers, off by so many ulps more.
  static Range between(long double a, long double b, double ulps) {
    const long double most = std::max(std::abs(a), std::abs(b));
    if (!(most < test::largest<T>() / 2)) return unknown();
    const long double slack = ulps * test::ulp<T>(most) + test::smallest_normal<Kept<T>>();  // may be flushed
    return {std::min(a, b) - slack, std::max(a, b) + slack};
  }
  long double size() const { return std::max(std::abs(low), std::abs(high)); }
};

/// Over the four pairs of ends.
template <class T, class F>
Range<T> over_ends(const Range<T>& a, const Range<T>& b, F f, double ulps) {
  if (!a.known || !b.known) return Range<T>::unknown();
  const long double ends[] = {f(a.low, b.low), f(a.low, b.high), f(a.high, b.low), f(a.high, b.high)};
  return Range<T>::between(*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4), ulps);
}
template <class T>
Range<T> operator+(const Range<T>& a, const Range<T>& b) {
  return over_ends(a, b, std::plus(), 1);
}
template <class T>
Range<T> operator-(const Range<T>& a, const Range<T>& b) {
  return over_ends(a, b, std::minus(), 1);
}
template <class T>
Range<T> operator*(const Range<T>& a, const Range<T>& b) {
  return over_ends(a, b, std::multiplies(), 1);
}
/// Single precision may divide, and take roots, with an error of 3 ulps.
template <class T>
Range<T> operator/(const Range<T>& a, const Range<T>& b) {
  if (b.low <= 0 && b.high >= 0) return Range<T>::unknown();
  return over_ends(a, b, std::divides(), 3);
}
template <class T>
Range<T> sqrt(const Range<T>& x) {
  if (!x.known || x.high < 0) return Range<T>::unknown();
  return Range<T>::between(std::sqrt(std::max(x.low, 0.0L)), std::sqrt(x.high), 3);
}
template <class T>
Range<T> exp(const Range<T>& x) {
  return x.known ? Range<T>::between(std::exp(x.low), std::exp(x.high), 4) : x;
}
template <class T>
Range<T> log(const Range<T>& x) {
  if (!x.known || x.low <= 0) return Range<T>::unknown();
  return Range<T>::between(std::log(x.low), std::log(x.high), 4);
}

/// The ranges of a row, as the library's arrays are written with.
template <class T>
class Ranges {
 public:
  explicit Ranges(std::vector<Range<T>> elements) : elements_(std::move(elements)) {}

  const Range<T>& operator[](std::size_t i) const { return elements_[i]; }

  template <class F>
  Ranges map(F f) const {
    Ranges result = *this;
    for (Range<T>& each : result.elements_) each = f(each);
    return result;
  }
  Range<T> sum() const {
    Range<T> result;
    long double size = 0;
    for (const Range<T>& each : elements_) {
      if (!each.known) return each;
      result.low += each.low, result.high += each.high, size += each.size();
    }
    const long double error = static_cast<long double>(elements_.size() + 1) * test::epsilon<Kept<T>>() * size;
    return Range<T>::between(result.low - error, result.high + error, 1);
  }
  Range<T> mean() const {
    const auto count = static_cast<long double>(elements_.size());
    return sum() / Range<T>{count, count};
  }
  Range<T> max() const {
    Range<T> result = elements_[0];
    for (const Range<T>& each : elements_) {
      if (!each.known) return each;
      result = {std::max(result.low, each.low), std::max(result.high, each.high)};
    }
    return result;
  }
  Range<T> min() const {
    const Range<T> turned = map([](const Range<T>& x) { return Range<T>{-x.high, -x.low, x.known}; }).max();
    return {-turned.high, -turned.low, turned.known};
  }

 private:
  std::vector<Range<T>> elements_;
};

/// The same for arrays of the library's, over a call's axes.
class Rows {
 public:
  Rows(Array x, const Call& call) : x_(std::move(x)), options_{.axis = call.axis(), .keepdims = true} {}

  const Array& all() const { return x_; }
  template <class F>
  Rows map(F f) const {
    Rows result = *this;
    result.x_ = f(x_);
    return result;
  }
  Array sum() const { return koine::sum(x_, {.axis = options_.axis, .keepdims = true}); }
  Array mean() const { return koine::mean(x_, options_); }
  Array max() const { return koine::max(x_, options_); }
  Array min() const { return koine::min(x_, options_); }

 private:
  Array x_;
  ReductionOptions options_;
};

// A composition is written once, for arrays and for ranges: `row` has the elements, and what is made of one of them is
// a function of it.
#define KN_EACH(expression) row.map([&](const auto& x) { return expression; })

struct Centred {
  static constexpr std::string_view text = "x - kn::mean(x, over)";
  template <class R>
  static auto of(const R& row) {
    const auto mean = row.mean();
    return KN_EACH(x - mean);
  }
};
struct Scaled {
  static constexpr std::string_view text = "x / kn::sqrt(kn::sum(x * x, over_sum))";
  template <class R>
  static auto of(const R& row) {
    const auto squares = KN_EACH(x * x);
    const auto length = sqrt(squares.sum());
    return KN_EACH(x / length);
  }
};
struct Standardised {
  static constexpr std::string_view text =
      "(x - kn::mean(x, over)) / kn::sqrt(kn::mean((x - kn::mean(x, over)) * (x - kn::mean(x, over)), over))";
  template <class R>
  static auto of(const R& row) {
    const auto mean = row.mean();
    const auto squares = KN_EACH((x - mean) * (x - mean));
    const auto spread = sqrt(squares.mean());
    return KN_EACH((x - mean) / spread);
  }
};
struct Shares {
  static constexpr std::string_view text =
      "kn::exp(x - kn::max(x, over)) / kn::sum(kn::exp(x - kn::max(x, over)), over_sum)";
  template <class R>
  static auto of(const R& row) {
    const auto top = row.max();
    const auto powers = KN_EACH(exp(x - top));
    const auto total = powers.sum();
    return KN_EACH(exp(x - top) / total);
  }
};
struct Spread {
  static constexpr std::string_view text = "kn::mean((x - kn::mean(x, over)) * (x - kn::mean(x, over)), over)";
  template <class R>
  static auto of(const R& row) {
    const auto mean = row.mean();
    const auto squares = KN_EACH((x - mean) * (x - mean));
    return squares.mean();
  }
};
struct Logarithm {
  static constexpr std::string_view text =
      "kn::log(kn::sum(kn::exp(x - kn::max(x, over)), over_sum)) + kn::max(x, over)";
  template <class R>
  static auto of(const R& row) {
    const auto top = row.max();
    const auto powers = KN_EACH(exp(x - top));
    return log(powers.sum()) + top;
  }
};
struct Several {
  static constexpr std::string_view text =
      "kn::sum(x, over_sum) + kn::mean(x, over) * kn::max(x, over) - kn::min(x, over)";
  template <class R>
  static auto of(const R& row) {
    return row.sum() + row.mean() * row.max() - row.min();
  }
};
struct Extremes {
  static constexpr std::string_view text = "(x - kn::min(x, over)) / (kn::max(x, over) - kn::min(x, over))";
  template <class R>
  static auto of(const R& row) {
    const auto least = row.min();
    const auto width = row.max() - least;
    return KN_EACH((x - least) / width);
  }
};

/// Of a composition that gives an element for each, the array; of one that gives one for each row, that.
Array whole(const Rows& rows) { return rows.all(); }
Array whole(const Array& x) { return x; }
template <class T>
const Range<T>& at(const Ranges<T>& row, std::size_t i) {
  return row[i];
}
template <class T>
const Range<T>& at(const Range<T>& range, std::size_t) {
  return range;
}

/// `f` with the composition of a call.
template <class F>
auto with_composition(const Call& call, F f) {
  switch (call.which) {
    case 0: return f(Centred());
    case 1: return f(Scaled());
    case 2: return f(Standardised());
    case 3: return f(Shares());
    case 4: return f(Spread());
    case 5: return f(Logarithm());
    case 6: return f(Several());
    default: return f(Extremes());
  }
}
constexpr std::size_t compositions = 8;

class Composing : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    Call::Source source = step_.p[3] % 2 ? drawn_rows() : Call::Source(x(step_.a));
    if (!is_real_floating(face(source).type)) source = as(0, source, float32);
    const auto axes = static_cast<std::int64_t>(face(source).shape.size());
    if (axes == 0 || face(source).shape.elements() == 0) return {};
    if (step_.p[4] & 1) {
      constexpr Weak half{Weak::real, 0, 0.5};
      source = applied(0, "multiply", {source, half}, face(source));
    }
    call_.which = step_.p[0] % compositions;
    choose_axes(step_.p[1] & 1 ? step_.p[1] / 2u : 1u << (axes - 1), axes, step_.p[2] & 1);
    put({source});
    return std::move(calls_);
  }

 private:
  /// Rows that are short, that fit a work-group, and that do not.
  Call::Source drawn_rows() {
    constexpr std::int64_t lengths[] = {5, 64, 257, 1000, 9000, 20'000, 33'000}, rows[] = {1, 3, 2, 70};
    constexpr DType types[] = {float32, float64, float16, float32};
    Call call;
    call.kind = Kind::random;
    call.which = step_.p[5] % 2;
    call.seed = step_.b;
    call.type = types[step_.p[5] / 2u % 4];
    if (call.type == float64 && !setting_.fp64) call.type = float32;
    call.shape = {rows[step_.p[3] / 2u % 4], lengths[step_.p[3] / 8u % 7]};
    if (call.shape.elements() > most_elements) call.shape[0] = 3;
    const Face gives{call.type, call.shape};
    return spare(0, std::move(call), gives);
  }
};

Array compose(const Call& call, const std::vector<Operand>& sources) {
  const Rows rows(sources[0].array(), call);
  return with_composition(call, [&]<class C>(C) { return whole(C::of(rows)); });
}

Verdict check_composed(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  const Plain& x = sources[0];
  Call kept = call;
  kept.keepdims = true;
  Shape reduced;
  const Lines lines = reduced_lines(kept, x.shape, &reduced);
  Verdict verdict{"", true};
  with_type(x.type, [&]<class T>(Tag<T>) {
    if constexpr (test::is_real_float<T>) {
      with_composition(call, [&]<class C>(C) {
        constexpr bool each = std::is_same_v<decltype(C::of(std::declval<const Ranges<T>&>())), Ranges<T>>;
        verdict.wrong = unlike(got, x.type, each ? x.shape : reduced);
        for (std::size_t line = 0; line < lines.size() && verdict.wrong.empty(); ++line) {
          std::vector<Range<T>> elements;
          for (const std::size_t i : lines[line]) {
            const long double value = test::widened(x.at<T>(i));
            elements.push_back(std::isfinite(value) ? Range<T>{value, value} : Range<T>::unknown());
          }
          const auto wanted = C::of(Ranges<T>(std::move(elements)));
          for (std::size_t k = 0; k < (each ? lines[line].size() : 1); ++k) {
            const std::size_t number = each ? lines[line][k] : line;
            const Range<T>& range = at(wanted, k);
            const long double value = test::widened(got.at<T>(number));
            if (!range.known || (value >= range.low && value <= range.high)) continue;
            verdict.wrong = std::string(C::text) + ": element " + std::to_string(number) + " is " +
                            element_text(got, number) + ", expected " + test::shown(range.low) + " to " +
                            test::shown(range.high);
            break;
          }
        }
        return 0;
      });
    }
  });
  return verdict;
}

std::string text_of_composed(const Call& call, const std::vector<std::string>& sources) {
  const std::string options = "{.axis = " + axis_text(call) + ", .keepdims = true}";
  return "[](const kn::Array& x) {\n    [[maybe_unused]] const kn::ReductionOptions over" + options +
         ";\n    [[maybe_unused]] const kn::SumOptions over_sum" + options + ";\n    return kn::Array(" +
         with_composition(call, []<class C>(C) { return std::string(C::text); }) + ");\n  }(" + sources[0] + ")";
}

}  // namespace

const Family composing = {resolved<Composing>, compose, check_composed, text_of_composed};

}  // namespace koine::fuzz
