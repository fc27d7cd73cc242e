// SPDX-License-Identifier: Apache-2.0
// Users' own kernels: arguments of every kind, whose memory is written, sizes of launches, and what is refused.
#include <doctest/doctest.h>
#include <koine/kernel.hpp>
#include <koine/koine.hpp>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/inner.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::has;
using kn::test::message_of;
using kn::test::numbered;
using kn::test::on_each_device;

namespace {

/// The kernels of these tests, as one program: the library compiles it once for a device.
constexpr const char* source = R"(
typedef struct { int a; float b; char c; } Item;

__kernel void saxpy(const __global float* x, __global float* y, float a, int n) {
  int i = get_global_id(0);
  if (i < n) y[i] = a * x[i] + y[i];
}

__kernel void fill(__global int* x, int value) { x[get_global_id(0)] = value; }

__kernel void add_to(__global int* x, __global int* y) {
  x[get_global_id(0)] += 1;
  y[get_global_id(0)] += 10;
}

__kernel void shifted(const __global int* from, __global int* to) {
  int i = get_global_id(0);
  to[i] = from[(i + 1) % get_global_size(0)];
}

__kernel void where(__global int* out) {
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  int nx = get_global_size(0) + get_global_offset(0), ny = get_global_size(1) + get_global_offset(1);
  out[(z * ny + y) * nx + x] = 10000 * get_local_id(0) + 100 * get_local_id(1) + 10 * get_local_id(2) + get_work_dim();
}

__kernel void values(__global double* out, char c, uchar uc, short s, ushort us, int i, uint ui, long l, ulong ul,
                     float f, float2 f2, float3 f3, int4 i4, Item item) {
  out[0] = c, out[1] = uc, out[2] = s, out[3] = us, out[4] = i, out[5] = ui, out[6] = l, out[7] = ul, out[8] = f;
  out[9] = f2.x + 10 * f2.y;
  out[10] = f3.x + 10 * f3.y + 100 * f3.z;
  out[11] = i4.x + 10 * i4.y + 100 * i4.z + 1000 * i4.w;
  out[12] = item.a + 10 * item.b + 100 * item.c;
}

__kernel void types(__global char* flags, __global float2* z, __constant float4* quads, __global Item* items) {
  flags[0] = !flags[0];
  z[0] = (float2)(z[0].y, z[0].x);
  z[1].x = quads[1].w;
  items[1].a += 5;
}

__kernel void two_locals(const __global int* in, __global int* out, __local int* a, __local char* b) {
  int i = get_local_id(0), n = get_local_size(0);
  a[i] = in[get_global_id(0)];
  b[i] = (char)i;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = a[n - 1 - i] * 100 + b[n - 1 - i];
}

__kernel __attribute__((reqd_work_group_size(8, 2, 1))) void fixed(__global int* out) {
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = get_local_size(0) * 10 + get_local_size(1);
}

__kernel void split(const __global int* in, __global int* even, __global int* odd) {
  int i = get_global_id(0);
  even[i] = in[2 * i];
  odd[i] = in[2 * i + 1];
}

__kernel void own_local(__global int* out) {
  __local int shared[64];
  shared[get_local_id(0)] = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = shared[63 - get_local_id(0)];
}
)";

kn::Program program() { return kn::Program(source); }
kn::Kernel kernel(const char* name) { return program().kernel(name); }

std::vector<int> counted(int n, int first = 0) {
  std::vector<int> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), first);
  return values;
}

template <class Kind, class Call>
void check_refused(Call call, std::initializer_list<const char*> parts) {
  const std::string message = message_of<Kind>(call);
  CAPTURE(message);
  CHECK(message.starts_with("[Kernel] "));
  for (const char* part : parts) CHECK_MESSAGE(has(message, part), part);
}

}  // namespace

