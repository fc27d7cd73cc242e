// SPDX-License-Identifier: Apache-2.0
// Sums of products over named axes: what einsum, tensordot, vecdot, outer and kron are made of.
#pragma once

#include <koine/array.hpp>

#include <vector>

namespace koine::api {

/// Names of axes: equal numbers are one axis.
using Labels = std::vector<int>;

/// An array and a label for each of its axes.
struct Factor {
  Array array;
  Labels labels;
};

/// The product of the factors, which have one type, summed over the labels that `result` does not name; the axes of the
/// result are those of `result`. All axes of a label have the same size or size 1, those of one factor the same size. A
/// label that no factor has is an axis of size 1.
///
/// Two factors at a time, until one is left: of the pairs with an axis in common the one whose product takes the least
/// memory beside what it replaces, as opt_einsum's "greedy" does it (Smith and Gray, opt_einsum, Journal of Open Source
/// Software 3(26), 753, 2018), which keeps the pairs in a queue. Sums that only one factor depends on are made first
/// (of half types in float32, which their products stay in), then products of more than two factors with the same axes;
/// what has nothing in common comes last, smallest first.
Array contract(std::vector<Factor> factors, const Labels& result);

}  // namespace koine::api
