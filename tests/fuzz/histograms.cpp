// SPDX-License-Identifier: Apache-2.0
// histogram: its edges are those of linspace, and its counts those that the edges say.
//
// A call's `which` is the function; `low` and `high` are the range's ends in quarters, `shape` holds the number of
// bins. The second source of counts is their edges, which the library is given by `counts_by_edges` alone; the others
// are only checked with them.
#include <algorithm>
#include <cmath>

#include "dot.hpp"
#include "families.hpp"
#include "resolution.hpp"

namespace koine::fuzz {
namespace {

enum Function : std::size_t { edges_within, counts_within, edges_between, counts_between, counts_by_edges };

class Histogram : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    const Call::Source source = ordered(0, lengthened(0, x(step_.a), step_.p[5]));
    const Face its = face(source);
    call_.shape = {1 + step_.p[1] % 40};
    call_.low = step_.p[2] - 128;
    call_.high = call_.low + 1 + step_.p[3];
    // Of other types the ends may be no numbers, which is refused.
    const bool has_ends = (is_integer(its.type) || is_bool(its.type)) && its.shape.elements() > 0;
    const std::size_t way = step_.p[0] % 3;
    if (way == 2) {
      call_.which = counts_by_edges;
      put({source, given_edges()});
      return std::move(calls_);
    }
    const bool within = way == 0 || !has_ends;
    Call edges = call_;
    edges.which = within ? edges_within : edges_between;
    edges.sources = {source};
    const DType type = is_real_floating(its.type) ? its.type : float32;
    const Call::Source its_edges = spare(2, std::move(edges), {type, {call_.shape[0] + 1}});
    call_.which = within ? counts_within : counts_between;
    put({source, its_edges});
    return std::move(calls_);
  }

 private:
  /// Any numbers in order.
  Call::Source given_edges() {
    constexpr DType types[] = {int32, float32, int64, uint8};
    const Face gives{types[step_.p[4] % 4], {2 + step_.p[1] % 20}};
    const std::int64_t low = is_signed_integer(gives.type) ? -20 : 0;
    const Call::Source values =
        is_integer(gives.type)
            ? drawn(2, step_.p[2], low, 1 + step_.p[3] % 100, gives)
            : as(2, drawn(2, step_.p[2], -20, 1 + step_.p[3] % 100, {int32, gives.shape}), gives.type);
    Call order;
    order.kind = Kind::sort;
    order.every_axis = false;
    order.axes = {0};
    order.sources = {values};
    return spare(2, std::move(order), gives);
  }
};

HistogramOptions options(const Call& call) {
  HistogramOptions options{.bins = call.shape[0]};
  if (call.which == edges_within || call.which == counts_within)
    options.range = {static_cast<double>(call.low) / 4, static_cast<double>(call.high) / 4};
  return options;
}

Array result(const Call& call, const std::vector<Operand>& sources) {
  const Array& x = sources[0].array();
  switch (call.which) {
    case edges_within:
    case edges_between: return histogram(x, options(call)).edges;
    case counts_by_edges: return histogram(x, sources[1].array()).counts;
    default: return histogram(x, options(call)).counts;
  }
}

Verdict check_edges(const Call& call, const Plain& x, const Plain& got) {
  const DType type = is_real_floating(x.type) ? x.type : float32;
  if (const std::string wrong = unlike(got, type, {call.shape[0] + 1}); !wrong.empty()) return {wrong};
  long double first = static_cast<long double>(call.low) / 4, last = static_cast<long double>(call.high) / 4;
  const std::vector<long double> edges = numbers(got);
  if (call.which == edges_between) {
    const std::vector<long double> values = numbers(x);
    first = *std::min_element(values.begin(), values.end());
    last = *std::max_element(values.begin(), values.end());
    if (edges.front() > first || edges.back() < last) return {"the edges leave elements out"};
    if (first == last) first -= 0.5L, last += 0.5L;
  }
  Verdict verdict;
  with_type(type, [&]<class T>(Tag<T>) {
    if constexpr (test::is_real_float<T>) {
      for (std::size_t i = 0; i < edges.size() && verdict.wrong.empty(); ++i) {
        const long double want =
            first + (last - first) * static_cast<long double>(i) / static_cast<long double>(call.shape[0]);
        const long double error = 4 * test::epsilon<Kept<T>>() * (std::abs(first) + std::abs(last));
        if (within<T>(edges[i], want, error)) continue;
        verdict.wrong = "edge " + std::to_string(i) + " is " + element_text(got, i) + ", expected " +
                        test::shown(std::complex<long double>(want));
      }
    }
  });
  return verdict;
}

Verdict check(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  if (call.which == edges_within || call.which == edges_between) return check_edges(call, sources[0], got);
  const std::vector<long double> values = numbers(sources[0]), edges = numbers(sources[1]);
  Plain want(int64, {std::ssize(edges) - 1});
  const auto below = [&](long double edge) {
    return std::count_if(values.begin(), values.end(), [&](long double value) { return value < edge; });
  };
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    const bool last = i + 2 == edges.size();
    const auto at_the_end = last ? std::count(values.begin(), values.end(), edges.back()) : 0;
    want.put(i, static_cast<std::int64_t>(below(edges[i + 1]) + at_the_end - below(edges[i])));
  }
  return exactly(got, want);
}

std::string text(const Call& call, const std::vector<std::string>& sources) {
  const bool edges = call.which == edges_within || call.which == edges_between;
  const std::string end = edges ? ").edges" : ").counts";
  if (call.which == counts_by_edges) return "kn::histogram(" + sources[0] + ", " + sources[1] + end;
  std::string options = "{.bins = " + std::to_string(call.shape[0]);
  if (call.which == edges_within || call.which == counts_within)
    options += ", .range = {{" + std::to_string(call.low) + " / 4.0, " + std::to_string(call.high) + " / 4.0}}";
  return "kn::histogram(" + sources[0] + ", " + options + "}" + end;
}

}  // namespace

const Family histograms = {resolved<Histogram>, result, check, text};

}  // namespace koine::fuzz
