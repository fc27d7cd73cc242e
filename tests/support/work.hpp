// SPDX-License-Identifier: Apache-2.0
// How much work something gave the default device: kernels run and programs made, by the compiler or from the cache on
// disk. For programs that link koine_internal.
#pragma once

#include <koine/array.hpp>
#include <koine/device.hpp>

#include <cstdint>

#include "support/inner.hpp"

namespace koine::test {

struct Work {
  std::int64_t kernels, programs;
};

template <class F>
Work work_of(F f) {
  const Activity before = activity_of();
  f();
  const Activity after = activity_of();
  return {static_cast<std::int64_t>(after.launches - before.launches),
          static_cast<std::int64_t>(after.built + after.loaded - before.built - before.loaded)};
}

inline std::int64_t kernels_of(const Array& x) {
  return work_of([&] { x.eval(); }).kernels;
}

}  // namespace koine::test
