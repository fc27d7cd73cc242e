// SPDX-License-Identifier: Apache-2.0
// Bytes to a device, back, and between devices: sizes around every threshold, odd ones, offsets, several threads at
// once.
#include <doctest/doctest.h>
#include <signal.h>
#include <koine/koine.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "runtime/context.hpp"
#include "runtime/host_copy.hpp"
#include "runtime/staging.hpp"
#include "runtime/transfers.hpp"
#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;
using kn::base::in_parallel;
using kn::runtime::Context;
using kn::runtime::CopyStatus;
using kn::runtime::host_copy;
using kn::runtime::Staging;
using kn::runtime::Transfers;
using kn::test::on_each_device;

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// No two chunks of it are alike.
Bytes noise(std::size_t size, std::uint32_t seed) {
  std::mt19937 generator(seed);
  Bytes bytes(size);
  std::size_t i = 0;
  for (; i + 4 <= size; i += 4) {
    const auto word = static_cast<std::uint32_t>(generator());
    std::memcpy(bytes.data() + i, &word, 4);
  }
  for (; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(generator());
  return bytes;
}

/// Where two lists of bytes differ; nothing if they do not.
std::string difference(const Bytes& got, const Bytes& want) {
  if (got == want) return "";
  return kn::test::difference(got, want);
}

/// A buffer and a queue of a device, through the driver alone.
struct Memory {
  explicit Memory(std::size_t size, const kn::Device& device = kn::default_device())
      : context(Context::of(device)),
        queue(context.handle(), context.entry().device),
        buffer(context.handle(), CL_MEM_READ_WRITE, size) {}

  void fill(const Bytes& bytes) { queue.enqueueWriteBuffer(buffer, CL_TRUE, 0, bytes.size(), bytes.data()); }
  Bytes values(std::size_t size) {
    Bytes bytes(size);
    queue.enqueueReadBuffer(buffer, CL_TRUE, 0, size, bytes.data());
    return bytes;
  }
  Staging staging(std::uint64_t slot_bytes, std::size_t slots) {
    return {context.handle(), context.entry(), slot_bytes, slots};
  }

  Context& context;
  cl::CommandQueue queue;
  cl::Buffer buffer;
};

template <class F>
void on_each_staging_device(F test) {
  on_each_device([&] { test(); });
}

}  // namespace

TEST_CASE("host memory copied by several threads") {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, 3 * mebibyte + 1, 16 * mebibyte - 1, 16 * mebibyte,
                                 16 * mebibyte + 1, 23 * mebibyte + 12345}) {
    CAPTURE(size);
    const Bytes source = noise(size + 3, 1);
    Bytes target(size + 6, 0xab), expected = target;
    host_copy(target.data() + 3, source.data() + 1, size);
    if (size > 0) std::memcpy(expected.data() + 3, source.data() + 1, size);
    CHECK(difference(target, expected) == "");
  }
}

TEST_CASE("an exception of one thread leaves when all have ended") {
  std::atomic<int> calls{0};
  const auto work = [&] {
    const int call = calls.fetch_add(1);
    if (call % 2 == 1) throw std::runtime_error("an odd call");
  };
  CHECK_THROWS_AS(in_parallel(4, work), std::runtime_error);
  CHECK(calls == 4);
  calls = 0;
  in_parallel(1, [&] { ++calls; });
  CHECK(calls == 1);
}

TEST_CASE("signals are left to the program's own threads, but for those that a copy itself may raise") {
  std::atomic<int> others{0}, blocked{0}, own_blocked{0}, faults_blocked{0};
  const auto caller = std::this_thread::get_id();
  in_parallel(3, [&] {
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    const bool interrupts = sigismember(&mask, SIGINT) == 1 && sigismember(&mask, SIGALRM) == 1;
    if (std::this_thread::get_id() == caller) {
      own_blocked += interrupts;
    } else {
      ++others;
      blocked += interrupts;
      faults_blocked += sigismember(&mask, SIGSEGV) == 1 || sigismember(&mask, SIGBUS) == 1;
    }
  });
  CHECK(others == 2);
  CHECK(blocked == 2);
  CHECK(own_blocked == 0);
  CHECK(faults_blocked == 0);
}

