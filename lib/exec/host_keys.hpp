// SPDX-License-Identifier: Apache-2.0
// How the bits of elements become keys in their order, and back.
#pragma once

#include <cstdint>

#include "exec/sort.hpp"
#include "host/functions.hpp"

namespace koine::exec {

#include "host/key_text.hpp"

/// With `positioned`, elements move with their positions, and equal ones have equal keys; otherwise each key is the
/// element's own.
template <class Key, bool positioned>
class HostKeys {
 public:
  /// `flip` is all ones for a falling order.
  HostKeys(const KeySpec& spec, std::uint64_t flip) : order_{spec.kind(), flip, spec.infinity_bits()} {}

  const host::KeyOrder& order() const { return order_; }
  int kind() const { return order_.kind; }
  /// Loops that know the kind when they are compiled pass it.
  Key key(Key bits, int kind) const { return ordered_key<Key, positioned>(bits, kind, flip(), infinity()); }
  Key key(Key bits) const { return key(bits, kind()); }
  /// Whether no two elements share a key, ...
  bool one_to_one() const { return !positioned || kind() != 2; }
  /// ... and then the element of a key.
  Key value(Key key) const {
    if (kind() == 0) return Key(key ^ flip());
    if (kind() == 1) return Key(key ^ top ^ flip());
    const Key ordered = Key(Key(key + nan_shift()) ^ flip());
    return Key(ordered ^ (Key(~sign_of(ordered)) | top));
  }

 private:
  static constexpr Key top = Key(Key(1) << (8 * sizeof(Key) - 1));

  /// All ones of a negative number.
  static Key sign_of(Key bits) { return Key(-Key(bits >> (8 * sizeof(Key) - 1))); }
  Key flip() const { return static_cast<Key>(order_.flip); }
  Key infinity() const { return static_cast<Key>(order_.infinity); }
  Key nan_shift() const { return Key(top - 1 - infinity()); }

  host::KeyOrder order_;
};

}  // namespace koine::exec
