// SPDX-License-Identifier: Apache-2.0
// A note of the largest request for memory, so that a small file that asks for much shows, whether or not the machine
// would have had it.
#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "targets.hpp"

#if defined(__has_feature)
#define KOINE_HAS_FEATURE(x) __has_feature(x)
#else
#define KOINE_HAS_FEATURE(x) 0
#endif

namespace {

std::size_t largest = 0;

}  // namespace

std::size_t koine::fuzz::largest_request() { return std::exchange(largest, 0); }

#if defined(__SANITIZE_ADDRESS__) || KOINE_HAS_FEATURE(address_sanitizer)
// The sanitizer has an operator new of its own.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void*, std::size_t),
                                                         void (*free_hook)(const volatile void*));
namespace {

[[maybe_unused]] const int installed = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t size) { largest = std::max(largest, size); }, [](const volatile void*) {});

}  // namespace
#else
void* operator new(std::size_t size) {
  largest = std::max(largest, size);
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif
