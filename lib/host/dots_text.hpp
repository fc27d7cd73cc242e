// SPDX-License-Identifier: Apache-2.0
// Rows by a vector, in vectors by name: compilers keep the running values of plain loops in memory, which takes up to
// four times as long. To be included inside a namespace without a name, behind host/fold_text.hpp.

/// The first `count` elements, 0 behind them.
template <class T>
inline typename HostVector<T>::Type load_some(const T* from, std::size_t count) {
  using V = typename HostVector<T>::Type;
#if defined(__AVX512F__)
  const auto mask = (1U << count) - 1;
  if constexpr (sizeof(T) == 4) return (V)_mm512_maskz_loadu_ps(mask, from);
  if constexpr (sizeof(T) == 8) return (V)_mm512_maskz_loadu_pd(mask, from);
#elif defined(__AVX2__)
  if constexpr (sizeof(T) == 4) {
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return (V)_mm256_maskload_ps(from, _mm256_cmpgt_epi32(_mm256_set1_epi32(count), lanes));
  } else {
    const __m256i lanes = _mm256_setr_epi64x(0, 1, 2, 3);
    return (V)_mm256_maskload_pd(from, _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), lanes));
  }
#else
  return [&]<std::size_t... I>(std::index_sequence<I...>) { return V{(I < count ? from[I] : T())...}; }
  (std::make_index_sequence<HostVector<T>::lanes>());
#endif
}

/// Blocks of 2 * half lanes, of a and then of b, each of which becomes the sum of its halves.
template <int half, class V, int... I>
inline V halves_added(V a, V b, std::integer_sequence<int, I...>) {
  constexpr auto low = [](int lane) { return lane / half * 2 * half + lane % half; };
  return __builtin_shufflevector(a, b, low(I)...) + __builtin_shufflevector(a, b, (low(I) + half)...);
}
/// A block of so many lanes becomes its sum, in its first lane.
template <int width, class V, int... I>
inline V blocks_added(V v, std::integer_sequence<int, I...> lanes) {
  if constexpr (width > 1) {
    v += __builtin_shufflevector(v, v, (I ^ (width / 2))...);
    return blocks_added<width / 2>(v, lanes);
  } else {
    return v;
  }
}

/// The sums of four vectors, each added up by halves.
template <class T, class V>
inline void add_up_four(const V* v, T* sums) {
  constexpr int lanes = sizeof(V) / sizeof(T);
  constexpr auto all = std::make_integer_sequence<int, lanes>();
  const V first = halves_added<lanes / 2>(v[0], v[1], all), second = halves_added<lanes / 2>(v[2], v[3], all);
  if constexpr (lanes == 2) {
    for (int i = 0; i < 2; ++i) sums[i] = first[i], sums[2 + i] = second[i];
  } else {
    const V each = blocks_added<lanes / 4>(halves_added<lanes / 4>(first, second, all), all);
    for (int i = 0; i < 4; ++i) sums[i] = each[i * (lanes / 4)];
  }
}

/// Products of functions.hpp, of four rows at a time, each in 64 bytes of running values.
template <class T>
inline void dots(void* sums, const void* matrix, std::size_t leading, const void* vector, std::size_t rows,
                 std::size_t depth) {
  using V = typename HostVector<T>::Type;
  constexpr std::size_t lanes = HostVector<T>::lanes, some = 64 / sizeof(T), parts = some / lanes, together = 4;
  T* const to = static_cast<T*>(sums);
  const T* const x = static_cast<const T*>(vector);
  for (std::size_t row = 0; row < rows; row += together) {
    const std::size_t count = rows - row < together ? rows - row : together;
    const T* a[together];
    for (std::size_t r = 0; r < together; ++r)
      a[r] = static_cast<const T*>(matrix) + (row + (r < count ? r : 0)) * leading;
    V now[parts][together] = {};
    std::size_t i = 0;
    for (; depth - i >= some; i += some) {
      _Pragma("GCC unroll 4") for (std::size_t p = 0; p < parts; ++p) {
        const V factors = host_load<V>(x + i + p * lanes);
        _Pragma("GCC unroll 4") for (std::size_t r = 0; r < together; ++r) now[p][r] +=
            host_load<V>(a[r] + i + p * lanes) * factors;
      }
    }
    // Zeros change no running value, of which none is -0.0.
    _Pragma("GCC unroll 4") for (std::size_t p = 0; p < parts; ++p) {
      const std::size_t first = i + p * lanes;
      if (first >= depth) break;
      const std::size_t left = depth - first < lanes ? depth - first : lanes;
      const V factors = load_some(x + first, left);
      _Pragma("GCC unroll 4") for (std::size_t r = 0; r < together; ++r) now[p][r] +=
          load_some(a[r] + first, left) * factors;
    }
    _Pragma("GCC unroll 4") for (std::size_t half = parts / 2; half > 0; half /= 2) {
      _Pragma("GCC unroll 4") for (std::size_t p = 0; p < half; ++p) {
        _Pragma("GCC unroll 4") for (std::size_t r = 0; r < together; ++r) now[p][r] += now[p + half][r];
      }
    }
    T four[together];
    add_up_four(now[0], four);
    for (std::size_t r = 0; r < count; ++r) to[row + r] += four[r];
  }
}
