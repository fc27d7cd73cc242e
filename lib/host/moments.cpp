// SPDX-License-Identifier: Apache-2.0
// Combining moments by the text that kernels are made of.
#include "host/moments.hpp"

#include <algorithm>
#include <cmath>

#include <common/moments.clh>

namespace koine::host {
namespace {

#define KN_OF_HOST(NAME, V)                                                                                         \
  struct NAME {                                                                                                     \
    using Value = V;                                                                                                \
    V count, mean, rest, squares;                                                                                   \
    static NAME around_mean(V mean, V count, V sum, V squares) { return NAME##_around(mean, count, sum, squares); } \
    static NAME combined(NAME a, NAME b) { return NAME##_combined(a, b); }                                          \
    static NAME NAME##_of(V count, V mean, V rest, V squares) { return {count, mean, rest, squares}; }              \
    KN_MOMENTS(NAME, V)                                                                                             \
  };
using std::fmax, std::fmin;
KN_OF_HOST(Narrow, float)
KN_OF_HOST(Wide, double)
#undef KN_OF_HOST

/// Where elements lie, or moments of a pass before.
template <class M>
class Source {
 public:
  using Value = typename M::Value;
  explicit Source(std::span<const std::byte* const> parts) {
    for (std::size_t k = 0; k < parts.size(); ++k) parts_[k] = reinterpret_cast<const Value*>(parts[k]);
  }
  bool moments() const { return parts_[1] != nullptr; }
  Value element(std::size_t at) const { return parts_[0][at]; }
  M moment(std::size_t at) const { return {parts_[0][at], parts_[1][at], parts_[2][at], parts_[3][at]}; }

 private:
  const Value* parts_[moment_parts] = {};
};

/// Those of up to `chunk` elements from number `first` on, `stride` apart, of which `count` exist.
template <class M>
M of_chunk(const Source<M>& source, std::size_t first, std::size_t stride, std::size_t count) {
  using V = typename M::Value;
  V sum = 0, rest = 0, squares = 0;
  for (std::size_t t = 0; t < count; ++t) sum += source.element(first + t * stride);
  const auto number = static_cast<V>(count);
  const V mean = sum / fmax(number, V(1));
  for (std::size_t t = 0; t < count; ++t) {
    const V apart = source.element(first + t * stride) - mean;
    rest += apart;
    squares += apart * apart;
  }
  return M::around_mean(mean, number, rest, squares);
}

template <class M>
M joined(FoldOrder::Join how, std::vector<M>& values) {
  for (std::size_t half = values.size() / 2; half > 0; half /= 2) {
    for (std::size_t v = 0; v < half; ++v) {
      const bool neighbours = how == FoldOrder::Join::neighbours;
      values[v] = M::combined(values[neighbours ? 2 * v : v], values[neighbours ? 2 * v + 1 : v + half]);
    }
  }
  return values[0];
}

template <class M>
M of_row(const Source<M>& source, const FoldOrder& order, std::size_t chunk, std::size_t row, std::size_t first,
         std::size_t last) {
  std::vector<M> lanes(order.values, M{});
  const std::size_t width = order.values;
  for (std::size_t end = 0, i = first; i < last; i = end) {
    const std::size_t in_run = i % order.run;
    end = std::min({i - in_run + (in_run / order.segment + 1) * order.segment, i - in_run + order.run, last});
    for (const std::size_t step = source.moments() ? width : chunk * width; i < end; i += step) {
      for (std::size_t lane = 0; lane < width; ++lane) {
        M next{};
        if (source.moments()) {
          if (i + lane < end) next = source.moment(row + i + lane);
        } else {
          const std::size_t there = std::min(end - i, step);
          next = of_chunk(source, row + i + lane, width, there > lane ? (there - lane + width - 1) / width : 0);
        }
        lanes[lane] = M::combined(lanes[lane], next);
      }
    }
  }
  return joined(order.join, lanes);
}

template <class M>
std::vector<std::vector<std::byte>> fold(const FoldOrder& order, bool columns, std::size_t chunk, std::size_t kept,
                                         std::size_t reduced, const Source<M>& source) {
  using V = typename M::Value;
  const std::size_t count = kept * order.blocks;
  std::vector<std::vector<std::byte>> results(moment_parts, std::vector<std::byte>(count * sizeof(V)));
  const auto put = [&](std::size_t at, const M& m) {
    const V parts[] = {m.count, m.mean, m.rest, m.squares};
    for (std::size_t k = 0; k < moment_parts; ++k) reinterpret_cast<V*>(results[k].data())[at] = parts[k];
  };
  for (std::size_t block = 0; block < order.blocks; ++block) {
    const std::size_t first = order.begin_of(block, reduced), last = order.begin_of(block + 1, reduced);
    for (std::size_t k = 0; k < kept; ++k) {
      if (!columns) {
        put(k * order.blocks + block, of_row(source, order, chunk, k * reduced, first, last));
        continue;
      }
      M column{};
      for (std::size_t row = first; row < last; row += source.moments() ? 1 : chunk) {
        const std::size_t at = row * kept + k;
        column = M::combined(
            column, source.moments() ? source.moment(at) : of_chunk(source, at, kept, std::min(chunk, last - row)));
      }
      put(block * kept + k, column);
    }
  }
  return results;
}

}  // namespace

std::vector<std::vector<std::byte>> fold_moments(DType type, const FoldOrder& order, bool columns, std::size_t chunk,
                                                 std::size_t kept, std::size_t reduced,
                                                 std::span<const std::byte* const> parts) {
  if (type == DType::float64) return fold(order, columns, chunk, kept, reduced, Source<Wide>(parts));
  return fold(order, columns, chunk, kept, reduced, Source<Narrow>(parts));
}

}  // namespace koine::host
