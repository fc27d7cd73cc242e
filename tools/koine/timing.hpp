// SPDX-License-Identifier: Apache-2.0
// Work that is measured, and how long it takes.
#pragma once

#include <koine/array.hpp>

#include <functional>
#include <utility>
#include <vector>

namespace koine::tool {

/// Computes something once, and returns when it is done.
using Workload = std::function<void()>;

/// Computes what `make` gives, which must be pending.
template <class F>
Workload workload_of(F make) {
  return [make = std::move(make)] {
    make().eval();
    synchronize();
  };
}

double median(std::vector<double> values);

/// Seconds of one run: the median of several samples, each as many runs as take `least` seconds. Runs before them build
/// programs and take memory.
double seconds_of(const Workload& workload, double least, int samples);

}  // namespace koine::tool
