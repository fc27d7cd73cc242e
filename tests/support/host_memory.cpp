// SPDX-License-Identifier: Apache-2.0
// `operator new` for the whole program, which fails by order, and `operator delete`, which gives back late. There is
// one order at a time.
#include "support/host_memory.hpp"

#include <malloc.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <new>
#include <string_view>

namespace koine::test {

namespace {

struct Order {
  std::atomic<bool> active{false};
  bool (*foreign)() = nullptr;  // null: one thread alone
  std::uint64_t skip = 0, count = 0;
  std::atomic<std::uint64_t> asked{0}, failed{0};
};
constinit Order order;
constinit thread_local bool ordered_here = false;

bool fails() noexcept {
  if (!order.active.load(std::memory_order_acquire)) return false;
  if (order.foreign == nullptr ? !ordered_here : order.foreign()) return false;
  const std::uint64_t number = order.asked.fetch_add(1);
  if (number < order.skip || number - order.skip >= order.count) return false;
  order.failed.fetch_add(1);
  return true;
}

[[maybe_unused]] void* allocated(std::size_t size) {
  if (!fails()) {
    if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  }
  throw std::bad_alloc();
}

// From 5.0 on, PoCL's compiler remembers by its address whether an instruction gives all work-items the same, and goes
// by that for whatever is made there when the instruction is gone (VariableUniformityAnalysisResult::invalidate). In
// some processes kernels then lose at barriers what work-items hold: users' kernels, and where PoCL plays a card the
// library's. Here nothing is made for a long while where something was. It costs a fifth of the time of tests that
// compile, which ci/test.sh saves with KOINE_TEST_FREE=at_once where PoCL is older.
[[maybe_unused]] const bool at_once = [] {
  const char* const when = std::getenv("KOINE_TEST_FREE");
  return when != nullptr && std::string_view(when) == "at_once";
}();

[[maybe_unused]] void free_late(void* memory) noexcept {
  constexpr std::size_t largest = 512;  // of an instruction, in bytes
  static constinit std::array<std::atomic<void*>, 1 << 18> kept{};
  static constinit std::atomic<std::size_t> count{0};
  if (!at_once && malloc_usable_size(memory) <= largest) {
    memory = kept[count++ % kept.size()].exchange(memory);
  }
  std::free(memory);
}

}  // namespace

NoMemory::NoMemory(std::uint64_t skip, std::uint64_t count) : NoMemory(skip, count, nullptr) {}

NoMemory::NoMemory(std::uint64_t skip, std::uint64_t count, bool (*foreign)()) {
  order.foreign = foreign;
  order.skip = skip;
  order.count = count;
  order.asked = 0;
  order.failed = 0;
  ordered_here = foreign == nullptr;
  order.active.store(true, std::memory_order_release);
}

NoMemory::~NoMemory() { stop(); }

void NoMemory::stop() { order.active.store(false, std::memory_order_release); }

std::uint64_t NoMemory::failed() const { return order.failed; }

}  // namespace koine::test

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void* operator new(std::size_t size) { return koine::test::allocated(size); }
void operator delete(void* memory) noexcept { koine::test::free_late(memory); }
void operator delete(void* memory, std::size_t) noexcept { koine::test::free_late(memory); }
#endif
