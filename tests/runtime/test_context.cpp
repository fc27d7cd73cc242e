// SPDX-License-Identifier: Apache-2.0
// A device's context: memory, programs, launches, and how queues come after each other.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <koine/koine.hpp>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "runtime/context.hpp"
#include "runtime/launch.hpp"
#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/slow_kernel.hpp"

namespace kn = koine;
using kn::runtime::BufferRef;
using kn::runtime::Context;
using kn::runtime::KernelRef;
using kn::runtime::Launch;
using kn::runtime::ProgramText;
using kn::test::has;
using kn::test::message_of;
using kn::test::on_each_device;

namespace {

constexpr const char* add_source = R"(
kernel void test(global int* x, int step) { x[get_global_id(0)] += step; }
kernel void other(global int* x) { x[get_global_id(0)] = 7; }
)";

KernelRef add_kernel(Context& context, const char* entry = "test") {
  return context.kernel(
      "test:add",
      [] {
        return ProgramText{add_source, ""};
      },
      entry);
}

/// Enqueues the addition of 5 to x, of sixteen elements.
void add_slowly(kn::runtime::Queue& queue, const BufferRef& x) {
  const KernelRef kernel = queue.context().kernel("test:add slowly", [] {
    return ProgramText{kn::test::slow_kernel, "", "test"};
  });
  Launch(queue, kernel).out(*x).value(kn::test::slow_turns()).value(std::uint32_t{5}).run({16}, {16});
}

/// Like all contexts never destroyed, and kept in sight of leak checkers.
Context& new_context(const kn::cl::DeviceEntry& entry) {
  static auto& made = *new std::vector<Context*>;
  return *made.emplace_back(new Context(entry, ::cl::Context(entry.device)));
}

}  // namespace

