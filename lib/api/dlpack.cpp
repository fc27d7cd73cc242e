// SPDX-License-Identifier: Apache-2.0
// DLPack tensors of the host's memory: taken over or copied, and made.
#include "api/build.hpp"
#include "exec/evaluate.hpp"
#include "runtime/borrow.hpp"
#include "runtime/context.hpp"

#include <koine/dlpack.hpp>
#include <koine/error.hpp>

#include <dlpack/dlpack.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace koine {
namespace {

constexpr const char* function = "from_dlpack";

// Since DLPack 0.8; Debian 12 has 0.6.
constexpr std::uint8_t bool_code = 6;

/// The type code and the width of one element, as DLPack counts them.
DLDataType data_type(DType type) {
  const std::uint8_t code = is_bool(type)             ? bool_code
                            : is_signed_integer(type) ? std::uint8_t{kDLInt}
                            : is_integer(type)        ? std::uint8_t{kDLUInt}
                            : type == DType::bfloat16 ? std::uint8_t{kDLBfloat}
                            : is_complex(type)        ? std::uint8_t{kDLComplex}
                                                      : std::uint8_t{kDLFloat};
  return {code, static_cast<std::uint8_t>(8 * size_of(type)), 1};
}

DType type_of(const DLDataType& wanted) {
  for (int number = 0; number < dtype_count; ++number) {
    const auto type = static_cast<DType>(number);
    const DLDataType known = data_type(type);
    if (known.code == wanted.code && known.bits == wanted.bits && wanted.lanes == 1) return type;
  }
  throw DTypeError(
      fmt::format("[{}] the tensor's elements, of DLPack's type code {} with {} bits and {} lanes, are of no "
                  "type that Koine has",
                  function, wanted.code, wanted.bits, wanted.lanes));
}

/// Where a tensor's elements lie, counted in elements from the lowest of them.
struct Elements {
  graph::Layout layout;
  const std::byte* lowest;
  std::uint64_t span;  // from the lowest to behind the highest
};

/// As many as NumPy has; what a tensor claims beyond is more likely a number that was never set.
constexpr std::int32_t most_axes = 64;

Elements elements_of(const DLTensor& tensor, std::size_t element_size) {
  if (tensor.ndim < 0 || tensor.ndim > most_axes) {
    throw ValueError(fmt::format("[{}] the tensor has {} axes; it can have 0 to {}", function, tensor.ndim, most_axes));
  }
  if (tensor.ndim > 0 && tensor.shape == nullptr) {
    throw ValueError(
        fmt::format("[{}] the tensor has {} axes and no shape: the pointer is null", function, tensor.ndim));
  }
  const Shape shape(std::vector<std::int64_t>(tensor.shape, tensor.shape + tensor.ndim));
  graph::check_sizes(shape, function);
  Shape strides = graph::row_major_strides(shape);
  if (shape.elements() == 0) return {{shape, std::move(strides), 0}, nullptr, 0};
  if (tensor.data == nullptr) {
    throw ValueError(
        fmt::format("[{}] the tensor has shape {} and no elements: the pointer is null", function, to_string(shape)));
  }
  // From the lowest to the highest element, and their addresses: all must be numbers of 64 bits.
  std::int64_t first = 0, last = 0, distance = 0, low = 0, bytes = 0;
  bool beyond = false;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    // Of one element alone the stride means nothing.
    if (tensor.strides != nullptr && shape[axis] > 1) strides[axis] = tensor.strides[axis];
    std::int64_t& end = strides[axis] < 0 ? first : last;
    beyond |= __builtin_mul_overflow(strides[axis], shape[axis] - 1, &distance);
    beyond |= __builtin_add_overflow(end, distance, &end);
  }
  const auto size = static_cast<std::int64_t>(element_size);
  std::uintptr_t origin = 0, lowest = 0, end = 0;
  beyond |= __builtin_mul_overflow(first, size, &low);
  beyond |= __builtin_sub_overflow(last, first, &distance) || __builtin_add_overflow(distance, 1, &distance);
  beyond |= __builtin_mul_overflow(distance, size, &bytes);
  beyond |= __builtin_add_overflow(reinterpret_cast<std::uintptr_t>(tensor.data), tensor.byte_offset, &origin);
  beyond |= __builtin_add_overflow(origin, low, &lowest) || __builtin_add_overflow(lowest, bytes, &end);
  if (beyond) {
    throw ValueError(fmt::format("[{}] the tensor's strides and its byte offset, {}, lead out of all memory", function,
                                 tensor.byte_offset));
  }
  return {{shape, std::move(strides), -first},
          reinterpret_cast<const std::byte*>(lowest),
          static_cast<std::uint64_t>(distance)};
}

/// Whoever holds it keeps the tensor, once it is taken.
struct Taken {
  DLManagedTensor* tensor = nullptr;
  ~Taken() {
    if (tensor != nullptr && tensor->deleter != nullptr) tensor->deleter(tensor);
  }
};

/// Calls `f` with the address of each element in row-major order, until it gives false.
template <class F>
void visit_elements(const Elements& from, std::size_t element_size, F f) {
  const Shape &shape = from.layout.shape, &strides = from.layout.strides;
  Shape position = Shape::filled(shape.size(), 0);
  std::int64_t at = from.layout.offset;
  for (std::int64_t left = shape.elements(); left > 0; --left) {
    if (!f(from.lowest + at * static_cast<std::int64_t>(element_size))) return;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      at += strides[axis];
      if (++position[axis] < shape[axis]) break;
      at -= strides[axis] * shape[axis];
      position[axis] = 0;
    }
  }
}