TEST_CASE("a kernel reads and writes arrays, pending ones included") {
  on_each_device([] {
    const kn::Kernel saxpy = kernel("saxpy");
    CHECK(saxpy.name() == "saxpy");
    CHECK(saxpy.device() == kn::default_device());
    CHECK(saxpy.max_group() >= 1);
    Array x = kn::arange(1000.0) * 2, y = kn::ones({1000});
    const std::uint64_t before = kn::test::activity_of().launches;
    saxpy({1024}, x + 1, y, 3.0f, 1000);
    CHECK(kn::test::activity_of().launches == before + 2);
    saxpy({.global = {1024}, .local = {64}}, x, y, -1.0f, 1000);
    CHECK(y.to_vector<float>() == kn::test::by_position<float>({1000}, [](auto& p) { return 4 + 4 * p[0]; }));
    CHECK(x(7).item<float>() == 14);
  });
}

TEST_CASE("nobody else's value changes") {
  on_each_device([] {
    const kn::Kernel fill = kernel("fill");
    Array x = numbered({100}), copy = x, part = x(kn::slice(10, 20));
    const Array later = x + 1;
    fill({100}, x, 7);
    CHECK(x.to_vector<int>() == std::vector<int>(100, 7));
    CHECK(copy.to_vector<int>() == counted(100));
    CHECK(part.to_vector<int>() == counted(10, 10));
    CHECK(later.to_vector<int>() == counted(100, 1));
    // Alone, it is written where it lies.
    const void* const memory = kn::test::memory_of(x);
    fill({50}, x, 8);
    if (std::getenv("KOINE_SYNC") == nullptr) CHECK(kn::test::memory_of(x) == memory);
    CHECK(x(49).item<int>() == 8);
    CHECK(x(50).item<int>() == 7);
    // A part that is its own variable is not the array that it was cut from.
    fill({10}, part, 9);
    CHECK(part.to_vector<int>() == std::vector<int>(10, 9));
    CHECK(x(10).item<int>() == 8);
    // A part of a variable is assigned to.
    fill({5}, copy(kn::slice(0, 10, 2)), -1);
    CHECK(copy(kn::slice(0, 6)).to_vector<int>() == std::vector<int>{-1, 1, -1, 3, -1, 5});
    fill({5}, kn::out(copy(kn::slice(90, 95))), -2);
    CHECK(copy(94).item<int>() == -2);
    CHECK(copy(95).item<int>() == 95);
  });
}

TEST_CASE("borrowed memory is not written") {
  std::vector<int> values = counted(256);
  Array x = kn::borrow(values);
  kernel("fill")({256}, x, 3);
  kn::synchronize();
  CHECK(values == counted(256));
  CHECK(x(255).item<int>() == 3);
}

TEST_CASE("an array that is read has the value of before the launch") {
  on_each_device([] {
    Array x = numbered({64});
    kernel("shifted")({64}, x, x);
    std::vector<int> expected = counted(64, 1);
    expected[63] = 0;
    CHECK(x.to_vector<int>() == expected);
    // The same variable written twice is one memory.
    Array y = numbered({64});
    kernel("add_to")({64}, y, y);
    CHECK(y.to_vector<int>() == counted(64, 11));
    const Array held = y;
    kernel("add_to")({64}, y, y);
    CHECK(y.to_vector<int>() == counted(64, 22));
    CHECK(held.to_vector<int>() == counted(64, 11));
    // Two variables of one value are two values.
    Array a = y, b = y;
    kernel("add_to")({64}, a, b);
    CHECK(a.to_vector<int>() == counted(64, 23));
    CHECK(b.to_vector<int>() == counted(64, 32));
    CHECK(y.to_vector<int>() == counted(64, 22));
  });
}

TEST_CASE("arrays in any layout become contiguous") {
  on_each_device([] {
    for (unsigned way = 0; way < 4; ++way) {
      const Array x = kn::test::laid_out(numbered({8, 6}), way);
      Array y = kn::test::laid_out(numbered({8, 6}), way);
      kernel("shifted")({48}, x, y);
      std::vector<int> expected = counted(48, 1);
      expected[47] = 0;
      CHECK(y.shape() == kn::Shape{8, 6});
      CHECK(y.to_vector<int>() == expected);
    }
    const Array tail = numbered({10}).eval()(kn::slice(4, kn::none));
    CHECK(kernel("shifted")({6}, tail, kn::out({6}, kn::int32)).to_vector<int>() == std::vector<int>{5, 6, 7, 8, 9, 4});
    CHECK(kernel("shifted")({6}, kn::broadcast_to(kn::asarray(5, {.dtype = kn::int32}), {6}), kn::out({6}, kn::int32))
              .to_vector<int>() == std::vector<int>(6, 5));
  });
}

