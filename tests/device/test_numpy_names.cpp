// SPDX-License-Identifier: Apache-2.0
// The examples of docs/numpy.md, as a user writes them, give what NumPy gives (tests/golden/numpy_names.py): the same
// shape, values and kind of elements.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cmath>
#include <complex>
#include <list>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/files.hpp"

using namespace koine;

namespace {

using V = std::vector<double>;

/// What the examples are about.
struct Given {
#define KN_GIVEN(name, value) Array name = value;
#define KN_EXAMPLE(...)
#include "golden/numpy_names.inc"
#undef KN_GIVEN
#undef KN_EXAMPLE
  random::Generator g{42};
  std::string path;
};

/// What an example gives: numbers, or a text.
struct Result {
  Result(const Array& x) : numbers(x) {}            // NOLINT: implicit by design
  Result(const Subscript& part) : numbers(part) {}  // NOLINT
  Result(const Shape& shape) : numbers(asarray(std::vector<std::int64_t>(shape.begin(), shape.end()))) {}  // NOLINT
  template <Element T>
  Result(const std::vector<T>& values) : numbers(asarray(values)) {}  // NOLINT
  template <ScalarLike T>
  Result(T value) : numbers(asarray(value)) {}                // NOLINT
  Result(const std::string& text) : text(text) {}             // NOLINT
  Result(std::string_view text) : text(std::string(text)) {}  // NOLINT

  Array numbers;
  std::string text;
};

struct Example {
  std::string code;
  Result (*run)(Given given);
  char kind;
  Shape shape;
  V values;
  std::string text;
};

/// NumPy's letter for the kind of a type.
char kind_of(DType type) {
  return is_bool(type)               ? 'b'
         : is_signed_integer(type)   ? 'i'
         : is_unsigned_integer(type) ? 'u'
         : is_complex(type)          ? 'c'
                                     : 'f';
}

/// Of complex numbers both parts, one after the other.
V values_of(const Array& x) {
  if (!is_complex(x.dtype())) return x.to_vector<double>();
  V values;
  for (const auto z : x.to_vector<std::complex<float>>()) values.insert(values.end(), {z.real(), z.imag()});
  return values;
}

/// The first difference in words; what cannot be told in float32 is none.
std::string difference(const V& got, const V& want) {
  if (got.size() != want.size()) return std::to_string(got.size()) + " elements";
  for (std::size_t k = 0; k < got.size(); ++k) {
    if (got[k] == want[k] || (std::isnan(got[k]) && std::isnan(want[k]))) continue;
    if (std::abs(got[k] - want[k]) <= 1e-6 * std::abs(want[k]) + 1e-7) continue;
    return "element " + std::to_string(k) + " is " + std::to_string(got[k]) + ", not " + std::to_string(want[k]);
  }
  return "";
}

const std::vector<Example>& examples() {
  static const std::vector<Example> list{
#define KN_GIVEN(name, value)
#define KN_EXAMPLE(code, kind, shape, values, text, ...)                           \
  {code,                                                                           \
   [](Given given) -> Result {                                                     \
     [[maybe_unused]] auto& [a, b, m, v, w, u, n, i, j, s, t, z, g, path] = given; \
     __VA_ARGS__                                                                   \
   },                                                                              \
   kind,                                                                           \
   shape,                                                                          \
   values,                                                                         \
   text},
#include "golden/numpy_names.inc"
#undef KN_GIVEN
#undef KN_EXAMPLE
  };
  return list;
}

}  // namespace

TEST_CASE("the examples of docs/numpy.md give what NumPy gives") {
  koine::test::on_each_device([] {
    const koine::test::TemporaryFolder folder;
    const Given given;
    std::vector<Result> results;
    for (const Example& example : examples()) {
      CAPTURE(example.code);
      Given fresh = given;
      fresh.path = (folder.path() / (std::to_string(results.size()) + ".npz")).string();
      results.push_back(example.run(std::move(fresh)));
    }
    // Together, so that many share a kernel: that takes fewer of them.
    std::vector<const Array*> pending;
    for (const Result& result : results) pending.push_back(&result.numbers);
    detail::eval_all(pending);
    for (std::size_t k = 0; k < results.size(); ++k) {
      const Example& example = examples()[k];
      CAPTURE(example.code);
      CHECK(results[k].text == example.text);
      if (example.kind == 's') continue;
      CHECK(kind_of(results[k].numbers.dtype()) == example.kind);
      CHECK(results[k].numbers.shape() == example.shape);
      CHECK(difference(values_of(results[k].numbers), example.values) == "");
    }
    CHECK(results.size() > 500);
  });
}
