// SPDX-License-Identifier: Apache-2.0
// Borrowed host memory: used where it lies, never written, never read past its pages, and free once the array is gone.
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/arrays.hpp"
#include "support/child.hpp"
#include "support/devices.hpp"
#include "support/inner.hpp"

namespace kn = koine;
using kn::Array;
using kn::slice;
using kn::test::check_array;
using kn::test::check_child;
using kn::test::difference;
using kn::test::has;
using kn::test::message_of;
using kn::test::on_each_device;

namespace {

/// Pages between two that nobody may touch. Values lie at their start or at their very end.
class Fenced {
 public:
  explicit Fenced(std::size_t bytes)
      : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))), inner_((bytes + page_ - 1) / page_ * page_) {
    whole_ = static_cast<std::byte*>(
        mmap(nullptr, inner_ + 2 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(whole_ != MAP_FAILED);
    mprotect(whole_, page_, PROT_NONE);
    mprotect(whole_ + page_ + inner_, page_, PROT_NONE);
  }
  ~Fenced() { munmap(whole_, inner_ + 2 * page_); }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;

  /// Whoever writes from now on dies.
  void seal() { mprotect(whole_ + page_, inner_, PROT_READ); }
  void open() { mprotect(whole_ + page_, inner_, PROT_READ | PROT_WRITE); }

  template <class T>
  std::span<T> at_start(std::size_t count, std::size_t skip = 0) {
    return {reinterpret_cast<T*>(whole_ + page_) + skip, count};
  }
  template <class T>
  std::span<T> at_end(std::size_t count, std::size_t skip = 0) {
    return {reinterpret_cast<T*>(whole_ + page_ + inner_) - count - skip, count};
  }

 private:
  std::size_t page_, inner_;
  std::byte* whole_;
};

bool shares_memory() { return kn::test::facts_of().shares_memory; }

template <class T>
void number(std::span<T> values) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(static_cast<float>(i % 61) - 30.0f);
}
template <>
void number(std::span<std::uint8_t> values) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint8_t>(i % 61);
}

// Borrowing from what is about to vanish is a mistake that the compiler finds.
template <class Range>
concept Borrowable = requires(Range&& range) {
  kn::borrow(std::forward<Range>(range));
};
static_assert(Borrowable<std::vector<float>&>);
static_assert(Borrowable<const std::vector<float>&>);
static_assert(Borrowable<std::span<const float>>);
static_assert(!Borrowable<std::vector<float>>);

/// Every kind of kernel that reads it gives what it gives for a copy of the same values.
template <class T>
void check_reads(std::span<T> memory) {
  const std::vector<T> values(memory.begin(), memory.end());
  const std::vector<T> reversed(values.rbegin(), values.rend());
  CAPTURE(values.size());
  CAPTURE(reinterpret_cast<std::uintptr_t>(memory.data()) % 4096);
  const Array x = kn::borrow(memory), copy = kn::asarray(values);
  const auto n = static_cast<std::int64_t>(values.size());
  CHECK(difference(x.to_vector<T>(), values) == "");
  CHECK(difference((x + x).template to_vector<T>(), (copy + copy).template to_vector<T>()) == "");
  if constexpr (sizeof(T) == 2) {  // the loads are what matters here: fewer kernels to compile
    const Array row = kn::reshape(x, {1, n}), other = kn::reshape(copy, {1, n});
    CHECK(difference(kn::sum(x).to_vector<float>(), kn::sum(copy).to_vector<float>()) == "");
    CHECK(difference(kn::matmul(row.T(), row).to_vector<float>(), kn::matmul(other.T(), other).to_vector<float>()) ==
          "");
    return;
  }
  CHECK(difference(kn::flip(x).to_vector<T>(), reversed) == "");
  CHECK(difference((kn::flip(x) * 1).template to_vector<T>(), reversed) == "");
  CHECK(difference(kn::sum(x).to_vector<float>(), kn::sum(copy).to_vector<float>()) == "");
  CHECK(kn::argmax(x).item<std::int64_t>() == std::max_element(values.begin(), values.end()) - values.begin());
  CHECK((x(n - 1) == copy(n - 1)).item<bool>());
  CHECK(difference(kn::concat({x, x}).to_vector<T>(), kn::concat({copy, copy}).to_vector<T>()) == "");
  CHECK(difference(kn::take(x, kn::asarray(std::vector<std::int64_t>{n - 1, 0, -n})).to_vector<T>(),
                   {values.back(), values.front(), values.front()}) == "");
  if (n % 3 == 0) {
    const Array m = kn::reshape(x, {3, n / 3}), c = kn::reshape(copy, {3, n / 3});
    CHECK(difference(kn::sum(m, {.axis = 0}).to_vector<float>(), kn::sum(c, {.axis = 0}).to_vector<float>()) == "");
    CHECK(difference(kn::sum(m, {.axis = 1}).to_vector<float>(), kn::sum(c, {.axis = 1}).to_vector<float>()) == "");
    CHECK(difference(kn::matmul(m, m.T()).to_vector<float>(), kn::matmul(c, c.T()).to_vector<float>()) == "");
    CHECK(difference(kn::matmul(m, x(slice(0, n / 3))).to_vector<float>(),
                     kn::matmul(c, copy(slice(0, n / 3))).to_vector<float>()) == "");
    CHECK(difference(kn::matmul(m.T(), m).to_vector<float>(), kn::matmul(c.T(), c).to_vector<float>()) == "");
  }
}

