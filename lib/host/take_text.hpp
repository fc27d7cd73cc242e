// SPDX-License-Identifier: Apache-2.0
// Elements by their positions along an axis. To be included inside a namespace without a name.

struct TwoWords {
  std::uint64_t words[2];
};

/// A Take of functions.hpp, of elements that are moved as T.
template <class T>
inline bool taken(void* to, const void* from, const std::int64_t* positions, const std::int64_t* offsets,
                  std::size_t count, std::int64_t size, std::int64_t stride) {
  const T* const elements = static_cast<const T*>(from);
  T* const results = static_cast<T*>(to);
  // As few instructions as can be between one read of an element and the next, so that many are under way at once.
  constexpr std::size_t block = 64;
  for (std::size_t begin = 0; begin < count; begin += block) {
    const std::size_t some = count - begin < block ? count - begin : block;
    const std::int64_t* const wanted = positions + begin;
    std::int64_t at[block];
    std::uint64_t outside = 0;
    for (std::size_t k = 0; k < some; ++k) {
      const std::int64_t found = wanted[k] + (wanted[k] < 0 ? size : 0);
      outside |= found < 0 || found >= size;
      at[k] = found;
    }
    if (outside) return false;
    for (std::size_t k = 0; k < some; ++k) at[k] = at[k] * stride + (offsets ? offsets[begin + k] : 0);
    for (std::size_t k = 0; k < some; ++k) results[begin + k] = elements[at[k]];
  }
  return true;
}
