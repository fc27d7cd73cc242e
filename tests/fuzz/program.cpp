// SPDX-License-Identifier: Apache-2.0
// Bytes to steps; scalars, subscripts and the rows of the op table.
#include "program.hpp"

#include <algorithm>
#include <cmath>

#include "support/judge.hpp"

namespace koine::fuzz {

namespace {

const std::vector<Kind>& frequent() {
#define KN_KIND(name, share, family) {Kind::name, share},
  static constexpr std::pair<Kind, std::size_t> shares[] = {
#include "kinds.def"
  };
#undef KN_KIND
  static const std::vector<Kind> result = [] {
    std::vector<Kind> list;
    for (const auto& [kind, share] : shares) list.insert(list.end(), share, kind);
    return list;
  }();
  return result;
}

}  // namespace

std::uint8_t code(std::uint8_t byte) { return byte % codes(); }

std::uint8_t code_of(Kind kind) {
  return static_cast<std::uint8_t>(std::find(frequent().begin(), frequent().end(), kind) - frequent().begin());
}

std::uint8_t codes() { return static_cast<std::uint8_t>(frequent().size()); }

std::vector<Step> decode(const Bytes& bytes) {
  std::vector<Step> steps;
  for (std::size_t at = 0; at < bytes.size(); at += Step::bytes) {
    std::array<std::uint8_t, Step::bytes> b{};
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), std::min(Step::bytes, bytes.size() - at), b.begin());
    Step step{frequent()[code(b[0])], b[1], b[2], b[3], b[4], b[5], {}};
    std::copy(b.begin() + 6, b.end(), step.p.begin());
    steps.push_back(step);
  }
  return steps;
}

DType Weak::type() const {
  static constexpr DType types[] = {bool_, int64, float64, complex128};
  return types[kind];
}

Plain Weak::plain() const {
  Plain result(type(), {});
  switch (kind) {
    case boolean: result.put(0, whole != 0); break;
    case integer: result.put(0, whole); break;
    case real: result.put(0, value.real()); break;
    default: result.put(0, value);
  }
  return result;
}

Scalar Weak::scalar() const {
  switch (kind) {
    case boolean: return Scalar(whole != 0);
    case integer: return Scalar(whole);
    case real: return Scalar(value.real());
    default: return Scalar(value);
  }
}

namespace {

template <test::domain::Domain D>
std::optional<DType> compute_of(DType common) {
  return with_type(common, []<class T>(Tag<T>) {
    const auto found = []<class C>(test::Tag<C>) -> std::optional<DType> {
      if constexpr (std::is_void_v<C>) {
        return std::nullopt;
      } else {
        return dtype_of<C>;
      }
    };
    return found(test::compute_type<D, T>());
  });
}

}  // namespace

const std::vector<Row>& rows() {
#define KN_FUNCTION_1(name) static_cast<Array (*)(Operand)>(koine::name), nullptr
#define KN_FUNCTION_2(name) nullptr, static_cast<Array (*)(Operand, Operand)>(koine::name)
#define KN_OP(name, arity, takes, ...)                                          \
  Row{#name, arity, KN_FUNCTION_##arity(name), compute_of<test::domain::takes>, \
      static_cast<int>(test::domain::takes) == static_cast<int>(test::domain::logical)},
  static const std::vector<Row> table = {
#include "graph/ops.def"
  };
  return table;
}

std::size_t row_of(std::string_view name) {
  const auto found = std::find_if(rows().begin(), rows().end(), [&](const Row& row) { return row.name == name; });
  return static_cast<std::size_t>(found - rows().begin());
}

namespace {

/// 0 bool, 1 integer, 2 real floating, 3 complex.
int class_of(DType type) {
  if (is_bool(type)) return 0;
  if (is_integer(type)) return 1;
  return is_complex(type) ? 3 : 2;
}

}  // namespace

std::optional<DType> promoted(DType a, DType b) {
  if (a == b) return a;
  const int x = class_of(a), y = class_of(b);
  if (x < 2 && y < 2) {
    if (x != y) return x > y ? a : b;
    const std::size_t wider = std::max(size_of(a), size_of(b));
    if (is_signed_integer(a) == is_signed_integer(b)) return size_of(a) == wider ? a : b;
    const DType s = is_signed_integer(a) ? a : b, u = is_signed_integer(a) ? b : a;
    if (size_of(s) > size_of(u)) return s;
    if (u == uint64) return std::nullopt;
    return u == uint8 ? int16 : u == uint16 ? int32 : int64;
  }
  if (x < 2 || y < 2) return x > y ? a : b;
  const bool twice = a == float64 || a == complex128 || b == float64 || b == complex128;
  if (x == 3 || y == 3) return twice ? complex128 : complex64;
  return twice ? float64 : float32;
}

std::optional<DType> promoted(DType array, const Weak& scalar) {
  const int own = scalar.kind, its = class_of(array);
  if (own > its) {
    if (own == 1) return int64;
    if (own == 2) return float32;
    return array == float64 ? complex128 : complex64;
  }
  if (own == 1 && its == 1) {
    Plain narrowed = converted(scalar.plain(), array), wide = converted(narrowed, int64);
    const bool fits = wide.at<std::int64_t>(0) == scalar.whole && (scalar.whole >= 0 || is_signed_integer(array));
    if (!fits) return std::nullopt;
  }
  return array;
}

std::optional<DType> common_type(const std::vector<Call::Source>& sources, const Faces& faces) {
  std::optional<DType> type;
  for (const Call::Source& source : sources) {
    if (const auto* x = std::get_if<std::size_t>(&source)) {
      type = type ? promoted(*type, faces[*x].type) : faces[*x].type;
      if (!type) return type;
    }
  }
  for (const Call::Source& source : sources) {
    if (const auto* weak = std::get_if<Weak>(&source); weak && type) type = promoted(*type, *weak);
  }
  return type;
}

Faces faces(const Values& values) {
  Faces result;
  for (std::size_t i = 0; i < variables; ++i)
    result[i] = {values[i].plain.type, values[i].plain.shape, values[i].device};
  return result;
}

std::size_t home(const Call& call, const Faces& faces) {
  if (call.kind == Kind::move) return call.which;
  if (call.changes()) return faces[call.target].device;
  for (const Call::Source& source : call.sources) {
    if (const auto* x = std::get_if<std::size_t>(&source)) return faces[*x].device;
  }
  return 0;
}

Plain first_value() {
  Plain result(int64, {2, 3});
  for (std::size_t i = 0; i < 6; ++i) result.put(i, static_cast<std::int64_t>(i) + 1);
  return result;
}

}  // namespace koine::fuzz
