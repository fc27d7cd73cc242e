// SPDX-License-Identifier: Apache-2.0
// Arrays whose elements the host reads where they lie, those that lie in memory of somebody else, and points that the
// host waits for.
#pragma once

#include <koine/array.hpp>
#include <koine/export.hpp>
#include <koine/options.hpp>
#include <koine/queue.hpp>
#include <koine/shape.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace koine {

struct HostViewOptions {
  detail::Named names_only = detail::named;
  std::optional<bool> copy = std::nullopt;  ///< true: always copy; false: ValueError where a copy is needed
};

/// The elements of an array for the host to read, never to write. While it lives, they stay where they are and what
/// they are: an assignment to the array goes to a copy. A value as cheap as a pointer.
class KOINE_API HostView {
 public:
  /// The first element; null of an array without elements.
  const void* data() const noexcept { return data_; }
  DType dtype() const { return array_.dtype(); }
  const Shape& shape() const { return array_.shape(); }
  /// From one element to the next along each axis, in elements, of either sign.
  const Shape& strides() const noexcept { return strides_; }
  /// Whether the elements are a copy of the device's, in row-major order, that this view alone holds.
  bool copied() const noexcept { return copy_ != nullptr; }

  /// For the library's own use.
  HostView(Array array, const void* data, Shape strides, std::shared_ptr<void> copy)
      : array_(std::move(array)), data_(data), strides_(std::move(strides)), copy_(std::move(copy)) {}

 private:
  Array array_;
  const void* data_;
  Shape strides_;
  std::shared_ptr<void> copy_;
};

/// The elements of x on the host: without a copy where the device works in the host's memory, as CPUs' drivers do; else
/// a copy, aligned to 256 bytes. Waits for x. Takes every type; gives a view of the same type. ValueError where `.copy`
/// is false and the device's memory is its own.
KOINE_API HostView host_view(const Array& x, const HostViewOptions& options = {});

/// A point from which on the host need not wait for the values of x; in the past where they are there already. Computes
/// x, without waiting for the device. Takes every type; gives an event.
KOINE_API Event ready(const Array& x);

/// Whether the host can read the values of x at once: they are computed, and lie in memory that the host has too, where
/// nothing is known to be under way. Takes every type. Computes nothing and asks no driver.
KOINE_API bool at_hand(const Array& x);

/// Computes x if the calling thread can do that at once, as a small operation on values that are at hand; waits for
/// nobody, and asks a driver for memory at the most. Takes every type; gives whether x is at hand now.
KOINE_API bool eval_at_once(const Array& x);

/// The element of an array of one element on its way to the host: for who waits in a way of their own, where
/// Array::item() would block.
class KOINE_API ItemReader {
 public:
  /// Computes x, and starts to read its element where the device's memory is its own; does not wait for the device.
  explicit ItemReader(const Array& x);
  /// Nobody needs to wait for the element any more.
  ~ItemReader();
  ItemReader(const ItemReader&) = delete;
  ItemReader& operator=(const ItemReader&) = delete;

  /// A point from which on the host need not wait for the element; in the past where it is there already.
  const Event& event() const noexcept { return event_; }
  /// The element, converted to T as Array::item() converts it; throws what that throws. Waits for it.
  template <Element T>
  T item() {
    if (word_ == nullptr) return array_.item<T>();
    T value;
    read(dtype_of<T>, &value);
    return value;
  }

 private:
  void read(DType type, void* target);

  Array array_;  // as it is: an assignment to x goes to a copy meanwhile
  Event event_;
  runtime::Queue* queue_ = nullptr;
  void* word_ = nullptr;  // where the element arrives
  std::uint64_t number_ = 0;
};

/// Points after the work that was submitted to a device so far, one for each queue with work that is not known to be
/// over: for who waits in a way of their own, where synchronize() would block. Takes a device; gives a list of events.
KOINE_API std::vector<Event> under_way(const Device& device);

/// Whether the elements of x lie in memory that others own and may write, such as a tensor's that from_dlpack took
/// without a copy. Computes nothing: what is still pending lies nowhere. Takes every type; gives a bool.
KOINE_API bool is_borrowed(const Array& x);

}  // namespace koine