TEST_CASE("new arrays are given back: one, several, none") {
  on_each_device([] {
    const kn::Kernel split = kernel("split");
    auto [even, odd] = split({5}, numbered({10}), kn::out({5}, kn::int32), kn::out({5}, kn::int32));
    static_assert(std::is_same_v<decltype(even), Array>);
    CHECK(even.to_vector<int>() == std::vector<int>{0, 2, 4, 6, 8});
    CHECK(odd.to_vector<int>() == std::vector<int>{1, 3, 5, 7, 9});
    static_assert(std::is_void_v<decltype(split({5}, even, even, odd))>);
    const std::vector<kn::KernelArgument> list = {numbered({10}), kn::out({5}, kn::int32), odd};
    const std::vector<Array> made = split.launch({.global = {5}}, list);
    REQUIRE(made.size() == 1);
    CHECK(made[0](4).item<int>() == 8);
  });
}

TEST_CASE("one to three dimensions, work-groups and offsets") {
  on_each_device([] {
    const kn::Kernel where = kernel("where");
    const kn::Shape whole = {4, 6, 8};  // z, y, x
    const auto run = [&](const kn::LaunchOptions& options) {
      Array out = kn::full(whole, -1, {.dtype = kn::int32});
      where(options, out);
      return out.to_vector<int>();
    };
    const auto expected = [&](kn::Shape local, kn::Shape offset, int dimensions) {
      return kn::test::by_position<int>(whole, [&](auto& p) -> int {
        const std::int64_t at[] = {p[2], p[1], p[0]};
        int value = dimensions;
        const int weight[] = {10000, 100, 10};
        for (int axis = 0; axis < 3; ++axis) {
          if (at[axis] < offset[axis] || (axis >= dimensions && at[axis] > 0)) return -1;
          value += weight[axis] * static_cast<int>((at[axis] - offset[axis]) % local[axis]);
        }
        return value;
      });
    };
    CHECK(run({.global = {8, 6, 4}, .local = {4, 3, 2}}) == expected({4, 3, 2}, {0, 0, 0}, 3));
    CHECK(run({.global = {8, 6}, .local = {2, 6}}) == expected({2, 6, 1}, {0, 0, 0}, 2));
    CHECK(run({.global = 8, .local = 8}) == expected({8, 1, 1}, {0, 0, 0}, 1));
    CHECK(run({.global = {6, 3, 4}, .local = {3, 3, 4}, .offset = {2, 3, 0}}) == expected({3, 3, 4}, {2, 3, 0}, 3));
    CHECK(run({.global = {8, 0, 4}}) == std::vector<int>(192, -1));

    const kn::Kernel fixed = kernel("fixed");
    CHECK(fixed({16, 4}, kn::out({4, 16}, kn::int32)).to_vector<int>() == std::vector<int>(64, 82));
    CHECK(fixed({.global = {16, 4}, .local = {8, 2}}, kn::out({4, 16}, kn::int32))(3, 15).item<int>() == 82);
    check_refused<kn::LaunchError>(
        [&] {
          fixed({.global = {16, 4}, .local = {4, 4}}, kn::out({64}, kn::int32));
        },
        {"fixed", "(4, 4)", "reqd_work_group_size", "(8, 2, 1)"});
  });
}

