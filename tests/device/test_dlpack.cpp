// SPDX-License-Identifier: Apache-2.0
// Tensors of other libraries: every type and layout, without a copy where the device shares the host's memory, and
// given back exactly once.
#include <dlpack/dlpack.h>
#include <doctest/doctest.h>
#include <complex>
#include <koine/koine.hpp>

#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/inner.hpp"

namespace kn = koine;
using kn::Array;
using kn::Shape;
using kn::test::by_position;
using kn::test::check_array;
using kn::test::message_of;
using kn::test::on_each_device;

namespace {

/// A tensor of 0, 1, 2, ... of int32 that counts how often it is given back.
struct Tensor {
  explicit Tensor(std::size_t count) : values(count + 64) {
    // Behind a border of elements, which strides below zero must not reach.
    for (std::size_t i = 0; i < count; ++i) values[64 + i] = static_cast<std::int32_t>(i);
    managed.dl_tensor = {values.data(), {kDLCPU, 0}, 1, {kDLInt, 32, 1}, shape, nullptr, 64 * sizeof(std::int32_t)};
    shape[0] = static_cast<std::int64_t>(count);
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensor* self) { ++static_cast<Tensor*>(self->manager_ctx)->given_back; };
  }
  Tensor(const Tensor&) = delete;

  std::vector<std::int32_t> values;
  std::int64_t shape[4] = {}, strides[4] = {};
  DLManagedTensor managed = {};
  int given_back = 0;
};

std::vector<std::complex<double>> values_of(const Array& x) { return x.to_vector<std::complex<double>>(); }

bool shares_memory() { return kn::test::facts_of().shares_memory; }

}  // namespace

TEST_CASE("arrays of every type go out and come back") {
  on_each_device([] {
    std::vector<float> values;
    for (int i = 0; i < 60; ++i) values.push_back(static_cast<float>(i % 7));
    for (const kn::DType type : kn::dtypes()) {
      CAPTURE(kn::name(type));
      const Array x = kn::asarray(values, type), turned = kn::reshape(x, {3, 4, 5}).mT();
      // What is copied before it goes out is of one type of each size.
      const bool usual = type == kn::bool_ || type == kn::float16 || type == kn::float32 || type == kn::complex64;
      if (!usual && kn::test::without_variants()) continue;
      DLManagedTensor* const tensor = kn::to_dlpack(turned);
      const DLTensor& made = tensor->dl_tensor;
      CHECK(made.ndim == 3);
      CHECK(made.shape[1] == 5);
      CHECK(made.strides[1] == 4);
      CHECK(made.device.device_type == kDLCPU);
      CHECK(made.dtype.bits == 8 * kn::size_of(type));
      CHECK(reinterpret_cast<std::uintptr_t>(made.data) % 256 == 0);
      const Array back = kn::from_dlpack(tensor);
      CHECK(back.dtype() == type);
      CHECK(back.shape() == Shape{3, 5, 4});
      CHECK(values_of(back) == values_of(turned));
      if (type != kn::float32 && !kn::test::all_variants()) continue;
      CHECK(kn::array_equal(kn::flip(back), kn::flip(turned)));
    }
    for (const Shape& shape : {Shape{}, Shape{0}, Shape{2, 0, 3}, Shape{1}}) {
      const Array back = kn::from_dlpack(kn::to_dlpack(kn::ones(shape)));
      CHECK(back.shape() == shape);
      CHECK(back.to_vector<float>() == std::vector<float>(static_cast<std::size_t>(shape.elements()), 1.0f));
    }
    // The codes that other libraries know them by.
    const auto code = [](kn::DType type) {
      DLManagedTensor* const tensor = kn::to_dlpack(kn::zeros({1}, {.dtype = type}));
      const int result = tensor->dl_tensor.dtype.code;
      tensor->deleter(tensor);
      return result;
    };
    CHECK(code(kn::int8) == kDLInt);
    CHECK(code(kn::uint64) == kDLUInt);
    CHECK(code(kn::float16) == kDLFloat);
    CHECK(code(kn::bfloat16) == kDLBfloat);
    CHECK(code(kn::complex64) == kDLComplex);
    CHECK(code(kn::bool_) == 6);
  });
}

