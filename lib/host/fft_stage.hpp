// SPDX-License-Identifier: Apache-2.0
// A line of complex numbers in memory, for what lies otherwise on one of a transform's sides: what host/fft.cpp does
// before and after two steps. To be included once.
#pragma once

#include "host/fft.hpp"

#include <algorithm>
#include <utility>

namespace koine::host {
namespace {

#include "host/fft_halves_text.hpp"

template <class T>
class Stage {
 public:
  /// Of `n` complex numbers, which `length` are transformed for. Tables as those of FftLines.
  Stage(const Fourier& job, std::int64_t n, std::int64_t length, const T* chirp, const T* filter, const T* halves)
      : job_(job), n_(n), chirp_(chirp), filter_(filter), halves_(halves), scale_(static_cast<T>(job.scale)) {
    const bool pairs = halves != nullptr;
    filled_ = length > n || (pairs ? job.in_side == FftSide::half || job.in_size < job.n
                                   : job.in_side != FftSide::complex || job.in_size < job.n);
    put_ =
        length > n || (pairs ? job.out_side == FftSide::half : job.out_side == FftSide::real || job.out_size < job.n);
  }

  bool filled() const { return filled_; }
  bool put_back() const { return put_; }
  /// Whether the parts of what is transformed change places before and after.
  bool swaps() const { return job_.inverse && halves_ == nullptr; }

  /// Elements [first, last) of what is transformed, times the chirp where that is a convolution.
  void fill(const T* in, T* stage, std::int64_t first, std::int64_t last) const {
    if (halves_ != nullptr && job_.in_side == FftSide::half) {
      for (std::int64_t k = first; 2 * k <= n_ && k < last; ++k) fill_pair(in, stage, k);
    } else {
      for (std::int64_t j = first; j < std::min(n_, last); ++j) fill_element(in, stage, j);
    }
    for (std::int64_t j = std::max(n_, first); j < last; ++j) stage[2 * j] = stage[2 * j + 1] = 0;
  }
  void filter(T* stage, std::int64_t first, std::int64_t last) const {
    for (std::int64_t k = first; k < last; ++k) multiply(stage[2 * k], stage[2 * k + 1], filter_ + 2 * k);
  }
  /// Results [first, last), or those that lie beside them.
  void put(const T* stage, T* out, std::int64_t first, std::int64_t last) const {
    if (halves_ != nullptr && job_.out_side == FftSide::half) {
      for (std::int64_t k = first; 2 * k <= n_ && k < last; ++k) put_pair(stage, out, k);
    } else {
      for (std::int64_t k = first; k < std::min(n_, last); ++k) put_element(stage, out, k);
    }
  }

 private:
  void fill_element(const T* in, T* stage, std::int64_t j) const {
    T re = 0, im = 0;
    if (halves_ != nullptr) {
      re = 2 * j < job_.in_size ? in[2 * j] : 0;
      im = 2 * j + 1 < job_.in_size ? in[2 * j + 1] : 0;
    } else {
      const bool other = job_.in_side == FftSide::half && 2 * j > n_;
      const std::int64_t k = other ? n_ - j : j;
      if (k < job_.in_size && job_.in_side == FftSide::real) {
        re = in[k];
      } else if (k < job_.in_size) {
        re = in[2 * k];
        im = other ? -in[2 * k + 1] : in[2 * k + 1];
        if (job_.in_side == FftSide::half && (k == 0 || 2 * k == n_)) im = 0;
      }
      if (swaps()) std::swap(re, im);
    }
    if (chirp_ != nullptr) multiply(re, im, chirp_ + 2 * j);
    stage[2 * j] = re;
    stage[2 * j + 1] = im;
  }

  /// Elements k and n - k.
  void fill_pair(const T* in, T* stage, std::int64_t k) const {
    const std::int64_t other = n_ - k;
    const auto im_of = [&](std::int64_t i) { return job_.inverse ? -in[2 * i + 1] : in[2 * i + 1]; };
    T re = 0, im = 0, other_re = 0, other_im = 0;
    if (k < job_.in_size) re = in[2 * k], im = k == 0 ? 0 : im_of(k);
    if (other < job_.in_size) other_re = in[2 * other], other_im = k == 0 ? 0 : im_of(other);
    pairs_of_half(re, im, other_re, other_im, halves_[2 * k], halves_[2 * k + 1]);
    if (chirp_ != nullptr) {
      multiply(re, im, chirp_ + 2 * k);
      if (k > 0) multiply(other_re, other_im, chirp_ + 2 * other);
    }
    stage[2 * k] = re;
    stage[2 * k + 1] = im;
    if (k == 0) return;
    stage[2 * other] = other_re;
    stage[2 * other + 1] = other_im;
  }

  void put_element(const T* stage, T* out, std::int64_t k) const {
    T re = stage[2 * k], im = stage[2 * k + 1];
    if (chirp_ != nullptr) multiply(re, im, chirp_ + 2 * k);
    if (swaps()) std::swap(re, im);
    if (job_.out_side == FftSide::real && halves_ == nullptr) {
      out[k] = re * scale_;
    } else {
      out[2 * k] = re * scale_;
      out[2 * k + 1] = im * scale_;
    }
  }

  /// Results k and n - k.
  void put_pair(const T* stage, T* out, std::int64_t k) const {
    const std::int64_t other = k == 0 ? 0 : n_ - k;
    T re = stage[2 * k], im = stage[2 * k + 1], other_re = stage[2 * other], other_im = stage[2 * other + 1];
    if (chirp_ != nullptr) {
      multiply(re, im, chirp_ + 2 * k);
      multiply(other_re, other_im, chirp_ + 2 * other);
    }
    half_of_pairs(re, im, other_re, other_im, halves_[2 * k], halves_[2 * k + 1]);
    const T turn = job_.inverse ? -scale_ : scale_;
    out[2 * k] = re * scale_;
    out[2 * k + 1] = im * turn;
    out[2 * (n_ - k)] = other_re * scale_;
    out[2 * (n_ - k) + 1] = other_im * turn;
  }

  static void multiply(T& re, T& im, const T* by) {
    const T product = re * by[0] - im * by[1];
    im = re * by[1] + im * by[0];
    re = product;
  }

  const Fourier& job_;
  const std::int64_t n_;
  const T *const chirp_, *const filter_, *const halves_;
  const T scale_;
  bool filled_, put_;
};

}  // namespace
}  // namespace koine::host
