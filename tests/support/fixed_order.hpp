// SPDX-License-Identifier: Apache-2.0
// What koine::reproducible promises, as plain host code: the tree of reductions, and the chains of matrix products that
// it adds up. (Not to be compiled with contraction: -ffp-contract=off.)
#pragma once

#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "support/numbers.hpp"

namespace koine::test {

/// What sums of T are kept in.
template <class T>
using Summed = std::conditional_t<std::is_same_v<T, float16_t> || std::is_same_v<T, bfloat16_t>, float, T>;

/// Blocks of 4096; in each, 32 running values take every 32nd element and are combined by halves; blocks likewise.
template <class S, class Combine>
S fixed_tree(std::vector<S> values, S identity, Combine combine) {
  if (values.empty()) return identity;
  do {
    std::vector<S> blocks;
    for (std::size_t first = 0; first < values.size(); first += 4096) {
      S running[32];
      for (S& value : running) value = identity;
      for (std::size_t i = first; i < values.size() && i < first + 4096; ++i)
        running[(i - first) % 32] = combine(running[(i - first) % 32], values[i]);
      for (std::size_t half = 16; half > 0; half /= 2)
        for (std::size_t p = 0; p < half; ++p) running[p] = combine(running[p], running[p + half]);
      blocks.push_back(running[0]);
    }
    values = std::move(blocks);
  } while (values.size() > 1);
  return values[0];
}

/// The plain formula; std::complex may take another way round infinities.
template <class S>
S plain_product(S a, S b) {
  if constexpr (is_complex_float<S>) {
    return S(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  } else {
    return a * b;
  }
}

template <class S>
S fixed_sum(const std::vector<S>& values) {
  return fixed_tree<S>(values, S(0), [](S a, S b) { return a + b; });
}

template <class S>
S fixed_prod(const std::vector<S>& values) {
  return fixed_tree<S>(values, S(1), [](S a, S b) { return plain_product(a, b); });
}

/// The scan of a row as koine::cumulative_sum and the like promise it: blocks that halve for each doubling of the type
/// past four bytes, groups of 16 chunks, chunks of 16 elements.
template <class S, class Combine>
std::vector<S> fixed_scan(const std::vector<S>& values, S identity, Combine combine) {
  const std::size_t block = 16384 / std::max<std::size_t>(sizeof(S), 4);
  std::vector<S> prefixes;  // of each block
  if (values.size() > block) {
    std::vector<S> totals;
    for (std::size_t first = 0; first + block < values.size(); first += block) {
      S groups = identity;
      for (std::size_t group = first; group < first + block; group += 256) {
        S chunks = identity;
        for (std::size_t chunk = group; chunk < group + 256; chunk += 16) {
          S sum = values[chunk];
          for (std::size_t i = chunk + 1; i < chunk + 16; ++i) sum = combine(sum, values[i]);
          chunks = combine(chunks, sum);
        }
        groups = combine(groups, chunks);
      }
      totals.push_back(groups);
    }
    prefixes = fixed_scan(totals, identity, combine);
  }
  std::vector<S> results;
  for (std::size_t first = 0; first < values.size(); first += block) {
    const S before = first == 0 ? identity : prefixes[first / block - 1];
    S groups = identity;
    for (std::size_t group = first; group < std::min(first + block, values.size()); group += 256) {
      S chunks = identity;
      for (std::size_t chunk = group; chunk < std::min(group + 256, values.size()); chunk += 16) {
        const S base = combine(combine(before, groups), chunks);
        S sum = values[chunk];
        results.push_back(combine(base, sum));
        for (std::size_t i = chunk + 1; i < std::min(chunk + 16, values.size()); ++i) {
          sum = combine(sum, values[i]);
          results.push_back(combine(base, sum));
        }
        chunks = combine(chunks, sum);
      }
      groups = combine(groups, chunks);
    }
  }
  return results;
}

/// sum + a * b as each step of a matrix product takes it.
template <class S>
S chained(S a, S b, S sum) {
  if constexpr (is_complex_float<S>) {
    auto real = std::fma(a.real(), b.real(), sum.real()), imag = std::fma(a.real(), b.imag(), sum.imag());
    real = std::fma(-a.imag(), b.imag(), real);
    return S(real, std::fma(a.imag(), b.real(), imag));
  } else {
    return std::fma(a, b, sum);
  }
}

/// A zero without its sign.
template <class S>
S settled(S sum) {
  if constexpr (is_complex_float<S>) {
    return S(settled(sum.real()), settled(sum.imag()));
  } else {
    return sum == 0 ? S(0) : sum;
  }
}

/// An element of a matrix product: a chain over each block of 4096 of the depth, and the tree over the blocks.
template <class S>
S fixed_product(const std::vector<S>& row, const std::vector<S>& column) {
  std::vector<S> blocks;
  for (std::size_t first = 0; first < row.size(); first += 4096) {
    S sum(0);
    for (std::size_t d = first; d < std::min(row.size(), first + 4096); ++d) sum = chained(row[d], column[d], sum);
    blocks.push_back(sum);
  }
  return settled(fixed_sum(blocks));
}

}  // namespace koine::test
