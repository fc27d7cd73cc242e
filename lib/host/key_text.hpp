// SPDX-License-Identifier: Apache-2.0
// How the bits of elements become keys in their order (kernels/common/sort.clh in C++), by themselves or as the lanes
// of a vector. To be included inside a namespace, behind <cstdint>.

/// `kind`: 0 unsigned, 1 signed, 2 real. `flip` is all ones for a falling order, `infinity` has the bits of infinity.
/// With `positioned`, equal elements have equal keys; otherwise each key is the element's own.
template <class Key, bool positioned, class Bits>
inline Bits ordered_key(Bits bits, int kind, Key flip, Key infinity) {
  constexpr int top_bit = 8 * sizeof(Key) - 1;
  constexpr Key top = Key(Key(1) << top_bit), below_top = Key(top - 1), all = Key(~Key(0));
  if (kind == 0) return Bits(bits ^ flip);
  if (kind == 1) return Bits(bits ^ Key(top ^ flip));
  const Bits size = Bits(bits & below_top), none = Bits(bits ^ bits);
  if constexpr (positioned) bits = size == none ? none : bits;
  const Bits sign = Bits(none - Bits(bits >> top_bit));  // all ones of a negative number
  const Bits ordered = Bits(bits ^ Bits(sign | top) ^ flip);
  if constexpr (positioned) return size > Bits(none | infinity) ? Bits(none | all) : ordered;
  return Bits(ordered - Key(below_top - infinity));
}
