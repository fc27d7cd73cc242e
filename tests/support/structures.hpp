// SPDX-License-Identifier: Apache-2.0
// As many different expressions as anybody wants.
#pragma once

namespace koine::test {

/// An expression over x of which every number has its own, and so a kernel of its own: its bits below the highest say
/// what each step is. For an Array, and with a std::int64_t for what the values should be; up to 2^16 nothing wraps for
/// an x below a million.
template <class T>
T structured(T x, unsigned number) {
  for (; number > 1; number /= 2) x = number % 2 == 1 ? T(x * 3) : T(x + 7);
  return x;
}

}  // namespace koine::test
