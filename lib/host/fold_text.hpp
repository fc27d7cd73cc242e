// SPDX-License-Identifier: Apache-2.0
// Running values and the positions of the best ones, in vectors by name: of loops that choose between numbers by
// conditions compilers make none. To be included inside a namespace without a name, behind <cmath>, <cstddef>,
// <cstdint>, <type_traits> and <utility>.

#if defined(__AVX512F__)
#define KN_HOST_VECTOR 64
#elif defined(__AVX2__)
#define KN_HOST_VECTOR 32
#else
#define KN_HOST_VECTOR 16
#endif

template <class T>
struct HostVector {
  static constexpr std::size_t lanes = KN_HOST_VECTOR / sizeof(T);
  typedef T Type __attribute__((vector_size(KN_HOST_VECTOR)));
  typedef T Loaded __attribute__((vector_size(KN_HOST_VECTOR), aligned(sizeof(T)), may_alias));
};
template <class V, class T>
inline V host_load(const T* from) {
  if constexpr (std::is_same_v<V, T>)
    return *from;
  else
    return *reinterpret_cast<const typename HostVector<T>::Loaded*>(from);
}
template <class V, class T>
inline void host_store(T* to, V value) {
  if constexpr (std::is_same_v<V, T>)
    *to = value;
  else
    *reinterpret_cast<typename HostVector<T>::Loaded*>(to) = value;
}

/// What was combined so far.
template <class V, class Combine>
struct Running {
  V now;
  explicit Running(V value) : now(value) {}
  void add(V b) { now = Combine()(now, b); }
  V value() const { return now; }
};
/// The same of extremes as reductions.def has them, the last NaN if there is one and of equals the last: a NaN is kept
/// apart, so that no element waits for more than one comparison.
template <class V, class Before>
struct RunningExtreme {
  V best, odd;
  explicit RunningExtreme(V value) : best(value), odd(value) {}
  void add(V b) {
    best = Before()(best, b) ? best : b;
    odd = b != b ? b : odd;
  }
  V value() const { return odd != odd ? odd : best; }
};

template <std::size_t parts, class Running, class V, class T>
inline void fold_parts(T* running, const T* elements, std::size_t width, std::size_t rounds) {
  constexpr std::size_t lanes = sizeof(V) / sizeof(T);
  const auto each = [&]<std::size_t... P>(std::index_sequence<P...>) {
    Running now[] = {Running(host_load<V>(running + P * lanes))...};
    for (std::size_t round = 0; round < rounds; ++round, elements += width) {
      (now[P].add(host_load<V>(elements + P * lanes)), ...);
    }
    (host_store<V>(running + P * lanes, now[P].value()), ...);
  };
  each(std::make_index_sequence<parts>());
}
/// A Fold of functions.hpp, several vectors at a time: none waits for another.
template <template <class, class> class Running, class T, class Combine>
inline void fold_in_vectors(void* values, const void* from, std::size_t width, std::size_t rounds) {
  using V = typename HostVector<T>::Type;
  constexpr std::size_t lanes = HostVector<T>::lanes, together = 4;
  T* const running = static_cast<T*>(values);
  const T* const elements = static_cast<const T*>(from);
  std::size_t i = 0;
  for (; width - i >= together * lanes; i += together * lanes) {
    fold_parts<together, Running<V, Combine>, V>(running + i, elements + i, width, rounds);
  }
  for (; width - i >= lanes; i += lanes)
    fold_parts<1, Running<V, Combine>, V>(running + i, elements + i, width, rounds);
  for (; i < width; ++i) fold_parts<1, Running<T, Combine>, T>(running + i, elements + i, width, rounds);
}

template <class Running, class V>
inline V combined(V a, V b) {
  Running running(a);
  running.add(b);
  return running.value();
}
/// The neighbours among the elements of two vectors combined: those of the first, then those of the second.
template <class Running, class V, int... L>
inline V neighbours(V a, V b, std::integer_sequence<int, L...>) {
  return combined<Running>(__builtin_shufflevector(a, b, (2 * L)...), __builtin_shufflevector(a, b, (2 * L + 1)...));
}

