// SPDX-License-Identifier: Apache-2.0
// softmax and logsumexp, held to the roundings of differences from the largest element, of their exponentials, and of
// any order of additions.
//
// A call's `which` is the function.
#include <cmath>
#include <limits>

#include "bounds.hpp"
#include "families.hpp"
#include "print.hpp"
#include "resolution.hpp"

namespace koine::fuzz {
namespace {

enum Function : std::size_t { shares, logarithm };

class Sharing : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    const Call::Source source = ordered(0, lengthened(0, x(step_.a), step_.p[5]));
    const auto axes = static_cast<std::int64_t>(face(source).shape.size());
    call_.which = step_.p[0] % 2;
    choose_axes(step_.p[1], axes, step_.p[2] & 1);
    call_.keepdims = call_.which == logarithm && step_.p[2] & 2;
    put({source});
    return std::move(calls_);
  }
};

Array result(const Call& call, const std::vector<Operand>& sources) {
  if (call.which == shares) return softmax(sources[0], {.axis = call.axis()});
  return logsumexp(sources[0], {.axis = call.axis(), .keepdims = call.keepdims});
}

/// One line of elements that share: what its logarithm and its shares may be, in elements of T.
template <class T>
class Line {
 public:
  /// `whole`: differences from the largest are those of integers, which that is added to last.
  Line(const std::vector<long double>& x, const std::vector<std::size_t>& numbers, bool whole) : whole_(whole) {
    for (const std::size_t i : numbers) {
      if (!(x[i] <= top_)) top_ = std::isnan(top_) ? top_ : x[i];
    }
    if (!std::isfinite(top_)) return;
    long double far = 0;
    for (const std::size_t i : numbers) {
      const long double below = x[i] - top_, power = std::exp(below);
      total_ += power;
      if (power > 0) far += power * -below;
    }
    // Each exponent is off by an ulp of itself, which counts as much as its exponential does.
    off_ = test::epsilon<Kept<T>>() * (far / total_ + static_cast<long double>(numbers.size()) + 8);
  }

  Wanted log() const {
    Wanted wanted{top_};
    wanted.loose = true;
    if (!std::isfinite(top_)) return wanted;
    const long double log = std::log(total_);
    wanted.value += log;
    wanted.error = off_ + 4 * test::epsilon<Kept<T>>() * log;
    if (whole_) wanted.error += test::ulp<Kept<T>>(std::abs(top_));
    return rounded(wanted, 1);
  }
  Wanted share(long double x) const {
    Wanted wanted{std::numeric_limits<long double>::quiet_NaN()};
    wanted.loose = true;
    if (!std::isfinite(top_)) return wanted;
    const long double below = x - top_;
    wanted.value = std::exp(below) / total_;
    wanted.error = wanted.value > 0 ? wanted.value * (off_ - below * test::epsilon<Kept<T>>()) : 0;
    wanted.error += test::smallest_normal<Kept<T>>();  // exponentials below it may be none
    return rounded(wanted, 3);
  }

 private:
  /// The same after so many roundings more in the type that sums are kept in.
  static Wanted rounded(Wanted wanted, double ulps) {
    if (test::is_small_float<T>) {
      wanted.error += ulps * test::ulp<float>(wanted.value);
    } else {
      wanted.ulps = ulps;
    }
    return wanted;
  }

  const bool whole_;
  long double top_ = -std::numeric_limits<long double>::infinity(), total_ = 0, off_ = 0;
};

Verdict check(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  const DType own = sources[0].type;
  const bool whole = is_integer(own), wide = whole && size_of(own) >= 4;
  const DType type = whole || is_bool(own) ? float32 : own;
  Shape reduced;
  const Lines lines = reduced_lines(call, sources[0].shape, &reduced);
  const Shape shape = call.which == shares ? sources[0].shape : reduced;
  if (const std::string wrong = unlike(got, type, shape); !wrong.empty()) return {wrong};
  const std::vector<long double> x = numbers(sources[0]);
  Verdict verdict;
  with_type(type, [&]<class T>(Tag<T>) {
    if constexpr (test::is_real_float<T>) {
      const auto judge = [&](std::size_t at, const Wanted& wanted) {
        std::string words;
        if (!verdict.wrong.empty() || wanted.met_by(got.at<T>(at), &words, &verdict.loose)) return;
        verdict.wrong = std::string(call.which == shares ? "softmax" : "logsumexp") + ": element " +
                        std::to_string(at) + " is " + element_text(got, at) + ", expected " + words;
      };
      for (std::size_t number = 0; number < lines.size(); ++number) {
        const Line<T> line(x, lines[number], wide);
        if (call.which == logarithm) {
          judge(number, line.log());
        } else {
          for (const std::size_t i : lines[number]) judge(i, line.share(x[i]));
        }
      }
    }
  });
  return verdict;
}

std::string text(const Call& call, const std::vector<std::string>& sources) {
  return (call.which == shares ? "kn::softmax(" : "kn::logsumexp(") + sources[0] + ", {.axis = " + axis_text(call) +
         (call.keepdims ? ", .keepdims = true" : "") + "})";
}

}  // namespace

const Family sharing = {resolved<Sharing>, result, check, text};

}  // namespace koine::fuzz
