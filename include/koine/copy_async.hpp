// SPDX-License-Identifier: Apache-2.0
// Host to device without waiting: the next block on its way while this one is computed. (examples/overlap)
#pragma once

#include <koine/array.hpp>
#include <koine/creation.hpp>
#include <koine/export.hpp>
#include <koine/options.hpp>
#include <koine/queue.hpp>

#include <cstddef>
#include <iterator>
#include <optional>
#include <span>

namespace koine {

struct CopyOptions {
  detail::Named names_only = detail::named;
  std::optional<Queue> queue = std::nullopt;  ///< by default the one that this thread computes on (QueueScope)
};

namespace detail {
KOINE_API Event copy_async(const void* values, DType type, std::size_t count, Array& to, const CopyOptions& options);
}

/// Starts to copy `values`, a range of size() elements of the array's own type that lie side by side, into `to`, and
/// does not wait: they must stay as they are until the event that it gives is done. Whatever reads the array comes
/// after the copy, on every queue. What shared the array's memory keeps its values. Memory of the host that the driver
/// has not pinned may be copied before the call returns all the same. DTypeError for elements of another type,
/// ShapeError for another number of them.
template <class Range>
  requires detail::BorrowedRange<Range> Event copy_async(Range&& values, Array& to, const CopyOptions& options = {}) {
    return detail::copy_async(std::data(values), dtype_of<detail::ValueOf<Range>>, std::size(values), to, options);
  }

/// The same of elements of a type that only the running program knows, as bytes. ValueError for a part of an element.
inline Event copy_async(std::span<const std::byte> bytes, DType type, Array& to, const CopyOptions& options = {}) {
  return detail::copy_async(bytes.data(), type, detail::elements_in(bytes.size(), type, "copy_async"), to, options);
}

}  // namespace koine
