// SPDX-License-Identifier: Apache-2.0
// The functions of host/fft_core.hpp for vectors of KN_VECTOR_BYTES. To be included inside a namespace without a name,
// after host/fft_core.hpp and <utility>. Decimation in frequency that sorts itself (Stockham; Swarztrauber, 1984).

#include "host/fft_halves_text.hpp"
#include "host/lanes_text.hpp"

template <class T>
struct Pair {
  V<T> re, im;
};
template <class T>
inline Pair<T> operator+(const Pair<T>& a, const Pair<T>& b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
inline Pair<T> operator-(const Pair<T>& a, const Pair<T>& b) {
  return {a.re - b.re, a.im - b.im};
}
/// Times -i.
template <class T>
inline Pair<T> turned(const Pair<T>& a) {
  return {a.im, -a.re};
}
template <class T, class F>
inline Pair<T> times(const Pair<T>& a, F re, F im) {
  return {a.re * re - a.im * im, a.re * im + a.im * re};
}

// Butterflies.

template <class T>
inline void butterfly(Pair<T> (&a)[2]) {
  const Pair<T> t = a[1];
  a[1] = a[0] - t;
  a[0] = a[0] + t;
}
template <class T>
inline void butterfly(Pair<T> (&a)[4]) {
  const Pair<T> s = a[0] + a[2], d = a[0] - a[2], t = a[1] + a[3], u = turned(a[1] - a[3]);
  a[0] = s + t;
  a[1] = d + u;
  a[2] = s - t;
  a[3] = d - u;
}
template <class T>
inline void butterfly(Pair<T> (&a)[8]) {
  constexpr T half = static_cast<T>(0.707106781186547524400844362104849L);
  Pair<T> e[4], o[4];
  KN_UNROLL for (int i = 0; i < 4; ++i) {
    e[i] = a[i] + a[i + 4];
    o[i] = a[i] - a[i + 4];
  }
  o[1] = {(o[1].re + o[1].im) * half, (o[1].im - o[1].re) * half};
  o[2] = turned(o[2]);
  o[3] = {(o[3].im - o[3].re) * half, (o[3].re + o[3].im) * -half};
  butterfly(e);
  butterfly(o);
  KN_UNROLL for (int i = 0; i < 4; ++i) {
    a[2 * i] = e[i];
    a[2 * i + 1] = o[i];
  }
}

/// cos and sin of 2πj / R, by their series: for the compiler alone, which rounds the result to T.
constexpr long double angle_of(int j, int R) {
  return 2 * 3.14159265358979323846264338327950288L * static_cast<long double>(2 * j > R ? j - R : j) / R;
}
constexpr long double sine(long double x) {
  long double sum = 0, term = x;
  for (int k = 1; k < 60; k += 2) {
    sum += term;
    term *= -x * x / ((k + 1) * (k + 2));
  }
  return sum;
}
constexpr long double cosine(long double x) {
  long double sum = 0, term = 1;
  for (int k = 0; k < 60; k += 2) {
    sum += term;
    term *= -x * x / ((k + 1) * (k + 2));
  }
  return sum;
}
template <class T, int R>
struct Turns {
  T cosines[R], sines[R];
  constexpr Turns() : cosines(), sines() {
    for (int j = 0; j < R; ++j) {
      cosines[j] = static_cast<T>(cosine(angle_of(j, R)));
      sines[j] = static_cast<T>(sine(angle_of(j, R)));
    }
  }
};

/// Of an odd radix: a pair of results shares its products.
template <class T, int R>
inline void butterfly(Pair<T> (&a)[R]) {
  constexpr Turns<T, R> turns;
  Pair<T> sums[R / 2], differences[R / 2];
  const Pair<T> first = a[0];
  Pair<T> total = first;
  KN_UNROLL for (int i = 0; i < R / 2; ++i) {
    sums[i] = a[i + 1] + a[R - 1 - i];
    differences[i] = a[i + 1] - a[R - 1 - i];
    total = total + sums[i];
  }
  a[0] = total;
  KN_UNROLL for (int k = 1; k <= R / 2; ++k) {
    Pair<T> even = first, odd = {V<T>{}, V<T>{}};
    KN_UNROLL for (int i = 0; i < R / 2; ++i) {
      const T c = turns.cosines[(i + 1) * k % R], s = turns.sines[(i + 1) * k % R];
      even = {even.re + sums[i].re * c, even.im + sums[i].im * c};
      odd = {odd.re + differences[i].re * s, odd.im + differences[i].im * s};
    }
    odd = turned(odd);
    a[k] = even + odd;
    a[R - k] = even - odd;
  }
}

// Passes. An element is a vector of real parts, and behind it one of imaginary parts.

/// From s * R * m elements; results of butterfly p lie together at p.
template <int R, bool last, class T>
void pass(const V<T>* x, V<T>* y, std::int64_t s, std::int64_t m, const T* factors) {
  for (std::int64_t p = 0; p < m; ++p, factors += 2 * (R - 1)) {
    for (std::int64_t q = 0; q < s; ++q) {
      Pair<T> a[R];
      KN_UNROLL for (int i = 0; i < R; ++i) {
        const V<T>* const from = x + 2 * (q + s * (p + m * i));
        a[i] = {from[0], from[1]};
      }
      butterfly(a);
      KN_UNROLL for (int i = 0; i < R; ++i) {
        if (!last && i > 0) a[i] = times(a[i], factors[2 * i - 2], factors[2 * i - 1]);
        V<T>* const to = y + 2 * (q + s * (R * p + i));
        to[0] = a[i].re;
        to[1] = a[i].im;
      }
    }
  }
}

template <int R, class T>
void pass(const V<T>* x, V<T>* y, std::int64_t s, std::int64_t m, const T* factors) {
  m == 1 ? pass<R, true>(x, y, s, m, factors) : pass<R, false>(x, y, s, m, factors);
}

/// All passes, from x, by way of the two rooms, one of which may be x. Gives where the results lie.
template <class T>
const V<T>* transform(const FftLine<T>& line, const V<T>* x, V<T>* one, V<T>* two) {
  std::int64_t s = 1, left = line.n;
  const T* factors = line.factors;
  for (int i = 0; i < line.passes; ++i) {
    const int radix = line.radices[i];
    V<T>* const y = x == one ? two : one;
    left /= radix;
    switch (radix) {
      case 2: pass<2>(x, y, s, left, factors); break;
      case 3: pass<3>(x, y, s, left, factors); break;
      case 4: pass<4>(x, y, s, left, factors); break;
      case 5: pass<5>(x, y, s, left, factors); break;
      case 7: pass<7>(x, y, s, left, factors); break;
      case 8: pass<8>(x, y, s, left, factors); break;
      case 11: pass<11>(x, y, s, left, factors); break;
      default: pass<13>(x, y, s, left, factors); break;
    }
    factors += left == 1 ? 0 : 2 * (radix - 1) * left;
    s *= radix;
    x = y;
  }
  return x;
}

template <class T, int... I>
inline Pair<T> taken_apart(V<T> a, V<T> b, std::integer_sequence<int, I...>) {
  return {__builtin_shufflevector(a, b, (2 * I)...), __builtin_shufflevector(a, b, (2 * I + 1)...)};
}
/// As many complex numbers as a vector has lanes.
template <class T>
inline Pair<T> load_complex(const T* from) {
  constexpr int lanes = Lanes<T>::count;
  return taken_apart<T>(load(from), load(from + lanes), std::make_integer_sequence<int, lanes>());
}
template <class T, int... I>
inline void store_complex(T* to, V<T> re, V<T> im, std::integer_sequence<int, I...>) {
  constexpr int lanes = sizeof...(I);
  store<T>(to, __builtin_shufflevector(re, im, (I % 2 * lanes + I / 2)...));
  store<T>(to + lanes, __builtin_shufflevector(re, im, (I % 2 * lanes + (I + lanes) / 2)...));
}
template <class T>
inline void store_complex(T* to, V<T> re, V<T> im) {
  store_complex<T>(to, re, im, std::make_integer_sequence<int, Lanes<T>::count>());
}

// Whole lines.

/// Where the lines of a block begin on one side, in elements.
template <class T>
struct Begins {
  std::int64_t at[Lanes<T>::count];
  int count;
  bool rows, columns;  // whole vectors of lines that lie one after another, or side by side

  Begins(const FftLines<T>& job, std::int64_t first, std::int64_t size) {
    constexpr int lanes = Lanes<T>::count;
    count = static_cast<int>(less(lanes, job.lines - first));
    for (int lane = 0; lane < count; ++lane) {
      const std::int64_t outer = (first + lane) / job.inner;
      at[lane] = outer * size * job.inner + (first + lane - outer * job.inner);
    }
    rows = count == lanes && job.inner == 1;
    columns = count == lanes && job.inner > 1 && first % job.inner + lanes <= job.inner;
  }
};

/// Parts of elements change places before and after the inverse, but not of pairs of real numbers.
template <class T>
void load_lines(const FftLines<T>& job, const Begins<T>& from, V<T>* x) {
  constexpr int lanes = Lanes<T>::count;
  const bool pairs = job.halves != nullptr, half = job.in_side == FftSide::half, real = job.in_side == FftSide::real;
  const bool mirrored = half && !pairs;
  const std::int64_t whole = !pairs ? job.n : half ? job.n + 1 : 2 * job.n;
  const std::int64_t there = mirrored ? whole : less(whole, job.in_size);
  const int re = job.inverse && !pairs ? 1 : 0, im = 1 - re;
  const auto put = [&](std::int64_t j, V<T> a, V<T> b) {
    if (pairs && real) {
      x[j] = a;
    } else {
      x[2 * j + re] = a;
      x[2 * j + im] = b;
    }
  };
  std::int64_t j = 0;
  if (from.rows && !mirrored) {
    const int each = real ? lanes : lanes / 2;
    for (; j + each <= there; j += each) {
      V<T> tile[lanes];
      KN_UNROLL for (int lane = 0; lane < lanes; ++lane) tile[lane] =
          load(job.in + (real ? 1 : 2) * (from.at[lane] + j));
      transpose<T>(tile);
      for (int i = 0; i < each; ++i) put(j + i, tile[real ? i : 2 * i], real ? V<T>{} : tile[2 * i + 1]);
    }
  } else if (from.columns && !mirrored) {
    for (; j < there; ++j) {
      const std::int64_t at = from.at[0] + j * job.inner;
      const Pair<T> both = real ? Pair<T>{load(job.in + at), V<T>{}} : load_complex(job.in + 2 * at);
      put(j, both.re, both.im);
    }
  }
  for (; j < there; ++j) {
    const bool other = mirrored && 2 * j > job.n;
    const std::int64_t k = other ? job.n - j : j;
    V<T> a{}, b{};
    for (int lane = 0; lane < from.count && k < job.in_size; ++lane) {
      const std::int64_t at = from.at[lane] + k * job.inner;
      a[lane] = job.in[real ? at : 2 * at];
      if (!real) b[lane] = other ? -job.in[2 * at + 1] : job.in[2 * at + 1];
    }
    put(j, a, b);
  }
  if (mirrored) x[im] = V<T>{};
  if (mirrored && job.n % 2 == 0) x[job.n + im] = V<T>{};
  for (std::int64_t i = pairs && real ? there : 2 * there; i < 2 * (job.line.n + 1); ++i) x[i] = V<T>{};
}

template <class T>
void store_lines(const FftLines<T>& job, const Begins<T>& to, const V<T>* x) {
  constexpr int lanes = Lanes<T>::count;
  const bool pairs = job.halves != nullptr, real = job.out_side == FftSide::real;
  const int re = job.inverse && !pairs ? 1 : 0, im = 1 - re;
  const auto first = [&](std::int64_t k) { return x[pairs && real ? k : 2 * k + re]; };
  std::int64_t k = 0;
  if (to.rows) {
    const int each = real ? lanes : lanes / 2;
    for (; k + each <= job.out_size; k += each) {
      V<T> tile[lanes];
      for (int i = 0; i < each; ++i) {
        if (real) {
          tile[i] = first(k + i) * job.scale;
        } else {
          tile[2 * i] = first(k + i) * job.scale;
          tile[2 * i + 1] = x[2 * (k + i) + im] * job.scale;
        }
      }
      transpose<T>(tile);
      KN_UNROLL for (int lane = 0; lane < lanes; ++lane)
          store<T>(job.out + (real ? 1 : 2) * (to.at[lane] + k), tile[lane]);
    }
  } else if (to.columns) {
    for (; k < job.out_size; ++k) {
      const std::int64_t at = to.at[0] + k * job.inner;
      const V<T> a = first(k) * job.scale;
      real ? store<T>(job.out + at, a) : store_complex<T>(job.out + 2 * at, a, x[2 * k + im] * job.scale);
    }
  }
  for (; k < job.out_size; ++k) {
    const V<T> a = first(k) * job.scale;
    for (int lane = 0; lane < to.count; ++lane) {
      const std::int64_t at = to.at[lane] + k * job.inner;
      job.out[real ? at : 2 * at] = a[lane];
      if (!real) job.out[2 * at + 1] = x[2 * k + im][lane] * job.scale;
    }
  }
}

// Of pairs the inverse has the conjugate half.

/// In place, of n elements before and n + 1 after.
template <class T>
void halve(const FftLines<T>& job, V<T>* x) {
  const std::int64_t n = job.n;
  x[2 * n] = x[0];
  x[2 * n + 1] = x[1];
  for (std::int64_t k = 0; 2 * k <= n; ++k) {
    V<T>*const a = x + 2 * k, *const b = x + 2 * (n - k);
    half_of_pairs(a[0], a[1], b[0], b[1], job.halves[2 * k], job.halves[2 * k + 1]);
  }
  for (std::int64_t k = 0; k <= n && job.inverse; ++k) x[2 * k + 1] = -x[2 * k + 1];
}
/// In place, of n + 1 elements before and n after.
template <class T>
void pair(const FftLines<T>& job, V<T>* x) {
  const std::int64_t n = job.n;
  x[1] = x[2 * n + 1] = V<T>{};
  for (std::int64_t k = 0; k <= n && job.inverse; ++k) x[2 * k + 1] = -x[2 * k + 1];
  for (std::int64_t k = 0; 2 * k <= n; ++k) {
    V<T>*const a = x + 2 * k, *const b = x + 2 * (n - k);
    pairs_of_half(a[0], a[1], b[0], b[1], job.halves[2 * k], job.halves[2 * k + 1]);
  }
  x[2 * n] = x[2 * n + 1] = V<T>{};
}

/// Elements times complex numbers, whose parts change places before.
template <bool swapped, class T>
void multiply(const V<T>* x, V<T>* y, const T* by, std::int64_t count) {
  for (std::int64_t j = 0; j < count; ++j) {
    const Pair<T> a = {x[2 * j + swapped], x[2 * j + !swapped]}, b = times(a, by[2 * j], by[2 * j + 1]);
    y[2 * j] = b.re;
    y[2 * j + 1] = b.im;
  }
}

template <class T>
void lines(const FftLines<T>& job, std::int64_t block, T* room) {
  const std::int64_t first = block * Lanes<T>::count;
  V<T>* const one = reinterpret_cast<V<T>*>(room);
  V<T>* const two = one + 2 * (job.line.n + 1);
  load_lines(job, Begins<T>(job, first, job.in_size), one);
  if (job.halves != nullptr && job.in_side == FftSide::half) pair(job, one);
  if (job.chirp != nullptr) multiply<false>(one, one, job.chirp, job.n);
  V<T>* y = transform(job.line, one, one, two) == one ? one : two;
  if (job.chirp != nullptr) {
    multiply<false>(y, y, job.filter, job.line.n);
    for (std::int64_t j = 0; j < job.line.n; ++j) {
      const V<T> re = y[2 * j];
      y[2 * j] = y[2 * j + 1];
      y[2 * j + 1] = re;
    }
    y = transform(job.line, y, one, two) == one ? one : two;
    multiply<true>(y, y, job.chirp, job.n);
  }
  if (job.halves != nullptr && job.out_side == FftSide::half) halve(job, y);
  store_lines(job, Begins<T>(job, first, job.out_size), y);
}

// A line in two steps (Gentleman and Sande, 1966).

template <class T>
void first_step(const FftSteps<T>& job, std::int64_t block, T* room) {
  constexpr int lanes = Lanes<T>::count;
  const std::int64_t n1 = job.first.n, n2 = job.second.n, column = block * lanes;
  const int width = static_cast<int>(less(lanes, n2 - column)), re = job.swap_in ? 1 : 0, im = 1 - re;
  V<T>* const one = reinterpret_cast<V<T>*>(room);
  for (std::int64_t j = 0; j < n1; ++j) {
    const T* const from = job.in + 2 * (j * n2 + column);
    if (width == lanes) {
      const Pair<T> both = load_complex(from);
      one[2 * j + re] = both.re;
      one[2 * j + im] = both.im;
      continue;
    }
    T* const parts = reinterpret_cast<T*>(one + 2 * j);
    for (int lane = 0; lane < lanes; ++lane) {
      parts[re * lanes + lane] = lane < width ? from[2 * lane] : 0;
      parts[im * lanes + lane] = lane < width ? from[2 * lane + 1] : 0;
    }
  }
  const V<T>* const x = transform(job.first, one, one, one + 2 * n1);
  const V<T>* const turns = reinterpret_cast<const V<T>*>(job.turns);
  const T* const bases = job.bases + 2 * block * n1;
  V<T>* const between = reinterpret_cast<V<T>*>(job.between);
  for (std::int64_t k = 0; k < n1; k += lanes) {
    V<T> res[lanes], ims[lanes];
    for (int i = 0; i < lanes; ++i) {
      const std::int64_t at = k + i;
      if (at >= n1) {
        res[i] = ims[i] = V<T>{};
        continue;
      }
      const Pair<T> turn = times(Pair<T>{turns[2 * at], turns[2 * at + 1]}, bases[2 * at], bases[2 * at + 1]);
      const Pair<T> value = times(Pair<T>{x[2 * at], x[2 * at + 1]}, turn.re, turn.im);
      res[i] = value.re;
      ims[i] = value.im;
    }
    transpose<T>(res);
    transpose<T>(ims);
    V<T>* const to = between + 2 * (k / lanes * n2 + column);
    for (int j = 0; j < width; ++j) {
      to[2 * j] = res[j];
      to[2 * j + 1] = ims[j];
    }
  }
}

template <class T>
void second_step(const FftSteps<T>& job, std::int64_t block, T* room) {
  constexpr int lanes = Lanes<T>::count;
  const std::int64_t n1 = job.first.n, n2 = job.second.n, column = block * lanes;
  const int width = static_cast<int>(less(lanes, n1 - column)), re = job.swap_out ? 1 : 0, im = 1 - re;
  const V<T>* const from = reinterpret_cast<const V<T>*>(job.between) + 2 * block * n2;
  V<T>* const one = reinterpret_cast<V<T>*>(room);
  const V<T>* const x = transform(job.second, from, one, one + 2 * n2);
  for (std::int64_t k = 0; k < n2; ++k) {
    T* const to = job.out + 2 * (column + n1 * k);
    const V<T> a = x[2 * k + re] * job.scale, b = x[2 * k + im] * job.scale;
    if (width == lanes) {
      store_complex<T>(to, a, b);
      continue;
    }
    for (int lane = 0; lane < width; ++lane) {
      to[2 * lane] = a[lane];
      to[2 * lane + 1] = b[lane];
    }
  }
}

template <class T>
constexpr FftFunctions<T> fft_functions = {Lanes<T>::count, lines<T>, first_step<T>, second_step<T>};