template <class T>
void check_fenced(const std::vector<std::size_t>& skips) {
  on_each_device([&] {
    for (const std::size_t count : {1, 3, 30, 63, 64, 99, 513}) {
      // Bytes are read as floats are, by kernels of their own for rows of each kind.
      if (sizeof(T) == 1 && count != 1 && count != 30 && !kn::test::all_variants()) continue;
      for (const std::size_t skip : skips) {
        for (const bool at_end : {false, true}) {
          Fenced fenced((count + skip) * sizeof(T));
          const std::span<T> memory = at_end ? fenced.at_end<T>(count, skip) : fenced.at_start<T>(count, skip);
          number(memory);
          fenced.seal();
          check_reads(memory);
        }
      }
    }
  });
}

/// Work that reads `x` for a while.
Array long_work(const Array& x) {
  Array y = x;
  for (int i = 0; i < 40; ++i) y = kn::exp(-y * y) + x;
  return kn::sum(y);
}

}  // namespace

TEST_CASE("borrowed floats, next to memory that must not be touched") { check_fenced<float>({0, 1, 5, 33}); }
TEST_CASE("borrowed bytes, next to memory that must not be touched") { check_fenced<std::uint8_t>({0, 1, 77}); }
TEST_CASE("borrowed halves, next to memory that must not be touched") { check_fenced<kn::float16_t>({0, 3}); }

TEST_CASE("larger borrowed matrices, next to memory that must not be touched") {
  on_each_device([] {
    for (const std::int64_t side : {65, 131}) {
      const auto count = static_cast<std::size_t>(side * side);
      for (const bool at_end : {false, true}) {
        Fenced fenced(count * sizeof(float));
        const std::span<float> memory = at_end ? fenced.at_end<float>(count) : fenced.at_start<float>(count);
        number(memory);
        fenced.seal();
        const Array a = kn::borrow(memory, {side, side}), b = kn::asarray(memory, {side, side});
        CHECK(difference(kn::matmul(a, a).to_vector<float>(), kn::matmul(b, b).to_vector<float>()) == "");
        CHECK(difference(kn::matmul(a.T(), a).to_vector<float>(), kn::matmul(b.T(), b).to_vector<float>()) == "");
        CHECK(difference(kn::matmul(a, a(0)).to_vector<float>(), kn::matmul(b, b(0)).to_vector<float>()) == "");
        CHECK(difference(kn::matmul(a(0), a).to_vector<float>(), kn::matmul(b(0), b).to_vector<float>()) == "");
        CHECK(difference((a.T() + 1).to_vector<float>(), (b.T() + 1).to_vector<float>()) == "");
        CHECK(difference(kn::sum(a, {.axis = 0}).to_vector<float>(), kn::sum(b, {.axis = 0}).to_vector<float>()) == "");
      }
    }
  });
}

