// SPDX-License-Identifier: Apache-2.0
// Memory of small objects that are made and destroyed by the thousand, as the nodes of expressions are.
#pragma once

#include <cstddef>
#include <new>

namespace koine::base {

/// An allocator for std::allocate_shared. Each thread keeps the memory of objects of one type that it has destroyed, up
/// to so many, for the next ones: the C library's own cache has room for seven, and beyond them joins and splits what
/// is freed. Under AddressSanitizer, which is to see each object's end, nothing is kept.
template <class T>
class Recycled {
 public:
  using value_type = T;

  Recycled() = default;
  template <class Other>
  Recycled(const Recycled<Other>&) noexcept {}

  T* allocate(std::size_t count) {
    static_assert(sizeof(T) >= sizeof(Free) && alignof(T) >= alignof(Free) &&
                  alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
    if (count == 1) {
      if (Kept* const kept = Kept::of_thread(); kept != nullptr && kept->first != nullptr) {
        --kept->count;
        Free* const block = kept->first;
        kept->first = block->next;
        return reinterpret_cast<T*>(block);
      }
    }
    return static_cast<T*>(::operator new(count * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    if (count == 1) {
      if (Kept* const kept = Kept::of_thread(); kept != nullptr && kept->count < most) {
        ++kept->count;
        kept->first = ::new (memory) Free{kept->first};
        return;
      }
    }
    ::operator delete(memory);
  }

  template <class Other>
  bool operator==(const Recycled<Other>&) const noexcept {
    return true;
  }

 private:
  static constexpr std::size_t most = 1024;
  struct Free {
    Free* next;
  };

  struct Kept {
    Free* first = nullptr;
    std::size_t count = 0;

    ~Kept() {
      ended() = true;
      while (first != nullptr) {
        Free* const block = first;
        first = block->next;
        ::operator delete(block);
      }
    }
    /// Outlives it: objects of the whole process are destroyed later than those of its last thread.
    static bool& ended() noexcept {
      static thread_local bool value = false;
      return value;
    }
    /// Null where nothing is kept, or no longer.
    static Kept* of_thread() noexcept {
#if defined(__SANITIZE_ADDRESS__)
      return nullptr;
#else
      if (ended()) return nullptr;
      static thread_local Kept kept;
      return &kept;
#endif
    }
  };
};

}  // namespace koine::base
