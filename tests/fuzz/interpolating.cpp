// SPDX-License-Identifier: Apache-2.0
// interp between points whose positions rise, with and without values of its own outside of them.
//
// A call's sources are x, the positions and the heights, then the values on the left and on the right where `which` has
// the bits 1 and 2.
#include <algorithm>
#include <cmath>

#include "bounds.hpp"
#include "create.hpp"
#include "families.hpp"
#include "resolution.hpp"

namespace koine::fuzz {
namespace {

class Interpolating : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    const Call::Source at = real(0, x(step_.a));
    const std::int64_t found = face(x(step_.b)).shape.elements();
    const std::int64_t count = std::min<std::int64_t>(found, 1 + step_.p[0] % 30);
    if (count == 0) return {};
    Call::Source heights = first_of(2, x(step_.b), count);
    const DType its = face(at).type;
    const DType positions = is_integer(its) ? its : step_.p[1] % 2 ? its : int16;
    std::vector<Call::Source> sources = {at, rising(1, count, positions), heights};
    // Types without a common one: the heights give way.
    if (!common_type(sources, faces_)) sources[2] = as(2, heights, float32);
    call_.which = step_.p[2] % 4;
    for (const std::size_t side : {1, 2}) {
      if (call_.which & side) sources.push_back(Weak{Weak::integer, step_.p[2 + side] % 50, 0});
    }
    put(std::move(sources));
    return std::move(calls_);
  }

 private:
  Call::Source first_of(std::size_t slot, Call::Source source, std::int64_t count) {
    source = flat(slot, source);
    Call call;
    call.kind = Kind::subscript;
    call.part = {{Entry::slice, 0, count, 1}};
    call.sources = {source};
    return spare(slot, std::move(call), {face(source).type, {count}});
  }

  /// Numbers that every type holds, each above the one before.
  Call::Source rising(std::size_t slot, std::int64_t count, DType type) {
    Call call;
    call.kind = Kind::scan;
    call.every_axis = false;
    call.axes = {0};
    call.typed = true;
    call.type = int32;
    call.sources = {drawn(slot, step_.p[5], 1, 4, {int32, {count}})};
    return as(slot, spare(slot, std::move(call), {int32, {count}}), type);
  }
};

Array result(const Call& call, const std::vector<Operand>& sources) {
  InterpOptions options;
  if (call.which & 1) options.left = sources[3];
  if (call.which & 2) options.right = sources.back();
  return interp(sources[0], sources[1].array(), sources[2].array(), options);
}

/// What `got` may be where x is between two points, or at one.
template <class T>
bool is_between(long double got, long double x, const std::vector<long double>& xp, const std::vector<long double>& fp,
                long double* want) {
  const auto after = static_cast<std::size_t>(std::upper_bound(xp.begin(), xp.end(), x) - xp.begin());
  const std::size_t first = after - 1;
  if (x == xp[first] || after == xp.size()) return within<T>(got, *want = fp[first], 0);
  const long double y0 = fp[first], y1 = fp[after], t = (x - xp[first]) / (xp[after] - xp[first]);
  const long double size = std::abs(y0) + std::abs(y1);
  *want = y0 + (y1 - y0) * t;
  if (!(size <= test::largest<T>() / 64)) return true;
  using Computed = Kept<T>;
  return within<T>(got, *want, 16 * test::epsilon<Computed>() * size + 4 * test::smallest<Computed>());
}

Verdict check(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  DType type = *promoted(*promoted(sources[0].type, sources[1].type), sources[2].type);
  if (is_integer(type) || is_bool(type)) type = float32;
  if (const std::string wrong = unlike(got, type, sources[0].shape); !wrong.empty()) return {wrong};
  const std::vector<long double> x = numbers(sources[0]), xp = numbers(sources[1]);
  Verdict verdict;
  with_type(type, [&]<class T>(Tag<T>) {
    if constexpr (test::is_real_float<T>) {
      const std::vector<long double> fp = numbers(converted(sources[2], dtype_of<Kept<T>>));
      const long double left = call.which & 1 ? numbers(sources[3])[0] : fp.front();
      const long double right = call.which & 2 ? numbers(sources.back())[0] : fp.back();
      for (std::size_t i = 0; i < x.size(); ++i) {
        const long double number = test::widened(got.at<T>(i));
        long double want = x[i];  // a NaN
        const bool right_there = std::isnan(x[i])    ? std::isnan(number)
                                 : x[i] < xp.front() ? within<T>(number, want = left, 0)
                                 : x[i] > xp.back()  ? within<T>(number, want = right, 0)
                                                     : is_between<T>(number, x[i], xp, fp, &want);
        if (right_there) continue;
        verdict.wrong = "element " + std::to_string(i) + " is " + element_text(got, i) + ", expected " +
                        test::shown(std::complex<long double>(want));
        return;
      }
    }
  });
  return verdict;
}

std::string text(const Call& call, const std::vector<std::string>& sources) {
  std::string options;
  if (call.which & 1) options += ".left = " + sources[3];
  if (call.which & 2) options += std::string(options.empty() ? "" : ", ") + ".right = " + sources.back();
  return "kn::interp(" + sources[0] + ", " + sources[1] + ", " + sources[2] + ", {" + options + "})";
}

}  // namespace

const Family interpolating = {resolved<Interpolating>, result, check, text};

}  // namespace koine::fuzz