TEST_CASE("borrowed memory of every alignment that an element type may have") {
  on_each_device([] {
    alignas(16) static std::byte storage[4096];
    // A complex128 may lie 8 bytes off its own size, which no element offset expresses: it is copied.
    for (const std::size_t shift : {0, 8, 16, 24}) {
      if (!kn::test::computes(kn::complex128)) break;
      auto* const first = reinterpret_cast<std::complex<double>*>(storage + shift);
      for (int i = 0; i < 5; ++i) first[i] = {double(i), -double(i)};
      check_array<std::complex<double>>(kn::borrow(std::span(first, 5)) * 2, {5},
                                        {{0, 0}, {2, -2}, {4, -4}, {6, -6}, {8, -8}});
    }
    for (std::size_t shift = 0; shift < 260; shift += 4) {
      auto* const first = reinterpret_cast<std::int32_t*>(storage + shift);
      for (int i = 0; i < 37; ++i) first[i] = i;
      const Array x = kn::borrow(std::span<const std::int32_t>(first, 37));
      CHECK(kn::sum(x).item<int>() == 666);
      CHECK(x(slice(5, 8)).to_vector<int>() == std::vector<int>{5, 6, 7});
    }
  });
}

TEST_CASE("borrowed memory is used where it lies, and counts for nothing") {
  on_each_device([] {
    if (!shares_memory()) return;
    const kn::Device device = kn::default_device();
    std::vector<float> values(1 << 20, 1.0f);
    kn::synchronize(device);
    const kn::MemoryStats before = kn::memory_stats(device);
    {
      const Array x = kn::borrow(values);
      CHECK(kn::memory_stats(device).in_use == before.in_use);
      values[0] = 5.0f;  // Nothing has read it yet, so this shows where the array's values are.
      CHECK(x(0).item<float>() == 5.0f);
    }
    CHECK(kn::memory_stats(device).held <= before.held + 4096);
    CHECK(kn::memory_stats(device).in_use == before.in_use);
  });
}

TEST_CASE("an assignment never writes to borrowed memory") {
  on_each_device([] {
    Fenced fenced(4096);
    const std::span<float> memory = fenced.at_start<float>(1000, 3);
    number(memory);
    fenced.seal();
    Array x = kn::borrow(memory);
    x(0) = 100.0;
    x(slice(1, 3)) = x(slice(5, 7));
    x(slice(10, 20)) += 1000.0;
    CHECK(x(0).item<float>() == 100.0f);
    CHECK(x(2).item<float>() == memory[6]);
    CHECK(x(10).item<float>() == memory[10] + 1000.0f);
    CHECK(memory[0] == -30.0f);

    Array part = kn::borrow(memory)(slice(2, 12));
    part(0) = 7.0;
    CHECK(part(0).item<float>() == 7.0f);
    CHECK(memory[2] == -28.0f);

    Array y = kn::borrow(memory);
    y += 1.0;
    y = y * 2.0;
    y.eval();
    CHECK(y(0).item<float>() == -58.0f);
  });
}

TEST_CASE("the memory may be freed as soon as the last array is gone") {
  on_each_device([] {
    constexpr std::size_t count = 1 << 18;
    float expected = 0;
    for (int round = 0; round < 4; ++round) {
      Array result;
      {
        // Unmapped right after: work that still read it would end the process.
        Fenced fenced(count * sizeof(float));
        const std::span<float> memory = fenced.at_start<float>(count);
        std::fill(memory.begin(), memory.end(), 0.5f);
        result = long_work(kn::borrow(memory)).eval();
      }
      if (round == 0) expected = result.item<float>();
      CHECK(result.item<float>() == expected);
    }
    CHECK(expected != 0.0f);
  });
}

TEST_CASE("pending work holds borrowed memory") {
  on_each_device([] {
    std::vector<int> values(1000, 3);
    Array pending = kn::borrow(values) * 2;
    const Array copy = kn::borrow(values);
    CHECK(kn::sum(pending).item<int>() == 6000);
    CHECK(kn::sum(copy).item<int>() == 3000);
    for (const kn::Device& other : kn::devices()) {
      CHECK(kn::sum(kn::borrow(values).to_device(other)).item<int>() == 3000);
    }
  });
}