TEST_CASE("any strides, below zero and zero too") {
  on_each_device([] {
    for (const bool copy : {false, true}) {
      if (!copy && !shares_memory()) continue;
      Tensor tensor(120);
      DLTensor& t = tensor.managed.dl_tensor;
      t.ndim = 3;
      // Element (i, j, k) is 119 - 24 i - 6 j' where k repeats.
      const std::int64_t shape[] = {4, 3, 2}, strides[] = {-24, 6, 0};
      std::memcpy(tensor.shape, shape, sizeof shape);
      std::memcpy(tensor.strides, strides, sizeof strides);
      t.strides = tensor.strides;
      t.byte_offset += 100 * sizeof(std::int32_t);
      const auto want = by_position<std::int32_t>({4, 3, 2}, [](const Shape& p) { return 100 - 24 * p[0] + 6 * p[1]; });
      {
        const Array x = kn::from_dlpack(&tensor.managed, {.copy = copy});
        CHECK(tensor.given_back == (copy ? 1 : 0));
        check_array(x, {4, 3, 2}, want);
        check_array(x * 1, {4, 3, 2}, want);
      }
      CHECK(tensor.given_back == 1);
    }
  });
}

TEST_CASE("a tensor's own memory where the device shares it with the host") {
  on_each_device([] {
    if (!shares_memory()) return kn::test::leave_out("a device with memory of its own");
    Tensor tensor(1000);
    const std::uint64_t before = kn::memory_stats(kn::default_device()).in_use;
    {
      Array x = kn::from_dlpack(&tensor.managed);
      CHECK(kn::memory_stats(kn::default_device()).in_use == before);
      const Array pending = kn::sum(x * 2);
      const Array part = x(kn::slice(10, 20));
      x(0) = 5;  // a copy from here on
      CHECK(tensor.values[64] == 0);
      CHECK(x(0).item<int>() == 5);
      CHECK(part(0).item<int>() == 10);
      x = Array();
      CHECK(tensor.given_back == 0);
      CHECK(pending.item<std::int64_t>() == 999 * 1000);
    }
    CHECK(tensor.given_back == 1);
    // No deleter: nothing to call.
    tensor.managed.deleter = nullptr;
    CHECK(kn::sum(kn::from_dlpack(&tensor.managed)).item<std::int64_t>() == 999 * 500);
  });
}

TEST_CASE("memory that is not aligned to its elements is copied") {
  on_each_device([] {
    Tensor tensor(100);
    tensor.managed.dl_tensor.byte_offset = 64 * sizeof(std::int32_t) + 1;
    tensor.shape[0] = 99;
    std::vector<std::int32_t> want(99);
    std::memcpy(want.data(), reinterpret_cast<const char*>(tensor.values.data()) + 64 * 4 + 1, 99 * 4);
    check_array(kn::from_dlpack(&tensor.managed), {99}, want);
    CHECK(tensor.given_back == 1);
    CHECK(message_of<kn::ValueError>([&] { kn::from_dlpack(&tensor.managed, {.copy = false}); }) ==
          "[from_dlpack] " + kn::default_device().selector() +
              " cannot use the tensor's memory where it lies; leave .copy open to allow a copy");
  });
}

