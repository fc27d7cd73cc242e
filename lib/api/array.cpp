// SPDX-License-Identifier: Apache-2.0
// Array: properties, reading back, evaluation.
#include "api/build.hpp"
#include "base/convert.hpp"
#include "base/first_use.hpp"
#include "exec/evaluate.hpp"
#include "runtime/context.hpp"

#include <koine/array.hpp>
#include <koine/creation.hpp>
#include <koine/error.hpp>
#include <koine/manipulation.hpp>
#include <koine/types.hpp>

#include <exception>
#include <functional>
#include <vector>

namespace koine {

namespace {

void check_conversion(DType from, DType to, const char* function) {
  if (is_complex(from) && !is_complex(to) && !is_bool(to)) {
    throw DTypeError(api::prefix(function) + std::string(name(from)) + " does not convert to " + std::string(name(to)) +
                     "; take real(x), imag(x) or abs(x)");
  }
}

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

}  // namespace

Array::Array() = default;

const graph::NodeRef& Array::node() const {
  if (node_) return node_;
  // Shared by all arrays without a value, so that no thread ever writes to node_ while another reads it.
  static constinit base::FirstUse<const Array> empty;
  return empty.get([] { return zeros({0}); }).node_;
}

const Shape& Array::shape() const { return node()->shape; }

std::int64_t Array::shape(std::int64_t axis) const { return shape()[graph::normal_axis(axis, shape(), "shape")]; }

DType Array::dtype() const { return node()->dtype; }
std::int64_t Array::size() const { return shape().elements(); }
std::int64_t Array::nbytes() const { return size() * static_cast<std::int64_t>(size_of(dtype())); }
Device Array::device() const { return api::device_of(node()->place); }

Array Array::T() const {
  if (ndim() != 2) {
    throw ShapeError("[T] shape " + to_string(shape()) + " is not a matrix; for other numbers of axes use mT or " +
                     "permute_dims");
  }
  return matrix_transpose(*this);
}

Array Array::mT() const { return matrix_transpose(*this); }

Array Array::astype(DType type) const { return koine::astype(*this, type); }
Array Array::to_device(Device device) const { return koine::to_device(*this, device); }

const Array& Array::eval() const {
  const graph::NodeRef& own = node();
  if (!own->is_ready()) {
    exec::evaluate(own);
    exec::queue_of(*own).flush();
  }
  return *this;
}

void Array::read_item(DType type, void* target) const {
  if (size() != 1) {
    throw ShapeError("[item] needs an array of one element, got shape " + to_string(shape()));
  }
  read(type, target, 1, "item");
}

void Array::read(DType type, void* target, std::size_t count, const char* function) const {
  if (static_cast<std::int64_t>(count) != size()) {
    throw ShapeError(api::prefix(function) + "the range has " + std::to_string(count) + " elements, the array " +
                     std::to_string(size()) + " (shape " + to_string(shape()) + ")");
  }
  check_conversion(dtype(), type, function);
  if (count == 0) return;
  const graph::NodeRef source = exec::row_major(node());
  read_values(*source, type, target, [&](std::uint64_t offset, void* to, std::uint64_t bytes) {
    exec::queue_of(*source).read(*source->storage, offset, to, bytes, function);
  });
}

void Array::read_later(DType type, std::shared_ptr<detail::Reader> reader) const {
  check_conversion(dtype(), type, "read_async");
  try {
    // Held until the values are read, so that an assignment to this array meanwhile goes to a copy.
    graph::NodeRef source = exec::row_major(node());
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

void eval(std::span<const Array* const> arrays) {
  std::vector<graph::NodeRef> roots;
  for (const Array* array : arrays) roots.push_back(array->node());
  exec::evaluate(roots);
  for (const graph::NodeRef& root : roots) exec::queue_of(*root).flush();
}

void synchronize(Device device) {
  if (runtime::Context* context = runtime::Context::existing(device.record())) context->finish();
}

void synchronize() {
  for (const Device& device : devices()) synchronize(device);
}

}  // namespace koine
