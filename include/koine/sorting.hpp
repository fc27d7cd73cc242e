// SPDX-License-Identifier: Apache-2.0
// Elements in order, and the largest or smallest of them.
#pragma once

#include <koine/array.hpp>
#include <koine/options.hpp>
#include <koine/shape.hpp>

#include <cstdint>

namespace koine {

// Sorts are radix sorts: equally fast whatever the values, stable in both directions, and with the same result on every
// device. NaN comes last in both directions, and they are lazy like any other
// operation. DTypeError for complex types, whose order the standard leaves undefined; IndexError for an axis out of
// range, as every axis is for an array without any.

struct SortOptions {
  detail::Named names_only = detail::named;
  std::int64_t axis = -1;
  bool descending = false;
  bool stable = true;  ///< accepted for the standard's sake: every sort is stable
};
/// The elements in rising order along one axis (falling with .descending). -0.0 comes before 0.0, after it with
/// .descending. NaN keep their bits, but their order among themselves is not defined. Takes real types
/// and bool_; gives the same type.
KOINE_API Array sort(const Array& x, const SortOptions& options = {});
inline Array sort(const Array& x, std::int64_t axis) { return sort(x, {.axis = axis}); }
/// The positions of the elements in that order along one axis; those of equal elements rise, with .descending too. Both
/// zeros are equal, and so are all NaN. Takes real types and bool_; gives int64.
KOINE_API Array argsort(const Array& x, const SortOptions& options = {});
inline Array argsort(const Array& x, std::int64_t axis) { return argsort(x, {.axis = axis}); }

struct PartitionOptions {
  detail::Named names_only = detail::named;
  std::int64_t axis = -1;
};
/// The elements along one axis so rearranged that element `kth` (below zero: from the end) is the one that sort would
/// put there, with none larger before it and none smaller behind it. It is sort, which gives the rest in order too.
/// Takes real types and bool_; gives the same type. IndexError for `kth` out of range.
KOINE_API Array partition(const Array& x, std::int64_t kth, const PartitionOptions& options = {});
inline Array partition(const Array& x, std::int64_t kth, std::int64_t axis) {
  return partition(x, kth, {.axis = axis});
}

struct TopkOptions {
  detail::Named names_only = detail::named;
  std::int64_t axis = -1;
  bool largest = true;  ///< false: the smallest
};
struct TopkResult {
  Array values, indices;
};
/// The k largest elements along one axis, the largest first, and their positions; of equal elements the one with the
/// lower position comes first. Takes real types and bool_; gives the same type and int64 positions. NaN come last: they
/// are among the k only if there are not k numbers. ValueError for k below zero or above the size of the axis.
KOINE_API TopkResult topk(const Array& x, std::int64_t k, const TopkOptions& options = {});
inline TopkResult topk(const Array& x, std::int64_t k, std::int64_t axis) { return topk(x, k, {.axis = axis}); }

}  // namespace koine