TEST_CASE("what borrow is asked for in vain, or must copy for") {
  on_each_device([] {
    const std::vector<float> five(5, 1.5f);
    const std::string message = message_of<kn::ShapeError>([&] { kn::borrow(five, {2, 3}); });
    CHECK(has(message, "[borrow]"));
    CHECK(has(message, "(2, 3)"));
    CHECK(has(message, "6"));
    CHECK(has(message, "5"));
    CHECK_THROWS_AS(kn::borrow(five, {4}), kn::ShapeError);
    CHECK_THROWS_AS(kn::borrow(five, {-5}), kn::ShapeError);
    const std::vector<std::complex<float>> complex(3);
    CHECK_THROWS_AS(kn::borrow(complex, {.dtype = kn::float32}), kn::DTypeError);
    check_array<int>(kn::borrow(five, {.dtype = kn::int32}), {5}, {1, 1, 1, 1, 1});
    check_array<float>(kn::borrow(five, {5, 1}), {5, 1}, five);
    const std::vector<float> none_there;
    check_array<float>(kn::borrow(none_there), {0}, {});
    CHECK(kn::sum(kn::borrow(none_there, {0, 4})).item<float>() == 0.0f);
  });
}

TEST_CASE("borrowed memory is read into what lies before it") {
  on_each_device([] {
    // A buffer over borrowed memory begins at an even address before it, which may be the very place to read into.
    for (const std::size_t before : {3, 4, 8, 12}) {
      CAPTURE(before);
      alignas(4096) std::uint64_t memory[64] = {};
      for (std::uint64_t i = 0; i < 3; ++i) memory[before + i] = i + 1;
      kn::borrow(std::span(memory + before, 3)).copy_to(std::span(memory, 3));
      CHECK(difference(std::vector(memory, memory + 3), {1, 2, 3}) == "");
    }
  });
}

TEST_CASE("more borrowed memory than one buffer may have") {
  on_each_device([] {
    const std::size_t size = kn::test::facts_of().largest_buffer + 1;
    if (size > std::size_t{1} << 40) return;
    void* const memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return;
    const std::string message =
        message_of<kn::OutOfMemory>([&] { kn::borrow(std::span(static_cast<const std::uint8_t*>(memory), size)); });
    CHECK(has(message, "[borrow]"));
    CHECK(has(message, "at once"));
    munmap(memory, size);
  });
}

TEST_CASE("child: borrowed memory outlives main" * doctest::skip()) {
  static std::vector<float> values;
  static Array kept, pending;
  values.assign(1 << 20, 0.5f);
  kept = kn::borrow(values);
  pending = kept * 2.0;
  const Array running = long_work(kept).eval();
  std::exit(0);
}

TEST_CASE("child: the array was made later than its memory" * doctest::skip()) {
  static std::vector<float> values(1 << 20, 0.5f);
  static const Array kept = kn::borrow(values);
  long_work(kept).eval();
  std::exit(0);
}

TEST_CASE("a process may end with borrowed memory in use") {
  check_child("child: borrowed memory outlives main");
  check_child("child: the array was made later than its memory");
}

TEST_CASE("a copy has memory of its own") {
  on_each_device([&] {
    std::vector<float> values(4096, 1.0f);
    const Array x = kn::borrow(values);
    const Array copy = x.copy(), square = kn::reshape(x, {64, 64}, {.copy = true});
    kn::eval(copy, square);
    kn::synchronize();
    std::fill(values.begin(), values.end(), 2.0f);
    CHECK(difference(copy.to_vector<float>(), std::vector<float>(4096, 1.0f)) == "");
    CHECK(difference(square.to_vector<float>(), std::vector<float>(4096, 1.0f)) == "");
  });
}

TEST_CASE("a copy of a part lets go of the whole") {
  const kn::Device device = kn::default_device();
  const auto before = kn::memory_stats(device).in_use;
  Array whole = kn::ones(1 << 20) * 3;
  whole.eval();
  const Array part = whole(slice(7, 10)).copy();
  part.eval();
  whole = part;
  CHECK(kn::memory_stats(device).in_use < before + (1 << 20));
  CHECK(difference(part.to_vector<float>(), {3, 3, 3}) == "");
}