TEST_CASE("staged transfers of any size through any number of slots") {
  on_each_staging_device([] {
    constexpr std::size_t whole = 20000;
    Memory memory(whole);
    for (const std::size_t slots : {1, 2, 5}) {
      Staging staging = memory.staging(1000, slots);
      for (const std::size_t size : {0, 1, 999, 1000, 1001, 2000, 5003, 12345}) {
        for (const std::size_t offset : {0, 1, 33, 4096}) {
          CAPTURE(slots);
          CAPTURE(size);
          CAPTURE(offset);
          const Bytes before = noise(whole, 2), values = noise(size + 1, 3);
          Bytes source = values, expected = before;
          std::memcpy(expected.data() + offset, values.data() + 1, size);
          memory.fill(before);
          CHECK(staging.write(memory.queue(), memory.buffer(), offset, source.data() + 1, size) == CL_SUCCESS);
          source.assign(source.size(), 0);  // may be reused at once
          CHECK(difference(memory.values(whole), expected) == "");

          Bytes target(size + 2, 0xcd), wanted = target;
          CHECK(staging.read(memory.queue(), memory.buffer(), offset, target.data() + 1, size) == CL_SUCCESS);
          std::memcpy(wanted.data() + 1, expected.data() + offset, size);
          CHECK(difference(target, wanted) == "");
        }
      }
      CHECK(staging.slots() >= 1);
      CHECK(staging.slots() <= slots);
    }
  });
}

TEST_CASE("staged transfers keep the queue's order") {
  on_each_staging_device([] {
    constexpr std::size_t size = 3 * mebibyte + 17;
    Memory a(size), b(size);
    Staging staging = a.staging(mebibyte / 4, 4);
    for (std::uint32_t round = 0; round < 5; ++round) {
      const Bytes first = noise(size, 10 + round), second = noise(size, 20 + round);
      Bytes copied(size), last(size);
      CHECK(staging.write(a.queue(), a.buffer(), 0, first.data(), size) == CL_SUCCESS);
      a.queue.enqueueCopyBuffer(a.buffer, b.buffer, 0, 0, size);
      CHECK(staging.write(a.queue(), a.buffer(), 0, second.data(), size) == CL_SUCCESS);
      CHECK(staging.read(a.queue(), b.buffer(), 0, copied.data(), size) == CL_SUCCESS);
      CHECK(staging.read(a.queue(), a.buffer(), 0, last.data(), size) == CL_SUCCESS);
      CHECK(difference(copied, first) == "");
      CHECK(difference(last, second) == "");
    }
  });
}