/// The elements in row-major order, and truths as 0 and 1.
std::vector<std::byte> gathered(const Elements& from, DType type) {
  const std::size_t size = size_of(type);
  std::vector<std::byte> values(static_cast<std::size_t>(from.layout.shape.elements()) * size);
  std::byte* to = values.data();
  visit_elements(from, size, [&](const std::byte* element) {
    std::memcpy(to, element, size);
    to += size;
    return true;
  });
  if (is_bool(type)) {
    for (std::byte& each : values) each = static_cast<std::byte>(each != std::byte{0});
  }
  return values;
}

/// Whether there is a truth that is neither 0 nor 1: other libraries take every byte but 0 for true, kernels add them.
bool has_odd_truths(const Elements& from) {
  const auto odd = [](std::byte each) { return each > std::byte{1}; };
  if (std::none_of(from.lowest, from.lowest + from.span, odd)) return false;
  Elements each = from;  // what is read many times is looked at once
  for (std::size_t axis = 0; axis < each.layout.shape.size(); ++axis) {
    if (each.layout.strides[axis] == 0) each.layout.shape[axis] = 1;
  }
  bool found = false;  // not between the elements
  visit_elements(each, 1, [&](const std::byte* element) { return !(found = odd(*element)); });
  return found;
}

/// A tensor with the memory it names.
struct Made {
  struct Free {
    void operator()(void* memory) const noexcept { std::free(memory); }
  };
  std::unique_ptr<void, Free> values;
  Shape shape, strides;
  DLManagedTensor tensor;
};

}  // namespace

Array from_dlpack(DLManagedTensor* tensor, const FromDlpackOptions& options) {
  if (tensor == nullptr) throw ValueError("[from_dlpack] got no tensor: the pointer is null");
  const DLTensor& source = tensor->dl_tensor;
  const int kind = source.device.device_type;
  if (kind != kDLCPU && kind != kDLCUDAHost && kind != kDLROCMHost) {
    throw DeviceError(
        fmt::format("[{}] the tensor lies on a device of DLPack's type {}; Koine takes memory of the host: "
                    "types 1 (CPU), 3 (CUDA's host memory) and 11 (ROCm's)",
                    function, kind));
  }
  const DType type = type_of(source.dtype);
  const graph::Place place = api::place_of(options.device);
  api::require_type(place, type, function);
  Elements elements = elements_of(source, size_of(type));
  const std::int64_t count = elements.layout.shape.elements();

  const auto taken = std::make_shared<Taken>();
  const bool odd = options.copy != true && is_bool(type) && count > 0 && has_odd_truths(elements);
  if (odd && options.copy == false) {
    throw ValueError(
        fmt::format("[{}] the tensor has truths that are neither 0 nor 1, which have to be copied; leave .copy open to "
                    "allow that",
                    function));
  }
  if (options.copy != true && count > 0 && !odd) {
    const runtime::Context::InUse in_use(*place.context, function);
    auto borrowed =
        runtime::borrow(*place.context, elements.lowest, elements.span * size_of(type), size_of(type), taken);
    if (borrowed) {
      graph::Layout layout = elements.layout;
      layout.offset += borrowed->offset;
      Array result(graph::make_leaf(type, std::move(layout), std::move(borrowed->buffer), place));
      taken->tensor = tensor;
      return result;
    }
    if (options.copy == false) {
      throw ValueError(
          fmt::format("[{}] {} cannot use the tensor's memory where it lies; leave .copy open to allow a copy",
                      function, api::device_of(place).selector()));
    }
  }
  // Before the elements are gathered: few of them, read many times, may be more than the device or the host has.
  const Shape& shape = elements.layout.shape;
  const Array result = api::unwritten(shape, type, place, function);
  const bool as_it_lies = !is_bool(type) && elements.layout.strides == graph::row_major_strides(shape);
  const std::vector<std::byte> values = as_it_lies ? std::vector<std::byte>() : gathered(elements, type);
  const void* const from = as_it_lies ? elements.lowest : values.data();
  exec::queue_of(*result.node())
      .write(*result.node()->storage, 0, from, static_cast<std::uint64_t>(result.nbytes()), function);
  taken->tensor = tensor;
  return result;
}

DLManagedTensor* to_dlpack(const Array& x) {
  constexpr std::size_t alignment = 256;  // what DLPack asks for
  auto made = std::make_unique<Made>();
  const auto bytes = static_cast<std::size_t>(x.nbytes());
  made->values.reset(std::aligned_alloc(alignment, (bytes / alignment + 1) * alignment));
  if (made->values == nullptr) throw std::bad_alloc();
  api::copy_elements(x, made->values.get());
  made->shape = x.shape();
  made->strides = graph::row_major_strides(made->shape);
  made->tensor.dl_tensor = {made->values.get(),
                            {kDLCPU, 0},
                            static_cast<int>(x.ndim()),
                            data_type(x.dtype()),
                            made->shape.data(),
                            made->strides.data(),
                            0};
  made->tensor.manager_ctx = made.get();
  made->tensor.deleter = [](DLManagedTensor* self) { delete static_cast<Made*>(self->manager_ctx); };
  return &made.release()->tensor;
}

}  // namespace koine