TEST_CASE("tensors that cannot be taken stay the caller's") {
  on_each_device([] {
    Tensor tensor(10);
    DLTensor& t = tensor.managed.dl_tensor;
    const auto message = [&]<class Error>(Error*) {
      return message_of<Error>([&] { kn::from_dlpack(&tensor.managed); });
    };
    CHECK(message_of<kn::ValueError>([] { kn::from_dlpack(nullptr); }) ==
          "[from_dlpack] got no tensor: the pointer is null");
    t.device.device_type = kDLCUDA;
    CHECK(
        message(static_cast<kn::DeviceError*>(nullptr)) ==
        "[from_dlpack] the tensor lies on a device of DLPack's type 2; Koine takes memory of the host: types 1 (CPU), "
        "3 (CUDA's host memory) and 11 (ROCm's)");
    t.device.device_type = kDLCPU;
    t.dtype = {kDLFloat, 32, 4};
    CHECK(message(static_cast<kn::DTypeError*>(nullptr)) ==
          "[from_dlpack] the tensor's elements, of DLPack's type code 2 with 32 bits and 4 lanes, are of no type that "
          "Koine has");
    t.dtype = {kDLInt, 32, 1};
    tensor.shape[0] = -1;
    CHECK(message(static_cast<kn::ShapeError*>(nullptr)) ==
          "[from_dlpack] shape (-1,) has the negative size -1; sizes are 0 or more");
    CHECK(tensor.given_back == 0);
  });
}

TEST_CASE("truths of other libraries are 0 and 1 here, whatever byte stands for true there") {
  on_each_device([] {
    std::uint8_t bytes[] = {0, 9, 1, 9, 255, 9, 2, 9};  // every second one is the tensor's
    std::int64_t shape[] = {4, 2}, strides[] = {2, 0};
    int given_back = 0;
    DLManagedTensor tensor = {};
    tensor.dl_tensor = {bytes, {kDLCPU, 0}, 2, {6, 8, 1}, shape, strides, 0};
    tensor.manager_ctx = &given_back;
    tensor.deleter = [](DLManagedTensor* self) { ++*static_cast<int*>(self->manager_ctx); };
    for (const auto copy : {std::optional<bool>(), std::optional(true)}) {
      const Array x = kn::from_dlpack(&tensor, {.copy = copy});
      check_array<bool>(x, {4, 2}, {false, false, true, true, true, true, true, true});
      CHECK(kn::sum(x).item<int>() == 6);
    }
    CHECK(given_back == 2);
    CHECK(kn::test::has(message_of<kn::ValueError>([&] { kn::from_dlpack(&tensor, {.copy = false}); }),
                        "[from_dlpack] the tensor has truths that are neither 0 nor 1"));
    CHECK(given_back == 2);
    // Bytes between the elements are nobody's truths.
    bytes[4] = bytes[6] = 1;
    if (shares_memory()) CHECK(kn::sum(kn::from_dlpack(&tensor, {.copy = false})).item<int>() == 6);
  });
}

