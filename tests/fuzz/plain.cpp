// SPDX-License-Identifier: Apache-2.0
// Broadcasting, conversion and comparison of the interpreter's arrays.
#include "plain.hpp"

#include <cmath>

#include "support/judge.hpp"

namespace koine::fuzz {
namespace {

using test::is_complex_float;
using test::is_real_float;

template <class T>
bool same(T a, T b, bool zeros_equal) {
  if constexpr (is_complex_float<T>) {
    return same(a.real(), b.real(), zeros_equal) && same(a.imag(), b.imag(), zeros_equal);
  } else if constexpr (is_real_float<T>) {
    if (a != a || b != b) return a != a && b != b;
    return a == b && (zeros_equal || std::signbit(static_cast<double>(a)) == std::signbit(static_cast<double>(b)));
  } else {
    return a == b;
  }
}

/// An integer that a floating value truncates to; false where it does not fit.
template <class To>
bool truncate(long double x, To* result) {
  const long double whole = std::trunc(x), past = std::ldexp(1.0L, std::numeric_limits<To>::digits);
  if (!(whole < past) || !(whole >= (std::is_signed_v<To> ? -past : 0.0L))) return false;
  *result = static_cast<To>(whole);
  return true;
}

template <class To, class From>
To convert(From x, std::size_t* undefined) {
  if constexpr (is_complex_float<To>) {
    using Part = typename To::value_type;
    if constexpr (is_complex_float<From>) {
      return To(convert<Part>(x.real(), undefined), convert<Part>(x.imag(), undefined));
    } else {
      return To(convert<Part>(x, undefined), Part(0));
    }
  } else if constexpr (std::is_same_v<To, bool>) {
    if constexpr (is_complex_float<From>) return x.real() != 0 || x.imag() != 0;
    if constexpr (!is_complex_float<From>) return x != From(0);
  } else if constexpr (is_complex_float<From>) {
    return convert<To>(x.real(), undefined);
  } else if constexpr (is_real_float<To>) {
    return test::from_wide<To>(static_cast<long double>(test::widened(x)));
  } else if constexpr (is_real_float<From>) {
    To result = 0;
    if (!truncate(test::widened(x), &result)) ++*undefined;
    return result;
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace

Lines lines_of(const Shape& shape, const std::vector<bool>& along) {
  Shape across = shape;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) across[axis] = along[axis] ? 1 : shape[axis];
  Lines lines(static_cast<std::size_t>(across.elements()));
  for (std::size_t i = 0, count = static_cast<std::size_t>(shape.elements()); i < count; ++i) {
    std::size_t rest = i, line = 0, scale = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      const auto size = static_cast<std::size_t>(shape[axis]);
      if (!along[axis]) line += rest % size * scale, scale *= size;
      rest /= size;
    }
    lines[line].push_back(i);
  }
  return lines;
}

Lines lines_of(const Shape& shape, std::size_t axis) {
  std::vector<bool> along(shape.size());
  along[axis] = true;
  return lines_of(shape, along);
}

Plain broadcast(const Plain& x, const Shape& shape) {
  if (x.shape == shape) return x;
  const std::size_t shift = shape.size() - x.shape.size();
  return gathered(x, shape, [&](const Shape& position) {
    std::int64_t number = 0;
    for (std::size_t axis = 0; axis < x.shape.size(); ++axis) {
      number = number * x.shape[axis] + (x.shape[axis] == 1 ? 0 : position[axis + shift]);
    }
    return number;
  });
}

bool broadcasts(const Shape& a, const Shape& b, Shape* result) {
  const std::size_t axes = std::max(a.size(), b.size());
  *result = Shape::filled(axes, 1);
  for (std::size_t i = 1; i <= axes; ++i) {
    const std::int64_t x = i > a.size() ? 1 : a[a.size() - i], y = i > b.size() ? 1 : b[b.size() - i];
    if (x != y && x != 1 && y != 1) return false;
    (*result)[axes - i] = x == 1 ? y : x;
  }
  return true;
}

Plain converted(const Plain& x, DType type, std::size_t* undefined) {
  if (x.type == type) return x;
  Plain result(type, x.shape);
  std::size_t ignored = 0;
  with_type(x.type, [&]<class From>(Tag<From>) {
    with_type(type, [&]<class To>(Tag<To>) {
      for (std::size_t i = 0, count = x.count(); i < count; ++i) {
        result.put(i, convert<To>(x.at<From>(i), undefined ? undefined : &ignored));
      }
    });
  });
  return result;
}

std::string element_text(const Plain& x, std::size_t i) {
  return with_type(x.type, [&]<class T>(Tag<T>) { return test::shown(x.at<T>(i)); });
}

std::vector<long double> numbers(const Plain& x) {
  std::vector<long double> result;
  with_type(x.type, [&]<class T>(Tag<T>) {
    if constexpr (!test::is_complex_float<T>) {
      for (std::size_t i = 0; i < x.count(); ++i) result.push_back(static_cast<long double>(test::widened(x.at<T>(i))));
    }
  });
  return result;
}

std::string difference(const Plain& got, const Plain& want, bool zeros_equal) {
  return with_type(want.type, [&]<class T>(Tag<T>) -> std::string {
    for (std::size_t i = 0, count = want.count(); i < count; ++i) {
      if (same(got.at<T>(i), want.at<T>(i), zeros_equal)) continue;
      return "element " + std::to_string(i) + " is " + element_text(got, i) + ", expected " + element_text(want, i);
    }
    return "";
  });
}

}  // namespace koine::fuzz
