// SPDX-License-Identifier: Apache-2.0
// How the bits of elements become keys in their order, and back: kernels/common/sort.clh in C++.
#pragma once

#include <cstdint>

#include "exec/sort.hpp"

namespace koine::exec {

/// With `positioned`, elements move with their positions, and equal ones have equal keys; otherwise each key is the
/// element's own.
template <class Key, bool positioned>
class HostKeys {
 public:
  /// `flip` is all ones for a falling order.
  HostKeys(const KeySpec& spec, std::uint64_t flip)
      : kind_(spec.kind()), flip_(static_cast<Key>(flip)), infinity_(static_cast<Key>(spec.infinity_bits())) {}

  int kind() const { return kind_; }
  /// Loops that know the kind when they are compiled pass it.
  Key key(Key bits, int kind) const {
    if (kind == 0) return Key(bits ^ flip_);
    if (kind == 1) return Key(bits ^ top ^ flip_);
    const Key size = Key(bits & Key(top - 1));
    if (positioned && size == 0) bits = 0;
    const Key ordered = Key(bits ^ (sign_of(bits) | top) ^ flip_);
    if constexpr (positioned) return size > infinity_ ? Key(~Key(0)) : ordered;
    return Key(ordered - nan_shift());
  }
  Key key(Key bits) const { return key(bits, kind_); }
  /// Whether no two elements share a key, ...
  bool one_to_one() const { return !positioned || kind_ != 2; }
  /// ... and then the element of a key.
  Key value(Key key) const {
    if (kind_ == 0) return Key(key ^ flip_);
    if (kind_ == 1) return Key(key ^ top ^ flip_);
    const Key ordered = Key(Key(key + nan_shift()) ^ flip_);
    return Key(ordered ^ (Key(~sign_of(ordered)) | top));
  }

 private:
  static constexpr Key top = Key(Key(1) << (8 * sizeof(Key) - 1));

  /// All ones of a negative number.
  static Key sign_of(Key bits) { return Key(-Key(bits >> (8 * sizeof(Key) - 1))); }
  Key nan_shift() const { return Key(top - 1 - infinity_); }

  int kind_;
  Key flip_, infinity_;
};

}  // namespace koine::exec
