// SPDX-License-Identifier: Apache-2.0
// Which of many elements have keys below a limit, in vectors. To be included inside a namespace without a name, behind
// host/fold_text.hpp and host/key_text.hpp.

/// A bit for each byte of a vector of lanes that are all ones or zero.
template <class Mask>
inline std::uint64_t bytes_of(Mask mask) {
#if defined(__AVX512BW__)
  return _mm512_movepi8_mask((__m512i)mask);
#elif defined(__AVX2__)
  return static_cast<std::uint32_t>(_mm256_movemask_epi8((__m256i)mask));
#elif defined(__SSE2__)
  return static_cast<std::uint32_t>(_mm_movemask_epi8((__m128i)mask));
#else
  unsigned char bytes[sizeof mask];
  __builtin_memcpy(bytes, &mask, sizeof mask);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < sizeof mask; ++i) bits |= static_cast<std::uint64_t>(bytes[i] & 1) << i;
  return bits;
#endif
}

template <class Key, int kind>
inline std::size_t keys_of_kind_below(const Key* from, std::size_t count, Key flip, Key infinity, Key limit,
                                      std::uint16_t* found) {
  using V = typename HostVector<Key>::Type;
  constexpr std::size_t lanes = HostVector<Key>::lanes, size = sizeof(Key);
  constexpr std::uint64_t lane = (std::uint64_t{1} << size) - 1;
  std::size_t kept = 0, i = 0;
  for (; count - i >= lanes; i += lanes) {
    std::uint64_t bytes = bytes_of(ordered_key<Key, true>(host_load<V>(from + i), kind, flip, infinity) < limit);
    while (bytes != 0) {
      const auto at = static_cast<std::size_t>(__builtin_ctzll(bytes));
      found[kept++] = static_cast<std::uint16_t>(i + at / size);
      bytes &= ~(lane << at);
    }
  }
  for (; i < count; ++i) {
    if (ordered_key<Key, true>(from[i], kind, flip, infinity) < limit) found[kept++] = static_cast<std::uint16_t>(i);
  }
  return kept;
}

/// A KeysBelow of functions.hpp.
template <class Key>
inline std::size_t keys_below(const void* elements, std::size_t count, const KeyOrder& order, std::uint64_t limit,
                              std::uint16_t* found) {
  const auto of_kind = [&]<int kind>(std::integral_constant<int, kind>) {
    return keys_of_kind_below<Key, kind>(static_cast<const Key*>(elements), count, static_cast<Key>(order.flip),
                                         static_cast<Key>(order.infinity), static_cast<Key>(limit), found);
  };
  return order.kind == 0   ? of_kind(std::integral_constant<int, 0>())
         : order.kind == 1 ? of_kind(std::integral_constant<int, 1>())
                           : of_kind(std::integral_constant<int, 2>());
}
