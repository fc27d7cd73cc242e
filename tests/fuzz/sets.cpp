// SPDX-License-Identifier: Apache-2.0
// Unique values, positions of what is not zero, and where elements of one array lie in another.
//
// A call's `which` is the function's row, `low` the axis that nonzero tells of, or 1 for searchsorted's right side or
// isin's .invert. searchsorted's third source, if there is one, is its sorter.
#include <algorithm>
#include <numeric>
#include <set>

#include "families.hpp"
#include "print.hpp"
#include "resolution.hpp"

namespace koine::fuzz {
namespace {

/// What functions of unique values give.
enum class Gives { values, indices, inverse, counts };

struct Unique {
  std::string_view text, member;
  Gives gives;
  Array (*call)(const Array&);
};
constexpr Unique uniques[] = {
    {"unique_values", "", Gives::values, [](const Array& x) { return unique_values(x); }},
    {"unique_counts", ".values", Gives::values, [](const Array& x) { return unique_counts(x).values; }},
    {"unique_counts", ".counts", Gives::counts, [](const Array& x) { return unique_counts(x).counts; }},
    {"unique_inverse", ".values", Gives::values, [](const Array& x) { return unique_inverse(x).values; }},
    {"unique_inverse", ".inverse_indices", Gives::inverse,
     [](const Array& x) { return unique_inverse(x).inverse_indices; }},
    {"unique_all", ".values", Gives::values, [](const Array& x) { return unique_all(x).values; }},
    {"unique_all", ".indices", Gives::indices, [](const Array& x) { return unique_all(x).indices; }},
    {"unique_all", ".inverse_indices", Gives::inverse, [](const Array& x) { return unique_all(x).inverse_indices; }},
    {"unique_all", ".counts", Gives::counts, [](const Array& x) { return unique_all(x).counts; }},
};
constexpr std::size_t count_of_uniques = std::size(uniques), nonzeros = count_of_uniques, memberships = nonzeros + 1,
                      searches = memberships + 1, functions = searches + 1;

class Sets : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    // Half of them are not about unique values.
    call_.which = step_.p[0] % 2 ? step_.p[1] % count_of_uniques : nonzeros + step_.p[1] % (functions - nonzeros);
    const std::size_t first = x(step_.a);
    if (call_.which < nonzeros) {
      put({ordered(0, lengthened(0, first, step_.p[5]))});
    } else if (call_.which == nonzeros) {
      const Shape shape = face(first).shape;
      if (shape.empty()) return {};
      call_.low = step_.p[2] % static_cast<std::int64_t>(shape.size());
      put({first});
    } else {
      call_.low = step_.p[2] % 2;
      std::vector<Call::Source> sources = matched({first, x(step_.b)}, [](DType type) { return !is_complex(type); });
      if (call_.which == searches) place(sources);
      put(std::move(sources));
    }
    return std::move(calls_);
  }

 private:
  /// Puts the first source in order, or its sorter behind both.
  void place(std::vector<Call::Source>& sources) {
    sources[0] = flat(0, sources[0]);
    const Face list = face(sources[0]);
    const bool sorter = step_.p[3] % 2;
    Call order;
    order.kind = Kind::sort;
    order.every_axis = false;
    order.axes = {0};
    order.which = sorter;  // sort, argsort
    order.sources = {sources[0]};
    const Call::Source ordered = spare(sorter ? 2 : 0, std::move(order), {sorter ? int64 : list.type, list.shape});
    sorter ? sources.push_back(ordered) : void(sources[0] = ordered);
  }
};

Array result(const Call& call, const std::vector<Operand>& sources) {
  const Array& x = sources[0].array();
  switch (call.which) {
    case nonzeros: return nonzero(x)[static_cast<std::size_t>(call.low)];
    case memberships: return isin(sources[0], sources[1], {.invert = call.low == 1});
    case searches: {
      SearchSortedOptions options{.side = call.low == 1 ? "right" : "left"};
      if (sources.size() == 3) options.sorter = sources[2].array();
      return searchsorted(x, sources[1], options);
    }
    default: return uniques[call.which].call(x);
  }
}