TEST_CASE("memory goes in and out at any offset, and zeros are zeros") {
  for (const kn::Device& device : kn::devices()) {
    CAPTURE(device.selector());
    Context& context = Context::of(device);
    std::vector<unsigned char> data(100'003);
    std::iota(data.begin(), data.end(), static_cast<unsigned char>(1));
    const BufferRef a = context.queue().allocate(data.size(), "test");
    const BufferRef b = context.queue().allocate(data.size(), "test");
    CHECK(a->size() == data.size());
    CHECK(a->capacity() >= (data.size() + 127) / 128 * 128);
    context.queue().write(*a, 0, data.data(), data.size());
    context.queue().fill_zero(*b, 0, data.size());
    context.queue().copy(*b, 5, *a, 17, 1000);
    std::vector<unsigned char> back(data.size(), 0xff);
    context.queue().read(*b, 0, back.data(), back.size());
    CHECK(std::memcmp(back.data() + 5, data.data() + 17, 1000) == 0);
    back.erase(back.begin() + 5, back.begin() + 1005);
    CHECK(back == std::vector<unsigned char>(back.size(), 0));
    context.queue().write(*a, 33, "koine", 5);
    char text[6] = {};
    context.queue().read(*a, 33, text, 5);
    CHECK(std::string(text) == "koine");
    context.queue().read(*a, 0, nullptr, 0);
    CHECK(context.queue().allocate(0, "test")->size() == 0);
  }
}

TEST_CASE("launches run in order, with kernels of one program") {
  for (const kn::Device& device : kn::devices()) {
    CAPTURE(device.selector());
    Context& context = Context::of(device);
    const BufferRef x = context.queue().allocate(1024 * sizeof(int), "test");
    Launch(context.queue(), add_kernel(context, "other")).out(*x).run({1024}, {});
    for (int i = 0; i < 100; ++i) Launch(context.queue(), add_kernel(context)).out(*x).value(i).run({1024}, {64});
    Launch(context.queue(), add_kernel(context)).out(*x).value(1).run({0}, {64});
    std::vector<int> result(1024);
    context.queue().read(*x, 0, result.data(), result.size() * sizeof(int));
    CHECK(result == std::vector<int>(1024, 7 + 4950));
  }
}

TEST_CASE("threads that launch the same kernel do not mix their arguments; one of them builds it") {
  Context& context = Context::of(kn::default_device());
  std::atomic<int> builds{0};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      const BufferRef x = context.queue().allocate(256 * sizeof(int), "test");
      context.queue().fill_zero(*x, 0, 256 * sizeof(int));
      for (int i = 0; i < 200; ++i) {
        const auto make = [&] {
          ++builds;
          return ProgramText{add_source, "-D UNUSED=1"};
        };
        const KernelRef kernel = context.kernel("test:threads", make, "test");
        Launch(context.queue(), kernel).out(*x).value(t).run({256}, {64});
      }
      std::vector<int> result(256);
      context.queue().read(*x, 0, result.data(), result.size() * sizeof(int));
      if (result != std::vector<int>(256, 200 * t)) ++wrong;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(builds == 1);
  CHECK(wrong == 0);
}

TEST_CASE("a failed build carries the log, is forgotten, and harms nothing") {
  Context& context = Context::of(kn::default_device());
  const auto broken = [&] {
    context.kernel("test:broken", [] { return ProgramText{"kernel void test() { no_such_thing(); }", "", "test"}; });
  };
  const std::string text = message_of<kn::KernelBuildError>(broken);
  CAPTURE(text);
  CHECK(has(text, "no_such_thing"));
  CHECK(has(text, kn::default_device().selector()));
  CHECK_THROWS_AS(broken(), kn::KernelBuildError);
  CHECK_NOTHROW(context.kernel(
      "test:broken",
      [] {
        return ProgramText{add_source, ""};
      },
      "test"));
  CHECK_THROWS_AS(add_kernel(context, "missing"), kn::KernelBuildError);
}

TEST_CASE("a launch that cannot be says why, and later ones work") {
  Context& context = Context::of(kn::default_device());
  const BufferRef x = context.queue().allocate(1024, "test");
  const std::string group = message_of<kn::LaunchError>(
      [&] { Launch(context.queue(), add_kernel(context)).out(*x).value(1).run({256}, {48}); });
  CHECK(has(group, "work-groups of 48"));
  const std::string argument =
      message_of<kn::LaunchError>([&] { Launch(context.queue(), add_kernel(context)).out(*x).value(1.0); });
  CHECK(has(argument, "argument 1 (8 bytes)"));
  CHECK_NOTHROW(Launch(context.queue(), add_kernel(context)).out(*x).value(1).run({256}, {64}));
}

TEST_CASE("memory is pooled, counted and limited") {
  Context& context = Context::of(kn::default_device());
  context.finish();
  const kn::MemoryStats before = kn::memory_stats(kn::default_device());
  const std::uint64_t size = 10 << 20;
  {
    const BufferRef a = context.queue().allocate(size, "test");
    const kn::MemoryStats during = kn::memory_stats(kn::default_device());
    CHECK(during.in_use >= before.in_use + size);
    CHECK(during.peak >= during.in_use);
  }
  const kn::MemoryStats after = kn::memory_stats(kn::default_device());
  CHECK(after.in_use == before.in_use);
  CHECK(after.held >= size);
  cl_mem memory = nullptr;
  {
    const BufferRef b = context.queue().allocate(size, "test");
    memory = b->memory();
    CHECK(kn::memory_stats(kn::default_device()).held <= after.held - size);
  }
  CHECK(context.queue().allocate(size - 1000, "test")->memory() == memory);

  kn::set_memory_limit(kn::default_device(), before.in_use + 2 * size);
  CHECK(kn::memory_stats(kn::default_device()).held <= 2 * size);
  const BufferRef kept = context.queue().allocate(size, "test");
  const std::string text = message_of<kn::OutOfMemory>([&] { context.queue().allocate(2 * size, "ones"); });
  CAPTURE(text);
  CHECK(has(text, "[ones] 20 MiB do not fit"));
  CHECK_NOTHROW(context.queue().allocate(size / 2, "test"));
  kn::set_memory_limit(kn::default_device(), after.limit);
}

TEST_CASE("large blocks of the host's memory begin at different places of a core's first cache") {
  Context& context = Context::of(kn::default_device());
  std::vector<BufferRef> blocks;
  std::set<std::uintptr_t> places;
  for (int i = 0; i < 4; ++i) {
    blocks.push_back(context.queue().allocate((5 << 20) + (i << 12), "test"));
    if (blocks.back()->host() == nullptr) continue;
    const auto address = reinterpret_cast<std::uintptr_t>(blocks.back()->host());
    CHECK(address % 128 == 0);
    places.insert(address % 4096);
  }
  CHECK(places.size() == (blocks[0]->host() == nullptr ? 0 : blocks.size()));
}

TEST_CASE("a buffer larger than the device's largest is refused before the driver is asked") {
  Context& context = Context::of(kn::default_device());
  const std::uint64_t too_large = context.traits().max_allocation + 1;
  const std::string text = message_of<kn::OutOfMemory>([&] { context.queue().allocate(too_large, "zeros"); });
  CAPTURE(text);
  CHECK(has(text, "[zeros] one buffer of"));
  CHECK_NOTHROW(context.queue().allocate(1024, "test"));
}

TEST_CASE("while commands are recorded they go to a queue that records times, unless other code has the handle") {
  Context& context = Context::of(kn::default_device());
  const auto records_times = [](kn::runtime::Queue& queue) {
    cl_command_queue_properties properties = 0;
    clGetCommandQueueInfo(queue.handle(), CL_QUEUE_PROPERTIES, sizeof properties, &properties, nullptr);
    return (properties & CL_QUEUE_PROFILING_ENABLE) != 0;
  };
  const auto add = [&](kn::runtime::Queue& queue, const BufferRef& x) {
    Launch(queue, add_kernel(context)).out(*x).value(1).run({1024}, {64});
  };
  const std::shared_ptr<kn::runtime::Queue> queue = context.new_queue();
  const BufferRef x = queue->allocate(1024 * sizeof(int), "test");
  queue->fill_zero(*x, 0, 1024 * sizeof(int));
  kn::runtime::Recording recording(10);
  add(*queue, x);
  CHECK_FALSE(records_times(*queue));
  recording.start();
  add(*queue, x);
  CHECK(records_times(*queue));
  recording.stop();
  add(*queue, x);
  CHECK_FALSE(records_times(*queue));
  const cl_command_queue kept = queue->keep_handle();
  recording.start();
  add(*queue, x);
  CHECK(queue->handle() == kept);
  recording.stop();
  std::vector<int> values(1024);
  queue->read(*x, 0, values.data(), values.size() * sizeof(int));
  CHECK(values == std::vector<int>(1024, 4));
  const auto commands = recording.commands();
  REQUIRE(commands.size() == 2);
  CHECK(commands[0].name == commands[1].name);
  CHECK(commands[0].timed);
  CHECK(commands[0].end > commands[0].start);
  CHECK_FALSE(commands[1].timed);
}

TEST_CASE("programs load again from their binary") {
  Context& context = Context::of(kn::default_device());
  const KernelRef built = add_kernel(context);
  const BufferRef x = context.queue().allocate(64 * sizeof(int), "test");
  context.queue().fill_zero(*x, 0, 64 * sizeof(int));
  Launch(context.queue(), built).out(*x).value(1).run({64}, {64});
  context.finish();
  const auto binary = built->program().binary();
  REQUIRE_FALSE(binary.empty());
  const auto program = std::make_shared<const kn::cl::Program>(
      kn::cl::Program::from_binary(context.handle(), context.entry().device, context.traits(), binary));
  const auto loaded = std::make_shared<kn::runtime::Kernel>(program, "test");
  Launch(context.queue(), loaded).out(*x).value(41).run({64}, {64});
  std::vector<int> result(64);
  context.queue().read(*x, 0, result.data(), result.size() * sizeof(int));
  CHECK(result == std::vector<int>(64, 42));
}

TEST_CASE("a context that other code made works like our own") {
  const kn::cl::DeviceEntry& entry = kn::default_device().record();
  Context context(entry, ::cl::Context(entry.device));
  const BufferRef x = context.queue().allocate(4, "test");
  const int five = 5;
  context.queue().write(*x, 0, &five, 4);
  Launch(context.queue(), add_kernel(context)).out(*x).value(2).run({1}, {1});
  int result = 0;
  context.queue().read(*x, 0, &result, 4);
  CHECK(result == 7);
}

TEST_CASE("the forked child of a process that used a device gets an error, and the parent works on") {
  Context& context = Context::of(kn::default_device());
  const BufferRef x = context.queue().allocate(1024, "test");
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    // _exit, because the test framework's reports belong to the parent.
    const std::string text = message_of<kn::DeviceError>([&] { context.queue().allocate(1024, "zeros"); });
    _exit(has(text, "[zeros]") && has(text, "forked") ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK_NOTHROW(Launch(context.queue(), add_kernel(context)).out(*x).value(1).run({256}, {64}));
  context.finish();
}

TEST_CASE("work of the default queue from before there were others is waited for") {
  on_each_device([] {
    // A context of its own, so that there are none yet.
    const kn::cl::DeviceEntry& entry = kn::default_device().record();
    Context& context = new_context(entry);
    const auto x = context.queue().allocate(64, "test");
    context.queue().fill_zero(*x, 0, 64);
    add_slowly(context.queue(), x);
    const auto other = context.new_queue();
    std::vector<std::uint32_t> values(16);
    other->read(*x, 0, values.data(), 64);
    CHECK(values == std::vector<std::uint32_t>(16, 5));
  });
}

TEST_CASE("new memory that is dropped unused is not touched late") {
  // As on drivers that take no memory before a buffer is used: the touch is a command of the queue that asked.
  kn::cl::DeviceEntry entry = kn::default_device().record();
  entry.traits.quirks.lazy_allocation = true;
  static kn::cl::DeviceEntry& kept = *new kn::cl::DeviceEntry(entry);
  Context& context = new_context(kept);
  const auto other = context.new_queue();
  const auto x = context.queue().allocate(64, "test");
  context.queue().fill_zero(*x, 0, 64);
  add_slowly(context.queue(), x);
  context.finish();
  add_slowly(context.queue(), x);
  context.queue().allocate(5000, "test");  // touched behind the kernel, and dropped
  const auto y = other->allocate(5000, "test");
  const std::vector<std::uint8_t> ones(5000, 255);
  other->write(*y, 0, ones.data(), ones.size());
  context.finish();
  std::vector<std::uint8_t> values(5000);
  other->read(*y, 0, values.data(), values.size());
  CHECK(values == ones);
}
