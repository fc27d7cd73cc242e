// SPDX-License-Identifier: Apache-2.0
// What computes each element by itself: rows of the op table, astype, where, clip.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "create.hpp"
#include "families.hpp"
#include "print.hpp"
#include "resolution.hpp"
#include "support/judge.hpp"

namespace koine::fuzz {

Verdict check_row(std::size_t row, DType computed, const Plain& got, const Plain& x1, const Plain* x2) {
  return with_type(computed, [&]<class C>(Tag<C>) { return check_row<C>(row, got, x1, x2); });
}

Verdict check_elementwise(std::size_t index, DType common, const Plain& got, std::vector<Plain> x) {
  const Row& row = rows()[index];
  const DType computed = row.logical ? bool_ : *row.computes(common);
  const Shape shape = common_shape(x);
  if (got.shape != shape) return {"the shape is " + to_string(got.shape) + ", expected " + to_string(shape)};
  const bool truths = std::any_of(x.begin(), x.end(), [](const Plain& each) { return each.type == DType::bool_; });
  for (Plain& each : x) each = broadcast(converted(each, computed), shape);
  Verdict result = check_row(index, computed, got, x[0], x.size() == 2 ? &x[1] : nullptr);
  // Of 0 and 1 a compiler may work out a function by itself, by its own approximation: NVIDIA's does for tanh.
  result.open = truths && computed != bool_ && !is_integer(computed);
  return result;
}

namespace {

// elementwise: `which` is the row.

class Computing : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    choose();
    return std::move(calls_);
  }

 private:
  void choose() {
    const Row& row = rows()[call_.which = step_.p[0] % rows().size()];
    const auto takes = [&](DType common) { return row.computes(common).has_value(); };
    std::size_t first = x(step_.a);
    if (step_.repeat >= 192) first = call_.target;  // a chain
    if (row.arity == 1) return put(matched({first}, takes));
    std::vector<Call::Source> sources = {first};
    if (step_.c % 4 == 3) {
      sources.push_back(new_scalar(step_.c / 4, step_.p[1]));
    } else {
      Shape result;
      sources.push_back(beside(step_.b, face(first).shape, &result).value_or(first));
    }
    if (step_.c & 128) std::swap(sources[0], sources[1]);
    if (std::holds_alternative<Weak>(sources[0]) && step_.repeat >= 192) std::swap(sources[0], sources[1]);
    if (row.logical) return put(std::move(sources));
    if (!std::holds_alternative<Weak>(sources[0])) return put(matched(std::move(sources), takes));
    std::swap(sources[0], sources[1]);
    sources = matched(std::move(sources), takes);
    put({sources[1], sources[0]});
  }
};

Array compute(const Call& call, const std::vector<Operand>& sources) {
  const Row& row = rows()[call.which];
  return row.arity == 1 ? row.unary(sources[0]) : row.binary(sources[0], sources[1]);
}

Verdict check_computed(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  const auto common = rows()[call.which].logical ? bool_ : *common_type(call, sources);
  return check_elementwise(call.which, common, got, sources);
}

std::string text_of_computed(const Call& call, const std::vector<std::string>& sources) {
  return "kn::" + std::string(rows()[call.which].name) + "(" + together(sources) + ")";
}

/// x ** a number for which there may be a shorter way.
class Powering : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    constexpr double exponents[] = {2, 3, 4, -1, 0.5, -2, -0.5, 1, 0, 1.5, 5, 7, 8, 2.5, 0.25, -3, 16, 31};
    const double exponent = exponents[step_.p[0] % std::size(exponents)];
    const bool whole = exponent == std::trunc(exponent);
    Weak scalar{whole && step_.p[1] % 2 == 0 ? Weak::integer : Weak::real, static_cast<std::int64_t>(exponent),
                exponent};
    const std::size_t first = x(step_.a);
    if (is_integer(face(first).type) || is_bool(face(first).type)) {
      scalar.kind = Weak::integer;
      if (!whole || exponent < 0) scalar.whole = 2;
    }
    call_.kind = Kind::elementwise;
    call_.which = row_of("pow");
    put(matched({first, scalar}, [](DType common) { return rows()[row_of("pow")].computes(common).has_value(); }));
    return std::move(calls_);
  }
};

class Converting : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    call_.type = type(step_.p[0]);
    Call::Source source = x(step_.a);
    if (is_complex(face(source).type) && !is_complex(call_.type) && !is_bool(call_.type)) {
      source = as(0, source, face(source).type == complex64 ? float32 : float64);
    }
    put({source});
    return std::move(calls_);
  }
};

Array convert(const Call& call, const std::vector<Operand>& sources) { return sources[0].array().astype(call.type); }

Verdict check_converted(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  std::size_t undefined = 0;
  Plain want = converted(sources[0], call.type, &undefined);
  Verdict verdict{unlike(got, want.type, want.shape), false, undefined > 0};
  if (!verdict.wrong.empty()) return verdict;
  if (undefined == 0) return exactly(got, want);
  // What is undefined is whatever it is; the rest must be right.
  for (std::size_t i = 0; i < want.count(); ++i) {
    std::size_t here = 0;
    converted(gathered(sources[0], {}, [&](const Shape&) { return i; }), call.type, &here);
    if (here) want.copy_element(i, got, i);
  }
  verdict.wrong = difference(got, want);
  return verdict;
}