TEST_CASE("values of every type, vectors and structs") {
  on_each_device(kn::float64, [] {
    struct Item {
      std::int32_t a;
      float b;
      char c;
    };
    const Array out = kernel("values")(
        {1}, kn::out({13}, kn::float64), std::int8_t{-5}, std::uint8_t{200}, std::int16_t{-300}, std::uint16_t{60000},
        -70000, 4000000000u, std::int64_t{-1} << 40, std::uint64_t{1} << 50, 1.5f, kn::vec{1.0f, 2.0f},
        kn::vec<float, 3>{1, 2, 3}, kn::vec<std::int32_t, 4>{{1, 2, 3, 4}}, Item{3, 2.5f, 7});
    CHECK(out.to_vector<double>() == std::vector<double>{-5, 200, -300, 60000, -70000, 4e9, -std::pow(2.0, 40),
                                                         std::pow(2.0, 50), 1.5, 21, 321, 4321, 728});
    static_assert(sizeof(kn::vec<float, 3>) == 16 && alignof(kn::vec<float, 3>) == 16);
    static_assert(sizeof(kn::vec<std::uint8_t, 2>) == 2 && sizeof(kn::vec<double, 16>) == 128);
    CHECK(kn::vec{1.0f, 2.0f} == kn::vec<float, 2>{1, 2});
  });
}

TEST_CASE("integers of one size are taken where the parameter holds the value") {
  on_each_device([] {
    Array x = numbered({4});
    kernel("fill")({4}, x, 7u);
    CHECK(x(3).item<int>() == 7);
    check_refused<kn::DTypeError>([&] { kernel("fill")({4}, x, 4000000000u); },
                                  {"argument 1, value (int)", "std::int32_t"});
    CHECK(x(3).item<int>() == 7);
  });
}

TEST_CASE("arrays of bool, complex numbers, quads and structs") {
  on_each_device([] {
    Array flags = kn::zeros({4}, {.dtype = kn::bool_}),
          z = kn::asarray(std::vector<std::complex<float>>{{1, 2}, {3, 4}});
    const std::vector<std::int32_t> words = {1, 0, 0, 10, 0, 0};  // two Items
    Array items = kn::asarray(words);
    kernel("types")({1}, flags, z, kn::arange(8.0), items);
    CHECK(flags.to_vector<bool>() == std::vector<bool>{true, false, false, false});
    CHECK(z.to_vector<std::complex<float>>() == std::vector<std::complex<float>>{{2, 1}, {7, 4}});
    CHECK(items.to_vector<int>() == std::vector<int>{1, 0, 0, 15, 0, 0});
  });
}

TEST_CASE("local memory: several arguments, and the kernel's own") {
  on_each_device([] {
    const Array out = kernel("two_locals")({.global = {32}, .local = {8}}, numbered({32}), kn::out({32}, kn::int32),
                                           kn::local_memory<int>(8), kn::local_memory(8));
    CHECK(out.to_vector<int>() == kn::test::by_position<int>({32}, [](auto& p) {
            const auto at = p[0] / 8 * 8 + 7 - p[0] % 8;
            return at * 100 + 7 - p[0] % 8;
          }));
    CHECK(kernel("own_local")({.global = {128}, .local = {64}}, kn::out({128}, kn::int32))(64).item<int>() == 63);
    check_refused<kn::LaunchError>(
        [] {
          kernel("two_locals")({.global = {8}, .local = {8}}, numbered({8}), kn::out({8}, kn::int32),
                               kn::local_memory(std::size_t{1} << 30), kn::local_memory(8));
        },
        {"two_locals", "1.0 GiB", "local memory", kn::default_device().selector().c_str()});
    check_refused<kn::ValueError>(
        [] {
          kernel("two_locals")({8}, numbered({8}), kn::out({8}, kn::int32), kn::local_memory(0), kn::local_memory(8));
        },
        {"argument 2, a (int*)", "no bytes"});
  });
}

