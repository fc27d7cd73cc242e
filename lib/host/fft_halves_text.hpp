// SPDX-License-Identifier: Apache-2.0
// Transforms of 2m real numbers x as ones of m complex numbers z[j] = x[2j] + i·x[2j + 1] (Cooley, Lewis and Welch,
// 1970), by a pass over elements k and m - k at once. F is a number or a vector of such, (c, s) is exp(-πik/m). To be
// included inside a namespace without a name.

/// From the transform of z to the first half of that of x.
template <class F, class T>
inline void half_of_pairs(F& re, F& im, F& other_re, F& other_im, T c, T s) {
  constexpr T half = static_cast<T>(0.5);
  const F even_re = (re + other_re) * half, even_im = (im - other_im) * half;
  const F odd_re = (im + other_im) * half, odd_im = (other_re - re) * half;
  const F turned_re = odd_re * c - odd_im * s, turned_im = odd_re * s + odd_im * c;
  re = even_re + turned_re;
  im = even_im + turned_im;
  other_re = even_re - turned_re;
  other_im = turned_im - even_im;
}

/// From the half that x is the transform of, with conjugates behind it, to what z is that of.
template <class F, class T>
inline void pairs_of_half(F& re, F& im, F& other_re, F& other_im, T c, T s) {
  const F even_re = re + other_re, even_im = im - other_im;
  const F turned_re = re - other_re, turned_im = im + other_im;
  const F odd_re = turned_re * c - turned_im * s, odd_im = turned_re * s + turned_im * c;
  re = even_re - odd_im;
  im = even_im + odd_re;
  other_re = even_re + odd_im;
  other_im = odd_re - even_im;
}