/// Numbers in the order of sorts: NaN behind all.
struct Less {
  bool operator()(long double x, long double y) const { return y != y ? x == x : x < y; }
};

Plain integers(const std::vector<std::size_t>& values, const Shape& shape) {
  Plain result(int64, shape);
  for (std::size_t i = 0; i < values.size(); ++i) result.put(i, static_cast<std::int64_t>(values[i]));
  return result;
}

Verdict check_unique(Gives gives, const Plain& x, const Plain& got) {
  const std::vector<long double> values = numbers(x);
  std::vector<std::size_t> order(values.size()), firsts, counts, inverse(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return Less()(values[i], values[j]); });
  for (const std::size_t i : order) {
    if (firsts.empty() || values[i] != values[firsts.back()]) firsts.push_back(i), counts.push_back(0);
    ++counts.back();
    inverse[i] = firsts.size() - 1;
  }
  const Shape shape = {std::ssize(firsts)};
  switch (gives) {
    case Gives::indices: return exactly(got, integers(firsts, shape));
    case Gives::counts: return exactly(got, integers(counts, shape));
    case Gives::inverse: return exactly(got, integers(inverse, x.shape));
    default: break;
  }
  // Of zeros that differ in their signs any may stand for all.
  return exactly(got, gathered(x, shape, [&](const Shape& at) { return firsts[static_cast<std::size_t>(at[0])]; }),
                 true);
}

Plain positions_of_nonzero(const Plain& x, std::size_t axis) {
  const Plain mask = converted(x, bool_);
  std::size_t stride = 1;
  for (std::size_t i = axis + 1; i < x.shape.size(); ++i) stride *= static_cast<std::size_t>(x.shape[i]);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < x.count(); ++i) {
    if (mask.at<bool>(i)) found.push_back(i / stride % static_cast<std::size_t>(x.shape[axis]));
  }
  return integers(found, {std::ssize(found)});
}

Plain members(const std::vector<long double>& elements, const std::vector<long double>& list, bool invert,
              const Shape& shape) {
  std::set<long double, Less> known(list.begin(), list.end());
  Plain result(bool_, shape);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    result.put(i, (elements[i] == elements[i] && known.contains(elements[i])) != invert);
  }
  return result;
}

Plain places(std::vector<long double> list, const std::vector<long double>& elements, bool after, const Shape& shape) {
  std::sort(list.begin(), list.end(), Less());
  std::vector<std::size_t> found;
  for (const long double each : elements) {
    const auto place = after ? std::upper_bound(list.begin(), list.end(), each, Less())
                             : std::lower_bound(list.begin(), list.end(), each, Less());
    found.push_back(static_cast<std::size_t>(place - list.begin()));
  }
  return integers(found, shape);
}

Verdict check(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  const Plain& x = sources[0];
  if (call.which < nonzeros) return check_unique(uniques[call.which].gives, x, got);
  if (call.which == nonzeros) return exactly(got, positions_of_nonzero(x, static_cast<std::size_t>(call.low)));
  const DType type = *promoted(x.type, sources[1].type);
  const std::vector<long double> first = numbers(converted(x, type)), second = numbers(converted(sources[1], type));
  const bool option = call.low == 1;
  if (call.which == memberships) return exactly(got, members(first, second, option, x.shape));
  return exactly(got, places(first, second, option, sources[1].shape));
}

std::string text(const Call& call, const std::vector<std::string>& sources) {
  const std::string &x = sources[0], option = call.low == 1 ? "true" : "false";
  switch (call.which) {
    case nonzeros: return "kn::nonzero(" + x + ")[" + std::to_string(call.low) + "]";
    case memberships: return "kn::isin(" + x + ", " + sources[1] + ", {.invert = " + option + "})";
    case searches:
      return "kn::searchsorted(" + x + ", " + sources[1] + ", {.side = \"" + (call.low == 1 ? "right" : "left") + "\"" +
             (sources.size() == 3 ? ", .sorter = " + sources[2] : "") + "})";
    default:
      return "kn::" + std::string(uniques[call.which].text) + "(" + x + ")" + std::string(uniques[call.which].member);
  }
}

}  // namespace

const Family sets = {resolved<Sets>, result, check, text};

}  // namespace koine::fuzz