TEST_CASE("several threads share the slots") {
  on_each_staging_device([] {
    const kn::Device device = kn::default_device();
    constexpr std::size_t size = 300'001;
    Memory shared(1);
    Staging staging = shared.staging(10'000, 3);
    std::atomic<std::uint32_t> number{0};
    std::atomic<int> wrong{0};
    in_parallel(4, [&] {
      const std::uint32_t own = number.fetch_add(1);
      Memory memory(size, device);
      for (std::uint32_t round = 0; round < 4; ++round) {
        const Bytes values = noise(size, 100 * own + round);
        Bytes back(size);
        if (staging.write(memory.queue(), memory.buffer(), 0, values.data(), size) != CL_SUCCESS) ++wrong;
        if (staging.read(memory.queue(), memory.buffer(), 0, back.data(), size) != CL_SUCCESS) ++wrong;
        if (back != values) ++wrong;
      }
    });
    CHECK(wrong == 0);
    CHECK(staging.slots() <= 3);
  });
}

TEST_CASE("copies between two rings, in both directions at the same time") {
  const std::vector<kn::Device> devices = kn::devices();
  for (const kn::Device& one : devices) {
    for (const kn::Device& other : devices) {
      CAPTURE(one.selector());
      CAPTURE(other.selector());
      constexpr std::size_t size = 100'003;
      Memory a(size, one), b(size, other);
      // A single slot each: whoever takes them in another order than the rest waits for ever.
      Staging near = a.staging(100, 1), far = b.staging(100, 1);
      std::atomic<int> turn{0}, wrong{0};
      in_parallel(2, [&] {
        const bool there = turn.fetch_add(1) == 0;
        Memory from(size, there ? one : other), to(size, there ? other : one);
        Staging &source = there ? near : far, &target = there ? far : near;
        for (std::uint32_t round = 0; round < 3; ++round) {
          const Bytes values = noise(size, round + (there ? 50 : 60));
          from.fill(values);
          const CopyStatus status =
              Staging::copy(source, from.queue(), from.buffer(), 7, target, to.queue(), to.buffer(), 3, size - 7);
          if (!status.ok()) ++wrong;
          Bytes back = to.values(size - 4);
          if (std::memcmp(back.data() + 3, values.data() + 7, size - 7) != 0) ++wrong;
        }
      });
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("where the driver has no pinned memory, transfers go its own way") {
  on_each_staging_device([] {
    constexpr std::size_t size = 5003;
    Memory memory(size), other(size);
    const std::uint64_t impossible = std::uint64_t{1} << 60;
    Staging staging = memory.staging(impossible, 4), more = memory.staging(impossible, 4);
    const Bytes values = noise(size, 5);
    Bytes back(size);
    CHECK(staging.write(memory.queue(), memory.buffer(), 0, values.data(), size) == CL_SUCCESS);
    CHECK(staging.read(memory.queue(), memory.buffer(), 0, back.data(), size) == CL_SUCCESS);
    CHECK(difference(back, values) == "");
    CHECK(
        Staging::copy(staging, memory.queue(), memory.buffer(), 0, more, other.queue(), other.buffer(), 0, size).ok());
    CHECK(difference(other.values(size), values) == "");
    CHECK(staging.slots() == 0);
  });
}

TEST_CASE("a transfer that the driver refuses gives its code") {
  on_each_staging_device([] {
    Memory memory(1000);
    Staging staging = memory.staging(256, 2);
    Bytes values(2000);
    CHECK(staging.write(memory.queue(), memory.buffer(), 0, values.data(), values.size()) != CL_SUCCESS);
    CHECK(staging.read(memory.queue(), memory.buffer(), 0, values.data(), values.size()) != CL_SUCCESS);
    Memory target(2000);
    Staging more = memory.staging(256, 2);
    const CopyStatus source =
        Staging::copy(staging, memory.queue(), memory.buffer(), 0, more, target.queue(), target.buffer(), 0, 2000);
    CHECK(source.source != CL_SUCCESS);
    CHECK(source.target == CL_SUCCESS);
    const CopyStatus back =
        Staging::copy(more, target.queue(), target.buffer(), 0, staging, memory.queue(), memory.buffer(), 0, 2000);
    CHECK(back.source == CL_SUCCESS);
    CHECK(back.target != CL_SUCCESS);
    // And the ring works on.
    CHECK(staging.write(memory.queue(), memory.buffer(), 0, values.data(), 1000) == CL_SUCCESS);
  });
}

TEST_CASE("arrays of sizes around the thresholds come back as they were") {
  on_each_device([] {
    for (const std::size_t around : {std::size_t{1}, 4 * mebibyte, 64 * mebibyte}) {
      for (const std::size_t size : {around - 1, around, around + 1}) {
        CAPTURE(size);
        const Bytes values = noise(size, 7);
        Bytes source = values;
        const Array x = kn::asarray(source);
        source.assign(size, 0);
        Bytes back(size);
        x.copy_to(back);
        CHECK(difference(back, values) == "");
      }
    }
  });
}

TEST_CASE("parts of arrays are read from where they begin") {
  on_each_device([] {
    const std::size_t size = 66 * mebibyte + 5;
    const Bytes values = noise(size, 8);
    const Array x = kn::asarray(values);
    for (const std::size_t first : {std::size_t{1}, std::size_t{77}, 3 * mebibyte + 1}) {
      CAPTURE(first);
      CHECK(difference(x(kn::slice(first, kn::none)).to_vector<std::uint8_t>(),
                       Bytes(values.begin() + static_cast<std::ptrdiff_t>(first), values.end())) == "");
    }
  });
}

TEST_CASE("threads with transfers of their own do not disturb each other") {
  on_each_staging_device([] {
    const kn::Device device = kn::default_device();
    std::atomic<std::uint32_t> number{0};
    std::atomic<int> wrong{0};
    in_parallel(4, [&] {
      const kn::DeviceScope scope(device);
      const std::uint32_t own = number.fetch_add(1);
      for (const std::size_t size : {100'000 + own, static_cast<std::uint32_t>(5 * mebibyte) + own,
                                     static_cast<std::uint32_t>(65 * mebibyte) + own}) {
        const Bytes values = noise(size, own);
        const Array x = kn::asarray(values);
        if (x.to_vector<std::uint8_t>() != values) ++wrong;
      }
    });
    CHECK(wrong == 0);
  });
}

TEST_CASE("to_device between any two devices") {
  const std::vector<kn::Device> devices = kn::devices();
  for (const kn::Device& from : devices) {
    for (const kn::Device& to : devices) {
      CAPTURE(from.selector());
      CAPTURE(to.selector());
      for (const std::size_t size :
           {std::size_t{0}, std::size_t{1}, std::size_t{100'001}, 4 * mebibyte + 3, 64 * mebibyte, 65 * mebibyte + 1}) {
        CAPTURE(size);
        const Bytes values = noise(size, 9);
        Array there = kn::asarray(values, {.device = from}).to_device(to);
        CHECK(there.device() == to);
        CHECK(difference(there.to_vector<std::uint8_t>(), values) == "");
      }
      // What is pending is computed first; a view arrives in row-major order; neither array is the other's.
      const Array x = kn::arange(6000, {.device = from}), part = kn::reshape(x * 2, {60, 100}).T();
      Array moved = part.to_device(to);
      CHECK(moved.to_vector<int>() ==
            kn::test::by_position<int>({100, 60}, [](const kn::Shape& p) { return 2 * (p[1] * 100 + p[0]); }));
      moved(0, 0) = 5;
      CHECK(part(0, 0).item<int>() == 0);
      CHECK(x.to_device(to).to_device(from)(5999).item<int>() == 5999);
    }
  }
}

TEST_CASE("every way between host, cards and devices that share memory") {
  // A device that says it is a card with memory of its own is treated as one, whatever it is.
  on_each_staging_device([] {
    const kn::cl::DeviceEntry& entry = kn::default_device().record();
    kn::cl::DeviceEntry as_card = entry, as_shared = entry;
    as_card.traits.device_class = kn::DeviceType::gpu;
    as_card.traits.unified_memory = false;
    as_shared.traits.unified_memory = true;
    for (const std::size_t size :
         {std::size_t{5}, 4 * mebibyte - 1, 4 * mebibyte, 9 * mebibyte + 11, 64 * mebibyte + 3}) {
      const Bytes values = noise(size, 11);
      for (const kn::cl::DeviceEntry* source : {&as_card, &as_shared}) {
        for (const kn::cl::DeviceEntry* target : {&as_card, &as_shared}) {
          CAPTURE(size);
          CAPTURE(source == &as_card);
          CAPTURE(target == &as_card);
          Memory a(size + 3), b(size + 5);
          Transfers from(*source, a.context.handle()), to(*target, b.context.handle());
          CHECK(from.write(a.queue(), a.buffer(), 3, values.data(), size) == CL_SUCCESS);
          CHECK(Transfers::copy({from, a.queue(), a.buffer(), 3}, {to, b.queue(), b.buffer(), 5}, size).ok());
          Bytes back(size);
          CHECK(to.read(b.queue(), b.buffer(), 5, back.data(), size) == CL_SUCCESS);
          CHECK(difference(back, values) == "");
        }
      }
    }
  });
}