std::string text_of_converted(const Call& call, const std::vector<std::string>& sources) {
  return sources[0] + ".astype(" + constant_of(call.type) + ")";
}

class Choosing : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    choose();
    return std::move(calls_);
  }

 private:
  void choose() {
    Shape shape;
    const std::size_t condition = x(step_.a);
    const auto first = beside(step_.b, face(condition).shape, &shape);
    if (!first) return;
    std::vector<Call::Source> sources = {*first};
    if (step_.p[0] % 2 == 1) {
      sources.push_back(new_scalar(step_.p[1], step_.p[2]));
    } else {
      const Shape both = shape;
      const auto second = beside(step_.c, both, &shape);
      if (!second) return;
      sources.push_back(*second);
    }
    sources = matched(std::move(sources), [](DType) { return true; });
    put({condition, sources[0], sources[1]});
  }
};

Array choose(const Call&, const std::vector<Operand>& sources) { return where(sources[0], sources[1], sources[2]); }

Verdict check_chosen(const Call& call, const std::vector<Plain>& x, const Plain& got) {
  const Shape shape = common_shape(x);
  const DType type = *common_type(call, x, 1);
  const Plain condition = broadcast(converted(x[0], bool_), shape), yes = broadcast(converted(x[1], type), shape),
              no = broadcast(converted(x[2], type), shape);
  Plain want(type, shape);
  for (std::size_t i = 0; i < want.count(); ++i) want.copy_element(i, condition.at<bool>(i) ? yes : no, i);
  return exactly(got, want);
}

std::string text_of_chosen(const Call&, const std::vector<std::string>& sources) {
  return "kn::where(" + together(sources) + ")";
}

// clip: bit 0 of `which` says that there is a lower bound, bit 1 an upper one.

class Clipping : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    const Call::Source source = real(0, x(step_.a));
    const DType its = face(source).type;
    std::vector<Call::Source> sources = {source};
    Shape shape = face(source).shape;
    call_.which = 3 - step_.p[0] % 4;
    for (const std::size_t bound : {1, 2}) {
      if (!(call_.which & bound)) continue;
      const Shape so_far = shape;
      const auto array = beside(bound == 1 ? step_.b : step_.c, so_far, &shape);
      if (step_.p[bound] % 2 == 1 || !array) {
        shape = so_far;
        const Weak scalar = fitting(new_scalar(step_.p[bound] / 2, step_.p[bound + 2]), its);
        sources.push_back(promoted(its, scalar) == its ? scalar : one);
      } else {
        sources.push_back(ordered(bound, *array));
      }
    }
    put(matched(std::move(sources), [](DType common) { return !is_complex(common); }));
    return std::move(calls_);
  }
};

/// The upper bound's number among the sources.
std::size_t upper(const Call& call) { return 1 + call.which / 3; }

Array clip(const Call& call, const std::vector<Operand>& sources) {
  return koine::clip(sources[0], call.which & 1 ? ClipBound(sources[1]) : none,
                     call.which & 2 ? ClipBound(sources[upper(call)]) : none);
}

Verdict check_clipped(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  const DType type = *common_type(call, sources);
  const Shape shape = common_shape(sources);
  if (const std::string wrong = unlike(got, type, shape); !wrong.empty()) return {wrong};
  Plain want = broadcast(converted(sources[0], type), shape);
  for (std::size_t k = 1; k < sources.size(); ++k) {
    const bool lowest = k == 1 && call.which & 1;
    const Plain bound = broadcast(converted(sources[k], type), shape);
    with_type(type, [&]<class T>(Tag<T>) {
      if constexpr (!test::is_complex_float<T>) {
        for (std::size_t i = 0; i < want.count(); ++i) {
          const auto x = test::widened(want.at<T>(i)), end = test::widened(bound.at<T>(i));
          if (x == x && (end != end || (lowest ? x < end : x > end))) want.copy_element(i, bound, i);
        }
      }
    });
  }
  return {difference(got, want, true)};
}

std::string text_of_clipped(const Call& call, const std::vector<std::string>& sources) {
  return "kn::clip(" + sources[0] + ", " + (call.which & 1 ? sources[1] : "kn::none") + ", " +
         (call.which & 2 ? sources[upper(call)] : "kn::none") + ")";
}

}  // namespace

const Family computing = {resolved<Computing>, compute, check_computed, text_of_computed};
const Family powering = {resolved<Powering>};
const Family converting = {resolved<Converting>, convert, check_converted, text_of_converted};
const Family choosing = {resolved<Choosing>, choose, check_chosen, text_of_chosen};
const Family clipping = {resolved<Clipping>, clip, check_clipped, text_of_clipped};

}  // namespace koine::fuzz