TEST_CASE("wrong arguments are sentences, and lose nothing") {
  on_each_device([] {
    const kn::Kernel saxpy = kernel("saxpy");
    Array x = kn::arange(8.0), y = kn::ones({8});
    const Array fixed = y;
    check_refused<kn::ValueError>([&] { saxpy({8}, x, y, 1.0f); },
                                  {"saxpy takes 4 arguments", "const float* x", "int n", "it got 3"});
    check_refused<kn::ValueError>([&] { saxpy({8}); }, {"it got 0"});
    check_refused<kn::DTypeError>([&] { saxpy({8}, x, y, 1.0, 8); },
                                  {"argument 2, a (float)", "a floating-point number of 8 bytes", "pass a float"});
    check_refused<kn::DTypeError>([&] { saxpy({8}, x, y, 1, 8); }, {"argument 2, a (float)", "an integer of 4 bytes"});
    check_refused<kn::DTypeError>([&] { saxpy({8}, x, y, 1.0f, x.size()); },
                                  {"argument 3, n (int)", "an integer of 8 bytes", "std::int32_t"});
    check_refused<kn::DTypeError>([&] { saxpy({8}, x, y, kn::vec{1.0f, 2.0f}, 8); }, {"a vector of 2", "pass a float"});
    check_refused<kn::DTypeError>([&] { saxpy({8}, x, y, y, 8); }, {"argument 2", "by value, and got an array"});
    check_refused<kn::DTypeError>([&] { saxpy({8}, 1.0f, y, 1.0f, 8); },
                                  {"argument 0, x (const float*)", "is a pointer"});
    check_refused<kn::DTypeError>([&] { saxpy({8}, kn::local_memory(8), y, 1.0f, 8); }, {"argument 0", "local_memory"});
    check_refused<kn::DTypeError>([&] { saxpy({8}, numbered({8}), y, 1.0f, 8); },
                                  {"argument 0, x (const float*)", "int32", "untyped"});
    check_refused<kn::ValueError>([&] { saxpy({8}, x, y + 0, 1.0f, 8); },
                                  {"argument 1, y (float*)", "no variable", "in(x)"});
    check_refused<kn::ValueError>([&] { saxpy({8}, x, fixed, 1.0f, 8); }, {"argument 1", "no variable"});
    check_refused<kn::ValueError>([&] { saxpy({8}, kn::out(x), y, 1.0f, 8); }, {"argument 0", "pointer to const"});
    check_refused<kn::ValueError>([&] { saxpy({8}, kn::out({8}, kn::float32), y, 1.0f, 8); }, {"pointer to const"});
    CHECK(y.to_vector<float>() == std::vector<float>(8, 1));
    // What is meant is possible.
    Array bits = kn::asarray(std::vector<std::int32_t>(8, 0x40000000));  // of 2.0f
    saxpy({8}, kn::in(bits).untyped(), y, 1.0f, 8);
    CHECK(y.to_vector<float>() == std::vector<float>(8, 3));
    saxpy({8}, x, kn::out(bits).untyped(), 0.0f, 8);
    CHECK(bits.to_vector<std::int32_t>() == std::vector<std::int32_t>(8, 0x40000000));
    saxpy({8}, kn::in(y), y, 1.0f, 8);
    CHECK(y.to_vector<float>() == std::vector<float>(8, 6));
    CHECK(fixed.to_vector<float>() == std::vector<float>(8, 1));
    const auto names = program().kernel_names();
    CHECK(names.size() == 11);
    CHECK(has(message_of<kn::ValueError>([] { program().kernel("nothing"); }),
              "[Program] has no kernel \"nothing\"; it has \""));
  });
}

TEST_CASE("in() shares memory with a kernel that does not say const") {
  on_each_device([] {
    const Array x = numbered({8});
    Array y = numbered({8});
    const Array other = y;
    x.eval();
    const std::uint64_t before = kn::memory_stats(kn::default_device()).in_use;
    // The word was not kept, and so it shows that there is one memory.
    kernel("fill")({8}, kn::in(y), 5);
    CHECK(kn::memory_stats(kn::default_device()).in_use == before);
    CHECK(kn::test::memory_of(y) == kn::test::memory_of(other));
  });
}

