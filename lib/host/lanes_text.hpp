// SPDX-License-Identifier: Apache-2.0
// Vectors of KN_VECTOR_BYTES, each lane of which is another line or matrix. To be included inside a namespace without a
// name, behind <utility>.

#define KN_UNROLL _Pragma("GCC unroll 16")

template <class T>
struct Lanes {
  static constexpr int count = KN_VECTOR_BYTES / static_cast<int>(sizeof(T));
  typedef T V __attribute__((vector_size(KN_VECTOR_BYTES), may_alias));
};
template <class T>
using V = typename Lanes<T>::V;

template <class T>
inline V<T> load(const T* from) {
  V<T> result;
  __builtin_memcpy(&result, from, sizeof result);
  return result;
}
template <class T>
inline void store(T* to, V<T> value) {
  __builtin_memcpy(to, &value, sizeof value);
}

inline std::int64_t less(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

// Vectors turned to lanes.

template <int step, class T, int... I>
inline void exchange(V<T>& a, V<T>& b, std::integer_sequence<int, I...>) {
  constexpr int lanes = sizeof...(I);
  const V<T> high = __builtin_shufflevector(a, b, ((I & step) != 0 ? lanes + I - step : I)...);
  b = __builtin_shufflevector(a, b, ((I & step) != 0 ? lanes + I : I + step)...);
  a = high;
}
/// Square blocks of `step` elements off the diagonal change places, then those of half of it.
template <int step, class T>
inline void transpose(V<T>* v) {
  constexpr int lanes = Lanes<T>::count;
  KN_UNROLL for (int i = 0; i < lanes; ++i) {
    if ((i & step) == 0) exchange<step, T>(v[i], v[i + step], std::make_integer_sequence<int, lanes>());
  }
  if constexpr (step > 1) transpose<step / 2, T>(v);
}
template <class T>
inline void transpose(V<T>* v) {
  transpose<Lanes<T>::count / 2, T>(v);
}
