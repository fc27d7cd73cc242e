// SPDX-License-Identifier: Apache-2.0
// What can be asked of an array and of a part of one: properties, reading back, the functions that are methods too.
#include "api/build.hpp"
#include "base/convert.hpp"
#include "base/named_call.hpp"
#include "exec/evaluate.hpp"
#include "runtime/context.hpp"

#include <koine/error.hpp>
#include <koine/manipulation.hpp>
#include <koine/searching.hpp>
#include <koine/sorting.hpp>
#include <koine/statistics.hpp>
#include <koine/types.hpp>

#include <exception>
#include <functional>
#include <vector>

namespace koine {

void api::check_conversion(DType from, DType to, const char* function) {
  if (is_complex(from) && !is_complex(to) && !is_bool(to)) {
    throw DTypeError(prefix(function) + std::string(name(from)) + " does not convert to " + std::string(name(to)) +
                     "; take real(x), imag(x) or abs(x)");
  }
}

namespace detail {

namespace {

/// All elements of a ready node in row-major order, converted to `type`; `read(offset, target, bytes)` reads.
template <class Read>
void read_values(const graph::Node& source, DType type, void* target, Read read) {
  const auto bytes = [&](std::int64_t n) { return static_cast<std::uint64_t>(n) * size_of(source.dtype); };
  const std::int64_t count = source.shape.elements();
  const std::uint64_t offset = bytes(source.layout.offset);
  if (type == source.dtype) return read(offset, target, bytes(count));
  std::vector<std::byte> values(static_cast<std::size_t>(bytes(count)));
  read(offset, values.data(), values.size());
  base::convert(values.data(), source.dtype, target, type, static_cast<std::size_t>(count));
}

/// Of an array itself, of a subscript what it reads.
const Array& value(const Array& x) { return x; }
Array value(const Subscript& x) { return x; }

Array transposed(const Array& x) {
  if (x.ndim() != 2) {
    throw ShapeError("[T] shape " + to_string(x.shape()) + " is not a matrix; for other numbers of axes use mT or " +
                     "permute_dims");
  }
  return matrix_transpose(x);
}

Array swapped(const Array& x) {
  const base::NamedCall call("mT");
  return matrix_transpose(x);
}

}  // namespace

#define KN_SELF value(static_cast<const Self&>(*this))

template <class Self>
std::conditional_t<std::same_as<Self, Array>, const Shape&, Shape> Methods<Self>::shape() const {
  return KN_SELF.node()->shape;
}

template <class Self>
std::int64_t Methods<Self>::shape(std::int64_t axis) const {
  const Shape& own = shape();
  return own[graph::normal_axis(axis, own, "shape")];
}

template <class Self>
DType Methods<Self>::dtype() const {
  return KN_SELF.node()->dtype;
}

template <class Self>
std::int64_t Methods<Self>::size() const {
  return shape().elements();
}

template <class Self>
std::int64_t Methods<Self>::nbytes() const {
  return size() * static_cast<std::int64_t>(size_of(dtype()));
}

template <class Self>
Device Methods<Self>::device() const {
  return api::device_of(KN_SELF.node()->place);
}

#define KN_METHOD(name, parameters, ...)                        \
  template <class Self>                                         \
  Array Methods<Self>::name parameters const& {                 \
    const Array& self = value(static_cast<const Self&>(*this)); \
    return __VA_ARGS__;                                         \
  }                                                             \
  template <class Self>                                         \
  Array Methods<Self>::name parameters&& {                      \
    const Array self = taken();                                 \
    return __VA_ARGS__;                                         \
  }
KN_METHOD(T, (), transposed(self))
KN_METHOD(mT, (), swapped(self))
KN_METHOD(astype, (DType type), koine::astype(self, type))
KN_METHOD(to_device, (Device device), koine::to_device(self, device))
KN_METHOD(copy, (), koine::reshape(self, self.shape(), {.copy = true}))
KN_METHOD(reshape, (const Shape& shape), koine::reshape(self, shape))
KN_METHOD(ravel, (), koine::reshape(self, -1))
KN_METHOD(sort, (std::int64_t axis), koine::sort(self, {.axis = axis}))

#define KN_REDUCTION(name, Options)                                     \
  KN_METHOD(name, (const Options& options), koine::name(self, options)) \
  KN_METHOD(name, (const Axis& axis), koine::name(self, Options{.axis = axis}))
KN_REDUCTION(sum, SumOptions)
KN_REDUCTION(mean, ReductionOptions)
KN_REDUCTION(max, ReductionOptions)
KN_REDUCTION(min, ReductionOptions)
KN_REDUCTION(any, ReductionOptions)
KN_REDUCTION(all, ReductionOptions)
KN_REDUCTION(argmax, ArgOptions)
KN_REDUCTION(argmin, ArgOptions)
#undef KN_REDUCTION
#undef KN_METHOD

template <class Self>
void Methods<Self>::read_item(DType type, void* target) const {
  if (size() != 1) {
    const bool truth = type == DType::bool_ && size() > 1;
    throw ShapeError("[item] needs an array of one element, got shape " + to_string(shape()) +
                     (truth ? "; for one truth of several use all(a == b), any(a == b) or array_equal(a, b)" : ""));
  }
  read(type, target, 1, "item");
}

template <class Self>
void Methods<Self>::read(DType type, void* target, std::size_t count, const char* function) const {
  check_count(count, function);
  api::check_conversion(dtype(), type, function);
  if (count == 0) return;
  const graph::NodeRef source = exec::row_major(KN_SELF.node());
  read_values(*source, type, target, [&](std::uint64_t offset, void* to, std::uint64_t bytes) {
    exec::queue_of(*source).read(*source->storage, offset, to, bytes, function);
  });
}

template <class Self>
void Methods<Self>::read_later(DType type, std::shared_ptr<Reader> reader) const {
  api::check_conversion(dtype(), type, "read_async");
  try {
    // Held until the values are read, so that an assignment to this array meanwhile goes to a copy.
    graph::NodeRef source = exec::row_major(KN_SELF.node());
    cl::Event ready = exec::queue_of(*source).ready(*source->storage, "read_async");
    base::Background& background = source->place.context->background();
    std::function<void()> task = [source = std::move(source), ready = std::move(ready), type, reader]() mutable {
      std::exception_ptr failure;
      try {
        void* const target = reader->target(static_cast<std::size_t>(source->shape.elements()));
        read_values(*source, type, target, [&](std::uint64_t offset, void* to, std::uint64_t bytes) {
          exec::queue_of(*source).read_aside(ready, *source->storage, offset, to, bytes, "read_async");
        });
      } catch (...) {
        failure = std::current_exception();
      }
      source.reset();  // whoever sees the values may write in place again
      reader->finish(failure);
    };
    // Where there is no such thread to be had, reading now is better than never.
    if (!background.submit(task)) task();
  } catch (...) {
    // A promise that nobody keeps needs memory to say so, and ends the process where there is none.
    reader->finish(std::current_exception());
  }
}

template <class Self>
void Methods<Self>::check_count(std::size_t count, const char* function) const {
  if (static_cast<std::int64_t>(count) != size()) {
    throw ShapeError(api::prefix(function) + "the range has " + std::to_string(count) + " elements, the array " +
                     std::to_string(size()) + " (shape " + to_string(shape()) + ")");
  }
}

#undef KN_SELF

template class Methods<Array>;
template class Methods<Subscript>;

}  // namespace detail
}  // namespace koine