template <class Running, class RunningOne, class V, class T, std::size_t... P, std::size_t... C>
inline T fold_whole_row(const T* row, const FoldedRows& how, T identity, std::index_sequence<P...>,
                        std::index_sequence<C...>) {
  constexpr std::size_t lanes = sizeof(V) / sizeof(T), parts = sizeof...(P), width = parts * lanes;
  constexpr std::size_t round = sizeof...(C) * lanes;
  V none;
  for (std::size_t l = 0; l < lanes; ++l) none[l] = identity;
  V now[] = {((void)P, none)...};
  std::size_t i = 0;
  if (how.chained && how.length >= round) {
    Running chains[] = {((void)C, Running(none))...};
    for (; how.length - i >= round; i += round) (chains[C].add(host_load<V>(row + i + C * lanes)), ...);
    ((now[C % parts] = combined<Running>(now[C % parts], chains[C].value())), ...);
  }
  Running rest[] = {Running(now[P])...};
  for (; how.length - i >= width; i += width) (rest[P].add(host_load<V>(row + i + P * lanes)), ...);
  ((now[P] = rest[P].value()), ...);
  if (i < how.length) {
    T values[width];
    (host_store<V>(values + P * lanes, now[P]), ...);
    for (T* value = values; i < how.length; ++i, ++value) *value = combined<RunningOne>(*value, row[i]);
    ((now[P] = host_load<V>(values + P * lanes)), ...);
  }
  constexpr auto all = std::make_integer_sequence<int, static_cast<int>(lanes)>();
  for (std::size_t half = parts / 2; half > 0; half /= 2) {
    for (std::size_t p = 0; p < half; ++p) now[p] = neighbours<Running>(now[2 * p], now[2 * p + 1], all);
  }
  for (std::size_t half = lanes / 2; half > 0; half /= 2) now[0] = neighbours<Running>(now[0], now[0], all);
  return now[0][0];
}
/// A FoldRows of functions.hpp.
template <template <class, class> class Running, class T, class Combine>
inline bool fold_rows_in_vectors(void* results, const void* elements, const void* identity, const FoldedRows& how) {
  using V = typename HostVector<T>::Type;
  constexpr std::size_t lanes = HostVector<T>::lanes;
  const auto each = [&]<std::size_t parts>(std::integral_constant<std::size_t, parts>) {
    for (std::size_t row = 0; row < how.rows; ++row) {
      static_cast<T*>(results)[row] = fold_whole_row<Running<V, Combine>, Running<T, Combine>, V>(
          static_cast<const T*>(elements) + row * how.length, how, *static_cast<const T*>(identity),
          std::make_index_sequence<parts>(), std::make_index_sequence<parts * fold_chains>());
    }
    return true;
  };
  // A vector of a CPU device, or two, to which elements of 16 bits are widened.
  constexpr std::size_t parts = 64 / KN_HOST_VECTOR;
  if (how.width == parts * lanes) return each(std::integral_constant<std::size_t, parts>());
  return how.width == 2 * parts * lanes && each(std::integral_constant<std::size_t, 2 * parts>());
}

template <class Mask>
inline bool any_of(Mask mask) {
#if defined(__AVX512F__)
  return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask) != 0;
#elif defined(__AVX2__)
  return _mm256_testz_si256((__m256i)mask, (__m256i)mask) == 0;
#else
  std::uint64_t words[sizeof mask / 8], any = 0;
  __builtin_memcpy(words, &mask, sizeof mask);
  for (const std::uint64_t word : words) any |= word;
  return any != 0;
#endif
}
/// What goes before all other lanes, in each lane: by vectors whose lanes have changed places, half as far each time.
template <std::size_t half, class Before, class V, int... L>
inline V best_lane(V now, std::integer_sequence<int, L...> lanes) {
  const V moved = __builtin_shufflevector(now, now, (L ^ static_cast<int>(half))...);
  now = Before()(moved, now) ? moved : now;
  if constexpr (half > 1)
    return best_lane<half / 2, Before>(now, lanes);
  else
    return now;
}

/// The first of the elements that no other goes before, or of the NaN.
template <class T, class Before>
inline std::int64_t first_best(const T* values, std::size_t count) {
  using V = typename HostVector<T>::Type;
  constexpr std::size_t lanes = HostVector<T>::lanes, together = 4, some = together * lanes;
  const auto load = [&](std::size_t at) { return host_load<V>(values + at); };
  T best = values[0];
  std::size_t i = 0;
  if (count >= some) {
    V now[together] = {load(0), load(lanes), load(2 * lanes), load(3 * lanes)};
    auto odd = now[0] != now[0];
    for (; count - i >= some; i += some) {
      _Pragma("GCC unroll 4") for (std::size_t p = 0; p < together; ++p) {
        const V next = load(i + p * lanes);
        now[p] = Before()(now[p], next) ? now[p] : next;
        odd |= next != next;
      }
    }
    for (std::size_t p = 1; p < together; ++p) now[0] = Before()(now[p], now[0]) ? now[p] : now[0];
    best = best_lane<lanes / 2, Before>(now[0], std::make_integer_sequence<int, static_cast<int>(lanes)>())[0];
    if constexpr (std::is_floating_point_v<T>) {
      if (any_of(odd)) best = static_cast<T>(NAN);
    }
  }
  for (; i < count; ++i) {
    if (best == best && (values[i] != values[i] || Before()(values[i], best))) best = values[i];
  }
  const auto search = [&](auto same) {
    std::size_t at = 0;
    for (; count - at >= some; at += some) {
      if (any_of(same(load(at)) | same(load(at + lanes)) | same(load(at + 2 * lanes)) | same(load(at + 3 * lanes))))
        break;
    }
    for (; count - at >= lanes; at += lanes) {
      if (any_of(same(load(at)))) break;
    }
    while (!same(values[at])) ++at;
    return static_cast<std::int64_t>(at);
  };
  return best == best ? search([&](auto x) { return x == best; }) : search([&](auto x) { return x != x; });
}