TEST_CASE("sizes that do not fit are sentences that name the limit and the device") {
  on_each_device([] {
    const kn::Kernel fill = kernel("fill");
    Array x = numbered({8});
    const std::string device = kn::default_device().selector() + " (" + kn::default_device().name() + ")";
    const auto refused = [&](const kn::LaunchOptions& options, std::initializer_list<const char*> parts) {
      check_refused<kn::LaunchError>([&] { fill(options, x, 1); }, parts);
    };
    const std::int64_t huge = std::int64_t{1} << 50;
    refused({.global = {}}, {"fill", "0 dimensions"});
    refused({.global = {2, 2, 2, 2}}, {"4 dimensions"});
    refused({.global = {-8}}, {"global size (-8,)", "negative"});
    refused({.global = {8}, .local = {2, 2}}, {"local size (2, 2)", "2 dimensions", "has 1"});
    refused({.global = {8}, .offset = {0, 1}}, {"offset size (0, 1)"});
    refused({.global = {8}, .local = {0}}, {"no work-items"});
    refused({.global = {10}, .local = {8}}, {"does not divide", "16 along dimension 0"});
    refused({.global = {huge}, .local = {1}}, {"work-groups along dimension 0", device.c_str()});
    refused({.global = {huge * 64}}, {"work-groups along dimension 0", device.c_str()});
    refused({.global = {1, 1, huge}, .local = {1, 1, 1}}, {"along dimension 2", device.c_str()});
    refused({.global = {1 << 17, 1 << 17, 1 << 16}, .local = {1, 1, 1}}, {"work-groups", device.c_str()});
    const std::int64_t many = static_cast<std::int64_t>(fill.max_group()) * 2;
    refused({.global = {many, 2, 2}, .local = {many / 4, 2, 2 * 2}}, {"local size"});
    refused({.global = {many * 64}, .local = {many * 64}}, {"local size", device.c_str()});
    CHECK(x.to_vector<int>() == counted(8));
  });
}

TEST_CASE("a queue, and events to wait for") {
  on_each_device([] {
    const kn::Queue one, two;
    Array x = kn::zeros({16}, {.dtype = kn::uint32}).eval();
    kn::test::run_slowly(x, 20'000'000);
    const std::uint32_t slow = x(0).item<std::uint32_t>();
    Array y = kn::zeros({1000}, {.dtype = kn::int32});
    kernel("fill")({.global = {1000}, .queue = one}, y, 4);
    kernel("add_to")({.global = {1000}, .queue = two, .after = {one.record(), kn::Event()}}, y, y);
    CHECK(y.to_vector<int>() == std::vector<int>(1000, 15));
    {
      const kn::QueueScope scope(two);
      const Array made = kernel("fill")({4}, kn::out({4}, kn::int32), 1);
      CHECK(kn::test::queue_of(made) == kn::test::id_of(two));
    }
    CHECK(x(0).item<std::uint32_t>() == slow);
  });
}

TEST_CASE("arrays, queues and events of another device") {
  const std::vector<kn::Device> devices = kn::devices();
  if (devices.size() < 2) return;
  Array x = kn::zeros({8}, {.dtype = kn::int32, .device = devices[1]});
  const kn::Queue queue(devices[1]);
  check_refused<kn::DeviceError>([&] { kernel("fill")({8}, x, 1); },
                                 {"argument 0", devices[0].selector().c_str(), devices[1].selector().c_str()});
  Array y = numbered({8});
  check_refused<kn::DeviceError>([&] { kernel("fill")({.global = {8}, .queue = queue}, y, 1); }, {"queue"});
  const kn::Program there(source, {.device = devices[1]});
  CHECK(there.device() == devices[1]);
  there.kernel("fill")({.global = {8}, .queue = queue}, x, 6);
  kernel("fill")({.global = {8}, .after = {queue.record()}}, y, 2);
  CHECK(x.to_vector<int>() == std::vector<int>(8, 6));
  CHECK(y.to_vector<int>() == std::vector<int>(8, 2));
}

TEST_CASE("arrays without elements") {
  on_each_device([] {
    Array none, empty = kn::zeros({0}, {.dtype = kn::int32});
    kernel("fill")({0}, empty, 1);
    kernel("saxpy")({4}, none, none, 1.0f, 0);
    CHECK(empty.size() == 0);
    CHECK(kernel("fill")({0}, kn::out({0}, kn::int32), 1).shape() == kn::Shape{0});
    kn::synchronize();
  });
}