TEST_CASE("every field is checked") {
  on_each_device([] {
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                           most = std::numeric_limits<std::int64_t>::max();
    Tensor tensor(10);
    DLTensor& t = tensor.managed.dl_tensor;
    const DLTensor good = t;
    // Whether the device uses the memory where it lies or not.
    const auto refused = [&]<class Error>(Error*, const std::string& want) {
      for (const auto copy : {std::optional<bool>(), std::optional(true), std::optional(false)}) {
        CHECK(message_of<Error>([&] { kn::from_dlpack(&tensor.managed, {.copy = copy}); }) == "[from_dlpack] " + want);
      }
      CHECK(tensor.given_back == 0);
      t = good;
      tensor.shape[0] = 10;
    };
    const auto value = static_cast<kn::ValueError*>(nullptr);
    const auto type = static_cast<kn::DTypeError*>(nullptr);
    for (const int ndim : {-1, 65, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}) {
      t.ndim = ndim;
      refused(value, "the tensor has " + std::to_string(ndim) + " axes; it can have 0 to 64");
    }
    t.shape = nullptr;
    refused(value, "the tensor has 1 axes and no shape: the pointer is null");
    t.data = nullptr;
    refused(value, "the tensor has shape (10,) and no elements: the pointer is null");
    t.ndim = 2;
    tensor.shape[0] = tensor.shape[1] = most;
    refused(static_cast<kn::ShapeError*>(nullptr),
            "shape (9223372036854775807, 9223372036854775807) has more elements than 64 bits can count");
    const std::string elsewhere = "the tensor's strides and its byte offset, 256, lead out of all memory";
    for (const std::int64_t stride : {least, least / 9, most / 9, most}) {
      tensor.strides[0] = stride;
      t.strides = tensor.strides;
      refused(value, elsewhere);
    }
    // Two axes whose ends fit each by itself.
    for (const std::int64_t sign : {-1, 1}) {
      t.ndim = 2;
      tensor.shape[0] = tensor.shape[1] = 2;
      tensor.strides[0] = most / 4;
      tensor.strides[1] = sign * (most / 4);
      t.strides = tensor.strides;
      refused(value, elsewhere);
    }
    t.byte_offset = std::numeric_limits<std::uint64_t>::max();
    refused(value, "the tensor's strides and its byte offset, 18446744073709551615, lead out of all memory");
    for (const DLDataType wrong : {DLDataType{kDLInt, 31, 1}, DLDataType{kDLInt, 32, 0}, DLDataType{kDLFloat, 0, 1},
                                   DLDataType{255, 32, 1}, DLDataType{kDLFloat, 32, 65535}}) {
      t.dtype = wrong;
      refused(type, "the tensor's elements, of DLPack's type code " + std::to_string(wrong.code) + " with " +
                        std::to_string(wrong.bits) + " bits and " + std::to_string(wrong.lanes) +
                        " lanes, are of no type that Koine has");
    }
    // One element read often: no host has this memory, so a copy is refused before it is tried.
    tensor.shape[0] = std::int64_t{1} << 45;
    t.strides = tensor.strides;
    tensor.strides[0] = 0;
    CHECK(kn::test::has(message_of<kn::OutOfMemory>([&] { kn::from_dlpack(&tensor.managed, {.copy = true}); }),
                        "[from_dlpack] one buffer of 128 TiB is more than "));
    CHECK(tensor.given_back == 0);
    t = good;
    tensor.shape[0] = 10;
    CHECK(kn::sum(kn::from_dlpack(&tensor.managed)).item<int>() == 45);
    CHECK(tensor.given_back == 1);
  });
}

TEST_CASE("fields that mean nothing are not looked at") {
  on_each_device([] {
    for (const bool copy : {false, true}) {
      if (!copy && !shares_memory()) continue;
      Tensor tensor(10);
      DLTensor& t = tensor.managed.dl_tensor;
      t.ndim = 3;
      const std::int64_t shape[] = {1, 10, 1}, strides[] = {std::numeric_limits<std::int64_t>::min(), 1, -5};
      std::memcpy(tensor.shape, shape, sizeof shape);
      std::memcpy(tensor.strides, strides, sizeof strides);
      t.strides = tensor.strides;
      t.device.device_id = 7;
      const Array x = kn::from_dlpack(&tensor.managed, {.copy = copy});
      CHECK(x.shape() == Shape{1, 10, 1});
      CHECK(kn::sum(kn::flip(x) * 2).item<int>() == 90);
    }
    // No elements: neither pointer nor strides; no axes: no shape.
    Tensor tensor(10);
    DLTensor& t = tensor.managed.dl_tensor;
    tensor.shape[0] = 0;
    tensor.strides[0] = std::numeric_limits<std::int64_t>::max();
    t.strides = tensor.strides;
    t.data = nullptr;
    t.byte_offset = std::numeric_limits<std::uint64_t>::max();
    CHECK(kn::sum(kn::from_dlpack(&tensor.managed)).item<int>() == 0);
    CHECK(tensor.given_back == 1);
    Tensor scalar(1);
    scalar.managed.dl_tensor.ndim = 0;
    scalar.managed.dl_tensor.shape = nullptr;
    CHECK(kn::from_dlpack(&scalar.managed).item<int>() == 0);
  });
}
